import {
  bakeNoteFolder,
  functionName,
  functionsOf,
  hostReportFolder,
  imageFolder,
  imageParameterName,
  otherReleaseObject,
  releaseObject,
  scalingModes,
  typeMemoryFolder,
} from '@drover/core/names/runner-fleet';
import { drillObject, roomObject, softwareObject, spreadObject } from '@drover/core/names/search-cluster';
import { functionLog } from '@drover/operator/fleet/function-log';
import type { OpenFleet } from '@drover/operator/fleet/open-fleet';
import { outputNamed } from '@drover/operator/output/read-outputs';
import type { Watched } from './stacks.ts';

interface Statement {
  readonly Sid: string;
  readonly Effect: 'Allow';
  readonly Action: readonly string[];
  readonly Resource: string | readonly string[];
}

/** The IAM policy that a role needs for `drover console` on these stacks, and no more: read permissions only. */
export function readPolicy(watched: Watched) {
  const arn = arnIn(watched.stackArns[0] ?? '');
  const { fleet, cluster, functions } = watched;
  const logGroups = [
    ...new Set([
      ...functions.map(({ logGroup }) => logGroup),
      ...(fleet === undefined ? [] : [jobLog(fleet), ...logsOfAnyMode(fleet)]),
    ]),
  ];
  const allow = (Sid: string, Action: readonly string[], Resource: Statement['Resource']): Statement => ({
    Sid,
    Effect: 'Allow',
    Action,
    Resource,
  });
  const secrets = [
    ...(fleet === undefined ? [] : [platformSecret(fleet)]),
    ...(cluster === undefined ? [] : [outputNamed(cluster.outputs, cluster.stack, 'elastic_secret_id')]),
    ...authorityOf(cluster),
  ];
  const objects = objectArns(watched);
  const bakes = bakesImages(fleet);
  const statements = [
    allow(
      'Stacks',
      ['cloudformation:DescribeStacks', 'cloudformation:ListStackResources'],
      // A stack that is asked for by its name is any stack of that name.
      watched.stackArns.map((stackArn) => stackArn.replace(/[^/]*$/, '*')),
    ),
    // None of these can be limited to resources.
    allow(
      'Groups',
      [
        'autoscaling:DescribeAutoScalingGroups',
        'autoscaling:DescribeInstanceRefreshes',
        'autoscaling:DescribeScalingActivities',
        'autoscaling:DescribeWarmPool',
        'cloudwatch:GetMetricStatistics',
        'ec2:DescribeInstances',
        ...(bakes ? ['ec2:DescribeImages', 'ec2:DescribeSnapshots'] : []),
        'ec2:DescribeRouteTables',
        'ec2:DescribeSubnets',
        'ec2:DescribeTags',
        'ec2:DescribeVpcEndpoints',
        ...(cluster === undefined ? [] : ['elasticloadbalancing:DescribeTargetHealth']),
        'ssm:DescribeInstanceInformation',
      ],
      '*',
    ),
    allow('Alarms', ['cloudwatch:DescribeAlarms', 'cloudwatch:DescribeAlarmHistory'], arn('cloudwatch', 'alarm:*')),
    allow(
      'Logs',
      ['logs:FilterLogEvents'],
      logGroups.map((group) => arn('logs', `log-group:${group}:*`)),
    ),
    allow(
      'Secrets',
      ['secretsmanager:GetSecretValue'],
      secrets.flatMap((id) => secretPatterns(id.startsWith('arn:') ? id : arn('secretsmanager', `secret:${id}`))),
    ),
    ...(fleet === undefined
      ? []
      : [
          allow(
            'FleetSettings',
            ['lambda:GetFunctionConfiguration', 'lambda:GetFunctionConcurrency'],
            suffixesOfAnyMode.map((suffix) => arn('lambda', `function:${functionName(fleet.groupName, suffix)}`)),
          ),
        ]),
    ...(bakes
      ? [
          allow(
            'Images',
            ['ssm:GetParameter'],
            fleet!.groups.map(({ groupName }) => arn('ssm', `parameter${imageParameterName(groupName)}`)),
          ),
        ]
      : []),
    allow('Objects', ['s3:GetObject'], objects),
    // Without it S3 refuses an object that does not exist instead of saying so.
    allow('Buckets', ['s3:ListBucket'], [...new Set(objects.map((one) => one.replace(/\/.*/, '')))]),
  ];
  return { Version: '2012-10-17' as const, Statement: statements };
}

/** The secret with the authority's certificate; its key is in another one. */
function authorityOf(cluster: Watched['cluster']): string[] {
  const secretId = cluster?.outputs.get('ca_certificate_secret_id');
  return secretId === undefined ? [] : [secretId];
}

/** ARNs in the partition, region and account of a stack. */
function arnIn(stackArn: string) {
  const [, partition, , region, account] = stackArn.split(':');
  return (service: string, rest: string) => ['arn', partition, service, region, account, rest].join(':');
}

/** The memory of the fleet, the runner software that it has mirrored and the reports of its hosts; notes of the cluster and the pointer to its software. */
function objectArns({ stackArns: [stackArn = ''], fleet, cluster }: Watched): string[] {
  const arn = (bucket: string, key: string) => `arn:${stackArn.split(':')[1]}:s3:::${bucket}/${key}`;
  const { bucket = '', key = '' } = fleet?.config.memory ?? {};
  return [
    ...(fleet === undefined
      ? []
      : [key, ...typeKeys(fleet), releaseObject, `${hostReportFolder}*`, ...bakeKeys(fleet)].map((one) =>
          arn(bucket, one),
        )),
    ...(cluster?.outputs.has('state_bucket') === true
      ? [spreadObject, softwareObject, drillObject, roomObject].map((one) => arn(cluster.stateBucket(), one))
      : []),
  ];
}

const typeKeys = ({ types }: OpenFleet): string[] => (types.length === 0 ? [] : [`${typeMemoryFolder}*`]);

const bakesImages = (fleet: OpenFleet | undefined): boolean => fleet?.imageBakeDays !== undefined;

/** Notes and reports of bakes, and the runner software of a second architecture. */
const bakeKeys = (fleet: OpenFleet): string[] =>
  bakesImages(fleet) ? [`${bakeNoteFolder}*`, `${imageFolder}*`, otherReleaseObject] : [];

const jobLog = ({ outputs, stack }: OpenFleet): string => outputNamed(outputs, stack, 'instance_log_group');

/** The fleet may be changed to the other mode, which has a function more, and may begin to bake its images. */
const suffixesOfAnyMode = [...new Set(scalingModes.flatMap((mode) => functionsOf(mode, true)))];
const logsOfAnyMode = ({ outputs }: OpenFleet): string[] =>
  suffixesOfAnyMode.flatMap((suffix) => functionLog(outputs, suffix) ?? []);

const platformSecret = ({ config: { authentication } }: OpenFleet): string =>
  authentication.kind === 'token' ? authentication.secretArn : authentication.pemSecretArn;

/** Secrets Manager adds six letters to the name in the ARN: an ARN may be given with or without them. */
const secretPatterns = (arn: string): string[] => [arn, `${arn}-??????`];
