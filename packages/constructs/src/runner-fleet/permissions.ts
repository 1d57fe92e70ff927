import {
  type FunctionSuffix,
  hostReportFolder,
  latestRunner,
  metricNamespace,
  releaseFolder,
  tags,
  tokenSecretPrefix,
  typeMemoryFolder,
} from '@drover/core/names/runner-fleet';
import { Aws, type CfnElement, Stack } from 'aws-cdk-lib';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import {
  allow,
  instanceArn,
  local,
  groupArn as namedGroupArn,
  remoteAgentStatements,
  wildcardFinding,
} from '../statements.ts';
import type { RunnerFleetSettings } from './settings.ts';
import { type FleetSettings, groupNames, ownGroupNames } from './types/type-settings.ts';

/** Key of the functions' own object in the memory bucket. */
export const memoryKey = 'fleet-memory.json';

const tokenSecretArn = (groupName: string) => local('secretsmanager', `secret:${tokenSecretPrefix(groupName)}*`);
/** A group of a type is known by its name and its tag: a list of twenty names, at every action, is too long for a role. */
const typeGroupArn = (groupName: string) => namedGroupArn(`${groupName}-*`);

/** Groups of types and on-demand fallbacks: they have the fleet's name before theirs, and its tag. */
export const hasFurtherGroups = ({ hasTypes, hasFallback }: Pick<FleetSettings, 'hasTypes' | 'hasFallback'>): boolean =>
  hasTypes || hasFallback;

/** The functions serve the groups of all types. */
function onGroups(actions: string[], { groupName, ...settings }: FleetSettings): PolicyStatement[] {
  const ofFleet = { StringEquals: { [`autoscaling:ResourceTag/${tags.fleet}`]: groupName } };
  return [
    allow(actions, [namedGroupArn(groupName)]),
    ...(hasFurtherGroups(settings) ? [allow(actions, [typeGroupArn(groupName)], ofFleet)] : []),
  ];
}

const tokenSecretArns = (settings: FleetSettings) => groupNames(settings).map(tokenSecretArn);
/** Secrets of types. Another fleet may have a name that begins so: their tag names theirs. */
const typeSecretArn = (groupName: string) => tokenSecretArn(`${groupName}-*`);

/** By tags and not by the list of types: hosts of a type that was removed still drain. */
function onSecrets({ groupName, hasTypes }: FleetSettings): PolicyStatement[] {
  const ofFleet = { StringEquals: { [`secretsmanager:ResourceTag/${tags.fleet}`]: groupName } };
  const ofTypes = [typeSecretArn(groupName)];
  return [
    allow(['secretsmanager:DeleteSecret', 'secretsmanager:DescribeSecret'], [tokenSecretArn(groupName)]),
    ...(hasTypes
      ? [
          allow(['secretsmanager:DeleteSecret'], ofTypes, ofFleet),
          // A condition on the tag could not distinguish a missing secret from a denied one.
          allow(['secretsmanager:DescribeSecret'], ofTypes),
        ]
      : []),
  ];
}

/** Exactly the calls that each function makes. */
export function functionStatements(suffix: FunctionSuffix, settings: FleetSettings, memory: Bucket): PolicyStatement[] {
  // Its rights are those of a bake: neither credentials nor memory of the other functions.
  if (suffix === 'image') return [];
  const ofTypes = settings.hasTypes ? [memory.arnForObjects(`${typeMemoryFolder}*`)] : [];
  const readGroup = allow(
    [
      'autoscaling:DescribeAutoScalingGroups',
      'autoscaling:DescribeWarmPool',
      ...(suffix === 'runner_version' ? [] : ['autoscaling:DescribeScalingActivities']),
    ],
    ['*'],
  );
  const common = [
    readGroup,
    allow(['s3:GetObject', 's3:PutObject'], [memory.arnForObjects(memoryKey), ...ofTypes]),
    // Without it S3 returns 403 instead of 404 while the object does not exist yet.
    allow(['s3:ListBucket'], [memory.bucketArn]),
    allow(['secretsmanager:GetSecretValue'], credentialArns(settings)),
  ];
  // Of types that were removed.
  const forget = suffix === 'demand' && ofTypes.length > 0 ? [allow(['s3:DeleteObject'], ofTypes)] : [];
  return [...common, ...forget, ...own(suffix, settings, memory)];
}

/** The given ARN may lack the six random characters that Secrets Manager appends to a name. */
function credentialArns({ platformTokenSecretArn, platformAppPemSecretArn }: RunnerFleetSettings): string[] {
  const given = platformTokenSecretArn ?? platformAppPemSecretArn ?? '';
  return [given, `${given}-??????`];
}

function own(suffix: Exclude<FunctionSuffix, 'image'>, settings: FleetSettings, memory: Bucket): PolicyStatement[] {
  const completeHooks = onGroups(['autoscaling:CompleteLifecycleAction'], settings);
  const metrics = allow(['cloudwatch:PutMetricData'], ['*'], {
    StringEquals: { 'cloudwatch:namespace': metricNamespace(settings.vendor) },
  });
  switch (suffix) {
    case 'record_metric':
      return [metrics];
    case 'demand':
      return [
        ...onGroups(['autoscaling:SetDesiredCapacity', 'autoscaling:TerminateInstanceInAutoScalingGroup'], settings),
        allow(['s3:GetObject'], [memory.arnForObjects(`${hostReportFolder}*`)]),
      ];
    case 'runner_version':
      return [
        metrics,
        allow(['s3:GetObject', 's3:PutObject', 's3:DeleteObject'], [memory.arnForObjects(`${releaseFolder}*`)]),
        allow(['s3:GetObject'], [memory.arnForObjects(`${hostReportFolder}*`)]),
        ...onGroups(
          [
            'autoscaling:SetInstanceHealth',
            'autoscaling:SuspendProcesses',
            ...(settings.scalingMode === 'jobs' ? [] : ['autoscaling:SetDesiredCapacity']),
          ],
          settings,
        ),
      ];
    case 'registration':
      return [
        metrics,
        ...completeHooks,
        allow(['s3:GetObject'], [memory.arnForObjects(`${hostReportFolder}*`)]),
        ...onGroups(['autoscaling:RecordLifecycleActionHeartbeat'], settings),
        allow(
          [
            'secretsmanager:CreateSecret',
            ...(settings.scalingMode === 'jobs' ? ['secretsmanager:DeleteSecret'] : []),
            'secretsmanager:DescribeSecret',
            'secretsmanager:PutSecretValue',
            'secretsmanager:TagResource',
          ],
          tokenSecretArns(settings),
        ),
      ];
    case 'deregistration':
      return [
        ...completeHooks,
        allow(['secretsmanager:ListSecrets'], ['*']),
        ...onSecrets(settings),
        allow(['s3:GetObject'], [memory.arnForObjects(`${hostReportFolder}*`)]),
        allow(['ec2:DescribeTags', 'ssm:ListCommandInvocations'], ['*']),
        allow(['ssm:SendCommand'], [`arn:${Aws.PARTITION}:ssm:${Aws.REGION}::document/AWS-RunShellScript`]),
        allow(['ssm:SendCommand'], [instanceArn('*')], {
          StringEquals: { 'aws:ResourceTag/aws:autoscaling:groupName': settings.groupName },
        }),
        ...(hasFurtherGroups(settings)
          ? [
              allow(['ssm:SendCommand'], [instanceArn('*')], {
                StringEquals: { [`aws:ResourceTag/${tags.fleet}`]: settings.groupName },
              }),
            ]
          : []),
        ...onGroups(['autoscaling:SetInstanceHealth', 'autoscaling:SetInstanceProtection'], settings),
      ];
  }
}

/** Lambda manages network interfaces with these (Lambda developer guide, "Giving Lambda functions access to resources in an Amazon VPC"). */
const networkActions = [
  'ec2:CreateNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:DeleteNetworkInterface',
  'ec2:AssignPrivateIpAddresses',
  'ec2:UnassignPrivateIpAddresses',
];

/** Outside a VPC, for the interfaces of a function that was in one: Lambda deletes them in its own time, with the function's role. */
const leavingActions = ['ec2:DescribeNetworkInterfaces', 'ec2:DeleteNetworkInterface'];

/**
 * Permissions that Lambda itself needs of a function's role: its log and its network interfaces. The function's code
 * may not do the latter.
 */
export function lambdaStatements(name: string, logGroupArn: string, inVpc: boolean): PolicyStatement[] {
  const ofInterfaces = inVpc ? networkActions : leavingActions;
  return [
    allow(['logs:CreateLogStream', 'logs:PutLogEvents'], [logGroupArn]),
    allow([...ofInterfaces], ['*']),
    new PolicyStatement({
      effect: Effect.DENY,
      actions: [...ofInterfaces],
      resources: ['*'],
      conditions: { ArnEquals: { 'lambda:SourceFunctionArn': local('lambda', `function:${name}`) } },
    }),
  ];
}

/**
 * Permissions of an instance: its own token, its own hooks, its own report, nothing of other instances. The streams of
 * the log group cannot be distinguished: no variable of a policy has an instance's id alone, and a stream's name takes
 * no ARN.
 */
export function instanceStatements(
  settings: RunnerFleetSettings,
  memory: Bucket,
  logGroupArn: string,
): PolicyStatement[] {
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: policy variables are written this way
  const ownSecret = {
    StringEquals: { [`secretsmanager:ResourceTag/${tags.secretInstance}`]: '${ec2:SourceInstanceARN}' },
  };
  const ownInstance = { ArnEquals: { 'ec2:SourceInstanceARN': instanceArn('${ec2:InstanceID}') } };
  const ownReport = memory.arnForObjects(`${hostReportFolder}${'${ec2:SourceInstanceARN}'}`);
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: policy variables are written this way
  const secretArn = tokenSecretArn(settings.groupName);
  return [
    allow(['secretsmanager:GetSecretValue', 'secretsmanager:DeleteSecret'], [secretArn], ownSecret),
    // Allowed for the tokens of all instances: a condition on the tag could not distinguish a missing secret from a denied one.
    allow(['secretsmanager:DescribeSecret'], [secretArn]),
    allow(['autoscaling:DescribeAutoScalingInstances'], ['*']),
    allow(
      [
        'autoscaling:CompleteLifecycleAction',
        'autoscaling:RecordLifecycleActionHeartbeat',
        'autoscaling:SetInstanceProtection',
      ],
      ownGroupNames(settings).map(namedGroupArn),
    ),
    allow(['s3:PutObject'], [ownReport]),
    allow(['logs:CreateLogStream', 'logs:PutLogEvents'], [logGroupArn]),
    ...(settings.runnerVersion === latestRunner
      ? [allow(['s3:GetObject'], [memory.arnForObjects(`${releaseFolder}*`)])]
      : []),
    // For the agents of release 0.1.0 that drain while a stack is updated: without their tag they send no heartbeat.
    allow(['ec2:CreateTags'], [instanceArn('*')], {
      ...ownInstance,
      'ForAllValues:StringEquals': { 'aws:TagKeys': [tags.agentLiveness] },
    }),
    ...remoteAgentStatements(),
  ];
}

/** Why the policies contain wildcards, by the name of each finding of cdk-nag. */
export function wildcardReasons(
  groups: readonly string[],
  memory: Bucket,
  hasTypes = false,
): Readonly<Record<string, string>> {
  const memoryId = Stack.of(memory).getLogicalId(memory.node.defaultChild as CfnElement);
  return {
    [`Resource::<${memoryId}.Arn>/${hostReportFolder}*`]: 'one object for each instance; the instances are not known',
    [`Resource::<${memoryId}.Arn>/${releaseFolder}*`]: 'one archive for each version; the versions are not known',
    'Resource::*':
      'Describe and List calls, PutMetricData, message channels and network interfaces know no narrower resource; a condition narrows them where one exists',
    ...Object.fromEntries(
      groups.flatMap((group) => [
        [wildcardFinding(namedGroupArn(group)), "the group's uuid is not known before it exists; its name is fixed"],
        [
          wildcardFinding(tokenSecretArn(group)),
          'one secret for each instance; the instances of this group are not known',
        ],
      ]),
    ),
    ...(hasTypes
      ? {
          [`Resource::<${memoryId}.Arn>/${typeMemoryFolder}*`]: 'one object for each type',
          [wildcardFinding(typeGroupArn(groups[0]!))]: 'the groups of types; a condition on their tag narrows it',
          [wildcardFinding(typeSecretArn(groups[0]!))]:
            'one secret for each instance of a type; a condition on their tag narrows their deletion',
        }
      : {}),
    [wildcardFinding(instanceArn('*'))]:
      'the instances of this group are not known; a condition on tag or sender narrows it',
  };
}
