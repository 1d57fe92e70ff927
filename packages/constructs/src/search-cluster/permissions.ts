import {
  clusterUuidTag,
  deploymentObject,
  discoveryTags,
  drainReasonTag,
  drillObject,
  growthObject,
  launchNoteTag,
  metricNamespace,
  recoveryObject,
  restartTag,
  roomObject,
  softwareFolder,
  softwareTag,
  spreadObject,
  stateObjects,
  upgradeObject,
} from '@drover/core/names/search-cluster';
import { Aws, Stack } from 'aws-cdk-lib';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Bucket, CfnBucket } from 'aws-cdk-lib/aws-s3';
import { allow, groupArn, instanceArn, remoteAgentStatements, wildcardFinding } from '../statements.ts';
import type { ClusterBuckets } from './buckets.ts';
import type { GroupSettings } from './groups/group-settings.ts';
import type { ClusterSecrets } from './secrets.ts';
import type { SearchClusterSettings } from './settings.ts';

export interface ClusterStores {
  readonly secrets: ClusterSecrets;
  readonly buckets: ClusterBuckets;
}

/** Permissions of a node: the hooks, secrets and buckets of its own cluster only. */
export function nodeStatements(
  group: GroupSettings,
  settings: SearchClusterSettings,
  { secrets, buckets }: ClusterStores,
): PolicyStatement[] {
  return [
    ...groupStatements(group, settings),
    ...instanceStatements(settings),
    ...secretStatements(secrets, Object.values(settings.keystoreSecrets ?? {})),
    ...bucketStatements(group, settings, buckets),
    ...snapshotKeyStatements(settings),
    allow(['cloudwatch:PutMetricData'], ['*'], { StringEquals: { 'cloudwatch:namespace': metricNamespace } }),
    ...remoteAgentStatements(),
  ];
}

/** Groups that full disks give more nodes. */
const countedGroups = ({ nodes }: SearchClusterSettings) =>
  Object.values(nodes).filter(({ count, maxCount }) => maxCount > count);

/** Whether full disks give any group more nodes or larger volumes. */
export const growsByItself = (settings: SearchClusterSettings): boolean =>
  countedGroups(settings).length > 0 || settings.dataVolumeMaxSize !== undefined;

/** All groups of a cluster. */
export const groupArns = ({ nodes }: SearchClusterSettings) => Object.values(nodes).map(({ name }) => groupArn(name));

function groupStatements({ key }: GroupSettings, settings: SearchClusterSettings): PolicyStatement[] {
  const groups = groupArns(settings);
  return [
    allow(
      [
        'autoscaling:DescribeAutoScalingGroups',
        'autoscaling:DescribeAutoScalingInstances',
        'autoscaling:DescribeInstanceRefreshes',
        'autoscaling:DescribeLifecycleHooks',
        'autoscaling:DescribeScalingActivities',
      ],
      ['*'],
    ),
    allow(
      [
        'autoscaling:CancelInstanceRefresh',
        'autoscaling:CompleteLifecycleAction',
        'autoscaling:RecordLifecycleActionHeartbeat',
      ],
      groups,
    ),
    // A master terminates retained instances once they have left the cluster; the elected one spreads the masters over the zones, and gives
    // groups with full disks one node more, up to their largest size.
    ...(key === 'master'
      ? [
          allow(['autoscaling:TerminateInstanceInAutoScalingGroup'], groups),
          allow(
            ['autoscaling:SetDesiredCapacity'],
            [settings.nodes.master, ...countedGroups(settings)].map(({ name }) => groupArn(name)),
          ),
        ]
      : []),
  ];
}

function instanceStatements({ clusterName, environment }: SearchClusterSettings): PolicyStatement[] {
  return [
    allow(['ec2:DescribeInstances', 'ec2:DescribeInstanceStatus', 'ec2:DescribeTags'], ['*']),
    allow(['ec2:CreateTags'], [instanceArn('*')], {
      StringEquals: {
        [`aws:ResourceTag/${discoveryTags.cluster}`]: clusterName,
        [`aws:ResourceTag/${discoveryTags.environment}`]: environment,
      },
      'ForAllValues:StringEquals': { 'aws:TagKeys': [clusterUuidTag, drainReasonTag, launchNoteTag, softwareTag] },
    }),
    // By this tag a node is taken out of its load balancer: it may ask for itself alone.
    allow(['ec2:CreateTags'], [instanceArn('*')], {
      // biome-ignore lint/suspicious/noTemplateCurlyInString: policy variables are written this way
      ArnEquals: { 'ec2:SourceInstanceARN': instanceArn('${ec2:InstanceID}') },
      'ForAllValues:StringEquals': { 'aws:TagKeys': [restartTag] },
    }),
  ];
}

function secretStatements(secrets: ClusterSecrets, keystore: readonly string[]): PolicyStatement[] {
  const { elastic, kibanaSystem, exporter, kibanaTokenArn } = secrets;
  const passwords = [elastic.secretArn, kibanaSystem.secretArn, exporter?.secretArn ?? [], kibanaTokenArn ?? []].flat();
  return [
    allow(['secretsmanager:GetSecretValue'], [...passwords, secrets.caCertificateArn, secrets.caKeyArn, ...keystore]),
    allow(
      ['secretsmanager:DescribeSecret', 'secretsmanager:PutSecretValue', 'secretsmanager:UpdateSecretVersionStage'],
      passwords,
    ),
  ];
}

const repositoryActions = {
  bucket: ['s3:GetBucketLocation', 's3:ListBucket', 's3:ListBucketMultipartUploads', 's3:ListBucketVersions'],
  objects: [
    's3:AbortMultipartUpload',
    's3:DeleteObject',
    's3:GetObject',
    's3:ListMultipartUploadParts',
    's3:PutObject',
  ],
};

const replicaArns = ({ snapshotReplicaBucket: name }: SearchClusterSettings): string[] =>
  name === undefined ? [] : [`arn:${Aws.PARTITION}:s3:::${name}`];

function bucketStatements(
  { key: group }: GroupSettings,
  settings: SearchClusterSettings,
  { snapshots, state }: ClusterBuckets,
): PolicyStatement[] {
  const grows = group === 'master' && growsByItself(settings);
  const replica = replicaArns(settings);
  const own = [...(group === 'master' ? masterObjects : []), ...(grows ? [roomObject] : [])];
  return [
    // Permissions that the repository plugin needs (Elasticsearch reference, "S3 repository", recommended permissions).
    allow(repositoryActions.bucket, [snapshots.bucketArn, ...replica]),
    allow(repositoryActions.objects, [snapshots.arnForObjects('*'), ...replica.map((arn) => `${arn}/*`)]),
    allow(
      ['s3:GetObject', 's3:PutObject'],
      [...Object.values(stateObjects), deploymentObject, ...own].map((key) => state.arnForObjects(key)),
    ),
    allow(
      ['s3:GetObject'],
      [upgradeObject('*'), `${softwareFolder}*`, ...(grows ? [growthObject] : [])].map((key) =>
        state.arnForObjects(key),
      ),
    ),
    // Without it S3 returns 403 instead of 404 while an object does not exist yet.
    allow(['s3:ListBucket'], [state.bucketArn]),
  ];
}

/** Upload in parts decrypts, too (S3 User Guide, "Uploading a large file with SSE-KMS encryption"). */
const snapshotKeyStatements = ({ snapshotKmsKeyArn: key }: SearchClusterSettings): PolicyStatement[] =>
  key === undefined
    ? []
    : [
        allow(['kms:Decrypt', 'kms:GenerateDataKey'], [key], {
          StringEquals: { 'kms:ViaService': `s3.${Aws.REGION}.${Aws.URL_SUFFIX}` },
        }),
      ];

/** A master's notes about restore drills, the recovery of a whole cluster and the zones of the masters. */
const masterObjects = [drillObject, recoveryObject('*'), spreadObject];

/** Of the intents of upgrades, the notes of recoveries and the software, by the name of the finding of cdk-nag. */
export const upgradesReason = (state: Bucket): Readonly<Record<string, string>> => ({
  ...stateObjectsFinding(state, upgradeObject('*'), 'the versions of later upgrades are not known'),
  ...stateObjectsFinding(
    state,
    recoveryObject('*'),
    'the note of a recovery has the name of the cluster that is recovered',
  ),
  ...stateObjectsFinding(state, `${softwareFolder}*`, 'archives are named by their content'),
});

/** Why a policy names several objects of the state bucket. */
export function stateObjectsFinding(state: Bucket, keys: string, reason: string): Readonly<Record<string, string>> {
  const id = Stack.of(state).getLogicalId(state.node.defaultChild as CfnBucket);
  return { [`Resource::<${id}.Arn>/${keys}`]: reason };
}

/** Why the policies contain wildcards, by the name of each finding of cdk-nag. */
export function wildcardReasons(
  settings: SearchClusterSettings,
  snapshotsId: string,
): Readonly<Record<string, string>> {
  const group = "the group's uuid is not known before it exists; its name is fixed";
  return {
    'Resource::*':
      'Describe calls, PutMetricData and message channels know no narrower resource; a condition narrows them where one exists',
    ...Object.fromEntries(groupArns(settings).map((arn) => [wildcardFinding(arn), group])),
    [wildcardFinding(instanceArn('*'))]:
      'the nodes of this cluster are not known; a condition on their tags narrows it',
    [`Resource::<${snapshotsId}.Arn>/*`]: 'the repository names its objects itself',
    ...Object.fromEntries(
      replicaArns(settings).map((arn) => [wildcardFinding(`${arn}/*`), 'the repository names its objects itself']),
    ),
  };
}
