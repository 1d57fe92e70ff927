/** The only file outside `cloud/aws` that reaches into its services. */
import type { Aws } from '@drover/cloud-aws';
import type { IngressView, Observation, RefreshView } from './observation.ts';
import type { Operation } from './operation.ts';

/** An account as it is observed. */
export function observeAws(aws: Aws): Observation {
  const { scaler } = aws.autoscaling;
  return {
    group: (name) => scaler.groups.get(name),
    groups: () => [...scaler.groups.values()],
    members: () => [...scaler.members.values()],
    member: (instanceId) => scaler.members.get(instanceId),
    openHooks: (instanceId) =>
      [...(scaler.members.get(instanceId)?.wait?.actions.values() ?? [])]
        .filter(({ result }) => result === undefined)
        .map(({ hook, expiresAt }) => ({ name: hook.name, expiresAt })),
    newestRefresh: (groupName) => {
      const group = scaler.groups.get(groupName);
      const refresh = group?.refreshes.at(-1);
      return group && refresh && refreshView(refresh, () => aws.autoscaling.refreshPercentage(group, refresh));
    },
    targetLifecycleState: (instanceId) => aws.autoscaling.targetLifecycleState(instanceId),
    disks: (instanceId) =>
      aws.ec2.volumes
        .of(instanceId)
        .map(({ attachment, shape }) => ({ device: attachment!.device, sizeGiB: shape.sizeGiB })),
    instances: () => [...aws.ec2.instances.values()],
    instance: (instanceId) => aws.ec2.instances.get(instanceId),
    ingressOf: (instanceId) => ingressOf(aws, instanceId),
    onInstanceState: (listener) => aws.ec2.onInstanceState((instance) => listener(instance)),
    onSpotNotice: (listener) => aws.ec2.onSpotNotice((instance) => listener(instance)),
    alarms: () => aws.cloudwatch.alarmStates,
    functionNames: () => aws.lambda.names,
    functionState: (name) => {
      const fn = aws.lambda.find(name);
      if (fn === undefined) return undefined;
      const { timeoutSeconds, environment, subnetIds, logging } = fn.settings;
      return {
        timeoutSeconds,
        environment,
        subnetIds,
        reservedConcurrency: fn.reservedConcurrency,
        logGroup: logging.group ?? `/aws/lambda/${name}`,
      };
    },
    agentStatus: (instanceId) => aws.ssm.agentStatus(instanceId),
    lowestValues: (metric, fromMs, toMs) => aws.cloudwatch.lowest(metric, fromMs, toMs),
    logEventsSince: (logGroup, sinceMs) => aws.logs.linesSince(logGroup, sinceMs),
    logLines: (logGroup) => aws.logs.lines(logGroup).map(({ message }) => message),
    secretNames: () => aws.secretsmanager.names,
    secretValue: (secretId) => aws.secretsmanager.resolve(secretId, {}),
    object: (bucket, key) => aws.s3.getObject(bucket, key),
    onAuthorization: (listener) =>
      aws.iam.onDecision(({ principal, permission, refusal }) =>
        listener({ roleArn: principal.roleArn, action: permission.action, refusal }),
      ),
  };
}

interface Refresh {
  readonly startTime: number;
  readonly status: string;
  readonly endTime: number | undefined;
}

const refreshView = (refresh: Refresh, percentage: () => number): RefreshView => ({
  startTime: refresh.startTime,
  get status() {
    return refresh.status;
  },
  get endTime() {
    return refresh.endTime;
  },
  get percentageComplete() {
    return percentage();
  },
});

function ingressOf({ ec2 }: Aws, instanceId: string): IngressView[] {
  const all = [...ec2.instances.values()];
  const groups = ec2.instances.get(instanceId)?.securityGroupIds ?? [];
  const rules = groups.flatMap((id) => [...ec2.network.securityGroup(id).rules.values()]);
  return rules
    .filter(({ egress }) => !egress)
    .map(({ protocol, fromPort, toPort, cidr, groupId }) => {
      const members = all.filter((each) => groupId !== undefined && each.securityGroupIds.includes(groupId));
      const sources = cidr === undefined ? members.map(({ privateIp }) => privateIp) : [cidr];
      return { protocol, fromPort, toPort, sources };
    });
}

/** An account as it is operated on. */
export function operateAws(aws: Aws): Operation {
  const { ec2, iam, lambda, logs, s3 } = aws;
  return {
    putObject: (bucket, key, body) => s3.putObject(bucket, key, body),
    deleteObject: (bucket, key) => void s3.storage.delete(s3.storage.bucket(bucket), key),
    registerImage: (image, program) => aws.ecs.registerImage(image, program),
    injectFunction: (match, factory, when) => lambda.inject(match, factory, when),
    runFunctionsWith: (match, loader) => lambda.runWith(match, loader),
    stopFunctions: () => lambda.stop(),
    limitConcurrency: (limit) => {
      lambda.concurrency.limit = limit;
    },
    reclaimSpot: (instanceId) => ec2.reclaimSpot(instanceId),
    recommendRebalance: (instanceId) => ec2.recommendRebalance(instanceId),
    unregisterAgent: (instanceId) => aws.ssm.unregisterAgent(instanceId),
    appendLog: (logGroup, logStream, message) => logs.append(logGroup, logStream, message),
    assumeRole: (roleArn, service, sessionName) => iam.assumeRoleForService(roleArn, service, sessionName),
    routeThroughNat: (subnetIds) => {
      const { network } = ec2;
      const [nat] = network.natGateways.values();
      if (nat === undefined) throw new Error('the VPC has no NAT gateway');
      const destination = '0.0.0.0/0';
      for (const id of new Set(subnetIds))
        network.routeTableOfSubnet(network.subnet(id)).routes.set(destination, { destination, target: nat.id });
    },
  };
}
