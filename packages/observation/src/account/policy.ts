import { functionName, functionsOf, scalingModes } from '@drover/core/names/runner-fleet';
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
  ];
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
        'ec2:DescribeInstances',
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
            ['lambda:GetFunctionConfiguration'],
            arn('lambda', `function:${functionName(fleet.groupName, 'deregistration')}`),
          ),
          allow('FleetMemory', ['s3:GetObject'], memoryArn(watched.stackArns[0] ?? '', fleet)),
        ]),
  ];
  return { Version: '2012-10-17' as const, Statement: statements };
}

/** ARNs in the partition, region and account of a stack. */
function arnIn(stackArn: string) {
  const [, partition, , region, account] = stackArn.split(':');
  return (service: string, rest: string) => ['arn', partition, service, region, account, rest].join(':');
}

const memoryArn = (stackArn: string, { config: { memory } }: OpenFleet): string =>
  `arn:${stackArn.split(':')[1]}:s3:::${memory.bucket}/${memory.key}`;

const jobLog = ({ outputs, stack }: OpenFleet): string => outputNamed(outputs, stack, 'instance_log_group');

/** The fleet may be changed to the other mode, which has a function more. */
const logsOfAnyMode = ({ outputs }: OpenFleet): string[] =>
  scalingModes.flatMap(functionsOf).flatMap((suffix) => functionLog(outputs, suffix) ?? []);

const platformSecret = ({ config: { authentication } }: OpenFleet): string =>
  authentication.kind === 'token' ? authentication.secretArn : authentication.pemSecretArn;

/** Secrets Manager adds six letters to the name in the ARN: an ARN may be given with or without them. */
const secretPatterns = (arn: string): string[] => [arn, `${arn}-??????`];
