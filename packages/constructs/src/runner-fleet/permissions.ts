import { type FunctionSuffix, metricNamespace, tags, tokenSecretPrefix } from '@drover/core/names/runner-fleet';
import { Aws } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { memoryKey } from './functions.ts';
import type { RunnerFleetSettings } from './settings.ts';

const local = (service: string, resource: string) =>
  `arn:${Aws.PARTITION}:${service}:${Aws.REGION}:${Aws.ACCOUNT_ID}:${resource}`;

export const instanceArn = (id: string): string => local('ec2', `instance/${id}`);

/** The group's ARN; its uuid is not known before it exists. */
const groupArn = (settings: RunnerFleetSettings) =>
  local('autoscaling', `autoScalingGroup:*:autoScalingGroupName/${settings.groupName}`);
const tokenSecretArn = (settings: RunnerFleetSettings) =>
  local('secretsmanager', `secret:${tokenSecretPrefix(settings.groupName)}*`);
const allow = (
  actions: string[],
  resources: string[],
  conditions?: Record<string, Record<string, string | string[]>>,
) => new PolicyStatement({ actions, resources, ...(conditions === undefined ? {} : { conditions }) });

/** Exactly the calls that each function makes. */
export function functionStatements(
  suffix: FunctionSuffix,
  settings: RunnerFleetSettings,
  memory: Bucket,
): PolicyStatement[] {
  const { inputs } = settings;
  const credentials = inputs.platformTokenSecretArn ?? inputs.platformAppPemSecretArn;
  const common = [
    allow(
      [
        'autoscaling:DescribeAutoScalingGroups',
        'autoscaling:DescribeWarmPool',
        'autoscaling:DescribeScalingActivities',
      ],
      ['*'],
    ),
    allow(['s3:GetObject', 's3:PutObject'], [memory.arnForObjects(memoryKey)]),
    allow(['s3:ListBucket'], [memory.bucketArn]),
    allow(['cloudwatch:PutMetricData'], ['*'], {
      StringEquals: { 'cloudwatch:namespace': metricNamespace(settings.vendor) },
    }),
    ...(credentials === undefined ? [] : [allow(['secretsmanager:GetSecretValue'], [`${credentials}*`])]),
  ];
  return [...common, ...own(suffix, settings)];
}

function own(suffix: FunctionSuffix, settings: RunnerFleetSettings): PolicyStatement[] {
  const hooks = allow(
    ['autoscaling:CompleteLifecycleAction', 'autoscaling:RecordLifecycleActionHeartbeat'],
    [groupArn(settings)],
  );
  const listSecrets = allow(['secretsmanager:ListSecrets'], ['*']);
  switch (suffix) {
    case 'record_metric':
      return [];
    case 'registration':
      return [
        hooks,
        listSecrets,
        allow(
          ['secretsmanager:CreateSecret', 'secretsmanager:TagResource', 'secretsmanager:PutSecretValue'],
          [tokenSecretArn(settings)],
        ),
      ];
    case 'deregistration':
      return [
        hooks,
        listSecrets,
        allow(['secretsmanager:DeleteSecret'], [tokenSecretArn(settings)]),
        allow(['ec2:DescribeTags', 'ssm:ListCommandInvocations'], ['*']),
        allow(['ssm:SendCommand'], [`arn:${Aws.PARTITION}:ssm:${Aws.REGION}::document/AWS-RunShellScript`]),
        allow(['ssm:SendCommand'], [instanceArn('*')], {
          StringEquals: { 'aws:ResourceTag/aws:autoscaling:groupName': settings.groupName },
        }),
        allow(
          [
            'autoscaling:SetInstanceHealth',
            'autoscaling:SetInstanceProtection',
            'autoscaling:TerminateInstanceInAutoScalingGroup',
          ],
          [groupArn(settings)],
        ),
      ];
  }
}

/** What an instance may do: its own token, its own hooks, its own tag, nothing of its neighbours. */
export function instanceStatements(settings: RunnerFleetSettings): PolicyStatement[] {
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: policy variables are written this way
  const ownSecret = {
    StringEquals: { [`secretsmanager:ResourceTag/${tags.secretInstance}`]: '${ec2:SourceInstanceARN}' },
  };
  const ownInstance = { ArnEquals: { 'ec2:SourceInstanceARN': instanceArn('${ec2:InstanceID}') } };
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: policy variables are written this way
  return [
    allow(['secretsmanager:GetSecretValue', 'secretsmanager:DeleteSecret'], [tokenSecretArn(settings)], ownSecret),
    // Whether a token waits may be asked for any name: a condition on the tag could not tell an absent secret from a refusal.
    allow(['secretsmanager:DescribeSecret'], [tokenSecretArn(settings)]),
    allow(['autoscaling:DescribeAutoScalingInstances'], ['*']),
    allow(
      [
        'autoscaling:CompleteLifecycleAction',
        'autoscaling:RecordLifecycleActionHeartbeat',
        'autoscaling:SetInstanceProtection',
      ],
      [groupArn(settings)],
    ),
    allow(['ec2:CreateTags'], [instanceArn('*')], {
      ...ownInstance,
      'ForAllValues:StringEquals': { 'aws:TagKeys': [tags.agentLiveness] },
    }),
  ];
}
