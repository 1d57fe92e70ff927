import { groupNames, hooks, stateObjects } from '@drover/core/names/search-cluster';
import { type DeployedCluster, mastersHost } from './deployed-cluster.ts';
import { userDataWith } from './search-image.ts';

/** Exactly what a search node's role allows. */
const nodePolicy = [
  'autoscaling:CancelInstanceRefresh',
  'autoscaling:CompleteLifecycleAction',
  'autoscaling:DescribeAutoScalingGroups',
  'autoscaling:DescribeAutoScalingInstances',
  'autoscaling:DescribeInstanceRefreshes',
  'autoscaling:DescribeLifecycleHooks',
  'autoscaling:DescribeScalingActivities',
  'autoscaling:RecordLifecycleActionHeartbeat',
  'autoscaling:SetDesiredCapacity',
  'autoscaling:TerminateInstanceInAutoScalingGroup',
  'cloudwatch:PutMetricData',
  'ec2:CreateTags',
  'ec2:DescribeInstanceStatus',
  'ec2:DescribeInstances',
  's3:GetObject',
  's3:ListBucket',
  's3:PutObject',
  'secretsmanager:DescribeSecret',
  'secretsmanager:GetSecretValue',
  'secretsmanager:PutSecretValue',
  'secretsmanager:UpdateSecretVersionStage',
  // Without it the agent of Systems Manager asks for the rest of the machine's life.
  'ssm:UpdateInstanceInformation',
];

export const secretIds = { elastic: 'search/elastic', kibana: 'search/kibana_system' } as const;
export const launchTemplateName = 'node';

const nodeFacts = {
  elastic_secret: secretIds.elastic,
  kibana_system_secret: secretIds.kibana,
  snapshots_bucket: 'search-snapshots',
  state_bucket: 'search-state',
};

/** Makes the two groups of a cluster by API calls, as its template does; resolves when every instance is in service. */
export async function createGroups(
  deployed: DeployedCluster,
  sizes: { readonly masters: number; readonly data: number; readonly mostData?: number; readonly version?: string },
): Promise<void> {
  const { clusterName } = deployed;
  await createRole(deployed, sizes.version);
  await deployed.aws('s3', 'CreateBucket', { Bucket: nodeFacts.state_bucket });
  for (const secret of Object.values(secretIds))
    await deployed.aws('secretsmanager', 'CreateSecret', { Name: secret, SecretString: `initial-${secret}` });
  await createGroup(deployed, groupNames.master(clusterName), sizes.masters, sizes.masters + 1);
  await createGroup(deployed, groupNames.data(clusterName), sizes.data, sizes.mostData ?? sizes.data);
  const all = sizes.masters + sizes.data;
  if (!(await deployed.clock.runUntil(() => deployed.inService().length === all, 2 * 3_600_000)))
    throw new Error(`only ${deployed.inService().length} instances came into service: ${deployed.report()}`);
  // As the masters' next configuration run notes it.
  const formed = JSON.stringify({ cluster_uuid: deployed.core.state.clusterUUID });
  deployed.world.operate.putObject(nodeFacts.state_bucket, stateObjects.formed, Buffer.from(formed));
}

async function createRole(deployed: DeployedCluster, version: string | undefined): Promise<void> {
  const document = (statement: object) => JSON.stringify({ Version: '2012-10-17', Statement: [statement] });
  const trust = { Effect: 'Allow', Principal: { Service: 'ec2.amazonaws.com' }, Action: 'sts:AssumeRole' };
  await deployed.aws('iam', 'CreateRole', { RoleName: 'node', AssumeRolePolicyDocument: document(trust) });
  await deployed.aws('iam', 'PutRolePolicy', {
    RoleName: 'node',
    PolicyName: 'node',
    PolicyDocument: document({ Effect: 'Allow', Action: nodePolicy, Resource: '*' }),
  });
  await deployed.aws('iam', 'CreateInstanceProfile', { InstanceProfileName: 'node' });
  await deployed.aws('iam', 'AddRoleToInstanceProfile', { InstanceProfileName: 'node', RoleName: 'node' });
  const { clusterName } = deployed;
  const versioned = { version, cluster_name: clusterName, master_url: `http://${mastersHost(clusterName)}` };
  const LaunchTemplateData = {
    ImageId: 'ami-0a10000000000c241',
    InstanceType: 'r6i.4xlarge',
    IamInstanceProfile: { Name: 'node' },
    UserData: Buffer.from(
      userDataWith({ ...nodeFacts, ...(version === undefined ? {} : { ...versioned, version }) }),
    ).toString('base64'),
  };
  await deployed.aws('ec2', 'CreateLaunchTemplate', { LaunchTemplateName: launchTemplateName, LaunchTemplateData });
}

async function createGroup(deployed: DeployedCluster, name: string, size: number, most: number): Promise<void> {
  await deployed.aws('autoscaling', 'CreateAutoScalingGroup', {
    AutoScalingGroupName: name,
    MinSize: size,
    MaxSize: most,
    DesiredCapacity: size,
    AvailabilityZones: [...deployed.world.aws.zones],
    LaunchTemplate: { LaunchTemplateName: launchTemplateName, Version: '$Latest' },
    LifecycleHookSpecificationList: [hook(hooks.launching, 'LAUNCHING'), hook(hooks.terminating, 'TERMINATING')],
    InstanceLifecyclePolicy: { RetentionTriggers: { TerminateHookAbandon: 'retain' } },
  });
  // As the function that watches the groups does.
  await deployed.aws('autoscaling', 'SuspendProcesses', {
    AutoScalingGroupName: name,
    ScalingProcesses: ['AZRebalance'],
  });
}

/** As a deployment with another number of nodes does: a group may not have more than its template says. */
export async function setGroupSize(
  deployed: DeployedCluster,
  AutoScalingGroupName: string,
  size: number,
): Promise<void> {
  const sizes = { MinSize: size, MaxSize: size, DesiredCapacity: size };
  await deployed.aws('autoscaling', 'UpdateAutoScalingGroup', { AutoScalingGroupName, ...sizes });
}

const hook = (
  spec: { readonly name: string; readonly heartbeatTimeoutSeconds: number; readonly defaultResult: string },
  transition: string,
) => ({
  LifecycleHookName: spec.name,
  LifecycleTransition: `autoscaling:EC2_INSTANCE_${transition}`,
  HeartbeatTimeout: spec.heartbeatTimeoutSeconds,
  DefaultResult: spec.defaultResult,
});
