import { arn } from '../../account/arn.ts';
import { freeName } from '../../account/errors.ts';
import type { AwsNeighbours } from '../../account/neighbours.ts';
import type { ResourceProperties, ResourceProvider, ResourceProviders } from '../../account/service.ts';
import type { HealthChecks } from './health-checks.ts';
import { type Action, defaultHealthCheck, type HealthCheck, type LoadBalancer, validation } from './model.ts';
import type { Balancers } from './state.ts';

interface LoadBalancingModel {
  readonly aws: AwsNeighbours;
  readonly balancers: Balancers;
  readonly checks: HealthChecks;
}

/** Hosted zones of application load balancers (AWS General Reference, "Elastic Load Balancing endpoints"). */
const hostedZones: Readonly<Record<string, string>> = {
  'eu-central-1': 'Z215JYRZR1TBD5',
  'eu-west-1': 'Z32O12XQLNTSW2',
  'us-east-1': 'Z35SXDOTRQ7X7K',
  'us-west-2': 'Z1H1FL5HABSF5',
};

/** The longest name of a load balancer or target group. */
const maxName = 32;

/** The resource types of load balancing that templates may use. */
export const loadBalancingResources = (model: LoadBalancingModel): ResourceProviders => ({
  'AWS::ElasticLoadBalancingV2::LoadBalancer': loadBalancerResource(model),
  'AWS::ElasticLoadBalancingV2::TargetGroup': targetGroupResource(model),
  'AWS::ElasticLoadBalancingV2::Listener': listenerResource(model),
});

function loadBalancerResource({ aws, balancers }: LoadBalancingModel): ResourceProvider {
  const random = aws.engine.random.fork('elasticloadbalancing');
  const change = (balancer: LoadBalancer, properties: ResourceProperties) => {
    const groups: string[] = properties.SecurityGroups ?? [];
    for (const id of groups) aws.ec2.requireSecurityGroup(id);
    balancer.securityGroupIds = groups;
    balancer.nodes = nodesIn(aws, balancer.nodes, properties.Subnets ?? []);
    balancer.attributes = pairs(properties.LoadBalancerAttributes);
    balancer.tags = pairs(properties.Tags);
  };
  return {
    create: ({ type, properties, generateName }) => {
      if ((properties.Type ?? 'application') !== 'application')
        throw validation(`the embedded cloud models application load balancers, not ${properties.Type}`);
      const taken = [...balancers.loadBalancers.values()].some(({ name }) => name === properties.Name);
      const name = freeName(type, properties.Name ?? generateName(maxName), taken);
      const fullName = `app/${name}/${random.hex(16)}`;
      const internal = properties.Scheme === 'internal';
      const balancer: LoadBalancer = {
        arn: arn(aws, 'elasticloadbalancing', `loadbalancer/${fullName}`),
        fullName,
        name,
        dnsName: `${internal ? 'internal-' : ''}${name}-${random.int(100_000_000, 1_999_999_999)}.${aws.region}.elb.amazonaws.com`,
        hostedZoneId: hostedZones[aws.region] ?? hostedZones['eu-west-1']!,
        scheme: internal ? 'internal' : 'internet-facing',
        createdAt: aws.engine.clock.now(),
        nodes: new Map(),
        securityGroupIds: [],
        attributes: {},
        tags: {},
      };
      change(balancer, properties);
      balancers.loadBalancers.set(balancer.arn, balancer);
      return { physicalId: balancer.arn, attributes: attributesOf(balancer) };
    },
    update: ({ physicalId, properties }) => {
      const balancer = balancers.loadBalancer(physicalId);
      change(balancer, properties);
      return { physicalId, attributes: attributesOf(balancer) };
    },
    delete: ({ physicalId }) => {
      const balancer = balancers.loadBalancers.get(physicalId);
      if (balancer !== undefined) nodesIn(aws, balancer.nodes, []);
      balancers.loadBalancers.delete(physicalId);
    },
  };
}

/** "You must specify subnets from at least two Availability Zones." (API Reference, CreateLoadBalancer.) */
function nodesIn(
  aws: AwsNeighbours,
  before: ReadonlyMap<string, string>,
  subnetIds: readonly string[],
): Map<string, string> {
  const zones = new Set(subnetIds.map((id) => aws.ec2.zoneOfSubnet(id)));
  if (subnetIds.length > 0 && zones.size < 2)
    throw validation('At least two subnets in two different Availability Zones must be specified');
  for (const [subnetId, address] of before)
    if (!subnetIds.includes(subnetId)) aws.ec2.releaseAddress(subnetId, address);
  return new Map(subnetIds.map((id) => [id, before.get(id) ?? aws.ec2.takeAddress(id)]));
}

const attributesOf = (balancer: LoadBalancer) => ({
  LoadBalancerArn: balancer.arn,
  LoadBalancerFullName: balancer.fullName,
  LoadBalancerName: balancer.name,
  CanonicalHostedZoneID: balancer.hostedZoneId,
  DNSName: balancer.dnsName,
  SecurityGroups: balancer.securityGroupIds,
});

function targetGroupResource({ aws, balancers, checks }: LoadBalancingModel): ResourceProvider {
  const random = aws.engine.random.fork('target groups');
  return {
    create: ({ type, properties, generateName }) => {
      const taken = [...balancers.targetGroups.values()].some((group) => group.name === properties.Name);
      const name = freeName(type, properties.Name ?? generateName(maxName), taken);
      const fullName = `targetgroup/${name}/${random.hex(16)}`;
      const group = {
        arn: arn(aws, 'elasticloadbalancing', fullName),
        fullName,
        name,
        protocol: properties.Protocol ?? 'HTTP',
        port: Number(properties.Port),
        vpcId: properties.VpcId,
        targetType: properties.TargetType === 'ip' ? ('ip' as const) : ('instance' as const),
        healthCheck: healthCheckIn(properties),
        attributes: pairs(properties.TargetGroupAttributes),
        tags: pairs(properties.Tags),
        targets: new Map(),
        turn: 0,
      };
      balancers.targetGroups.set(group.arn, group);
      checks.start(group);
      return {
        physicalId: group.arn,
        attributes: {
          TargetGroupArn: group.arn,
          TargetGroupFullName: fullName,
          TargetGroupName: name,
          LoadBalancerArns: [],
        },
      };
    },
    update: ({ physicalId, properties }) => {
      const group = balancers.targetGroup(physicalId);
      group.healthCheck = healthCheckIn(properties);
      group.attributes = pairs(properties.TargetGroupAttributes);
      group.tags = pairs(properties.Tags);
      checks.start(group);
      return {
        physicalId,
        attributes: { TargetGroupArn: group.arn, TargetGroupFullName: group.fullName, TargetGroupName: group.name },
      };
    },
    delete: ({ physicalId }) => {
      checks.stop(physicalId);
      balancers.targetGroups.delete(physicalId);
    },
  };
}

function healthCheckIn(properties: ResourceProperties): HealthCheck {
  const check = {
    path: properties.HealthCheckPath ?? defaultHealthCheck.path,
    protocol: properties.HealthCheckProtocol ?? defaultHealthCheck.protocol,
    port: String(properties.HealthCheckPort ?? defaultHealthCheck.port),
    intervalSeconds: Number(properties.HealthCheckIntervalSeconds ?? defaultHealthCheck.intervalSeconds),
    timeoutSeconds: Number(properties.HealthCheckTimeoutSeconds ?? defaultHealthCheck.timeoutSeconds),
    healthyThreshold: Number(properties.HealthyThresholdCount ?? defaultHealthCheck.healthyThreshold),
    unhealthyThreshold: Number(properties.UnhealthyThresholdCount ?? defaultHealthCheck.unhealthyThreshold),
    matcher: properties.Matcher?.HttpCode ?? defaultHealthCheck.matcher,
  };
  // (API Reference, CreateTargetGroup.)
  if (check.timeoutSeconds >= check.intervalSeconds)
    throw validation(
      `Health check interval '${check.intervalSeconds}' must be greater than the timeout '${check.timeoutSeconds}'`,
    );
  return check;
}

function listenerResource({ aws, balancers }: LoadBalancingModel): ResourceProvider {
  const random = aws.engine.random.fork('listeners');
  const settings = (properties: ResourceProperties) => {
    const protocol: string = properties.Protocol ?? 'HTTP';
    const certificateArns = ((properties.Certificates ?? []) as { CertificateArn: string }[]).map(
      ({ CertificateArn }) => CertificateArn,
    );
    if (protocol === 'HTTPS') requireIssued(aws, certificateArns);
    const port = Number(properties.Port);
    return { protocol, port, certificateArns, sslPolicy: properties.SslPolicy, action: actionIn(properties) };
  };
  return {
    create: ({ properties }) => {
      const balancer = balancers.loadBalancer(properties.LoadBalancerArn);
      const ListenerArn = arn(aws, 'elasticloadbalancing', `listener/${balancer.fullName}/${random.hex(16)}`);
      const listener = { arn: ListenerArn, loadBalancerArn: balancer.arn, ...settings(properties) };
      if (balancers.listenersOf(balancer.arn).some(({ port }) => port === listener.port))
        throw validation('A listener already exists on this port for this load balancer');
      balancers.listeners.set(ListenerArn, listener);
      return { physicalId: ListenerArn, attributes: { ListenerArn } };
    },
    update: ({ physicalId, properties }) => {
      Object.assign(balancers.listener(physicalId), settings(properties));
      return { physicalId, attributes: { ListenerArn: physicalId } };
    },
    delete: ({ physicalId }) => void balancers.listeners.delete(physicalId),
  };
}

/** "Certificate must be provided for HTTPS listeners", and one that is issued. */
function requireIssued(aws: AwsNeighbours, certificateArns: readonly string[]): void {
  const [first] = certificateArns;
  if (first === undefined) throw validation('A certificate must be specified for HTTPS listeners');
  if (!aws.acm.isIssued(first))
    throw validation(
      `The certificate '${first}' must have a fully-qualified domain name, a supported signature, and be issued`,
    );
}

function actionIn({ DefaultActions }: ResourceProperties): Action {
  const [action] = DefaultActions as ResourceProperties[];
  const { Type, TargetGroupArn, ForwardConfig, RedirectConfig, FixedResponseConfig } = action!;
  if (Type === 'redirect') {
    const { Protocol = '#{protocol}', Port = '#{port}', StatusCode } = RedirectConfig;
    return { type: 'redirect', protocol: Protocol, port: Port, statusCode: StatusCode };
  }
  if (Type === 'fixed-response') {
    const { StatusCode, MessageBody = '', ContentType = 'text/plain' } = FixedResponseConfig;
    return { type: 'fixed-response', statusCode: StatusCode, body: MessageBody, contentType: ContentType };
  }
  const targetGroupArn = TargetGroupArn ?? ForwardConfig?.TargetGroups?.[0]?.TargetGroupArn;
  if (Type !== 'forward' || targetGroupArn === undefined)
    throw validation(`the embedded cloud does not model the action ${Type} of a listener`);
  return { type: 'forward', targetGroupArn };
}

const pairs = (list: readonly { Key: string; Value: string }[] | undefined): Record<string, string> =>
  Object.fromEntries((list ?? []).map(({ Key, Value }) => [Key, String(Value)]));
