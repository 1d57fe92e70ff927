import type { Step } from '../play.ts';

const body = (name: string, more: object = {}) =>
  JSON.stringify({
    Parameters: { P: { Type: 'String', Default: 'd' } },
    Resources: {
      G: { Type: 'AWS::Logs::LogGroup', Properties: { LogGroupName: name, ...more } },
      Q: { Type: 'AWS::SSM::Parameter', Properties: { Type: 'String', Value: { Ref: 'P' } } },
    },
  });
const withRole = JSON.stringify({
  Resources: {
    R: {
      Type: 'AWS::IAM::Role',
      Properties: {
        AssumeRolePolicyDocument: {
          Version: '2012-10-17',
          Statement: [{ Effect: 'Allow', Principal: { Service: 'ec2.amazonaws.com' }, Action: 'sts:AssumeRole' }],
        },
      },
    },
  },
});
const failing = JSON.stringify({
  Resources: { Bad: { Type: 'AWS::S3::Bucket', Properties: { BucketName: 'Not_Valid' } } },
});
const holding = (name: string) =>
  JSON.stringify({ Resources: { B: { Type: 'AWS::S3::Bucket', Properties: { BucketName: `${name}-bucket` } } } });
const bucket = 'https://data.s3.eu-west-1.amazonaws.com/';
const role = 'arn:aws:iam::123456789012:role/deploy';
const topic = ['arn:aws:sns:eu-west-1:123456789012:t'];
const tags = [{ Key: 'team', Value: 'ops' }];
const parameters = [{ ParameterKey: 'P', ParameterValue: 'x' }];
const express = { DeploymentConfig: { Mode: 'EXPRESS' } };
const triggers = { RollbackConfiguration: { RollbackTriggers: [{ Arn: 'a', Type: 'AWS::CloudWatch::Alarm' }] } };
const capabilities = { Capabilities: ['CAPABILITY_IAM'] };
const stack = { StackName: 's' };
const describe: Step = ['cloudformation:DescribeStacks', {}];
const settle = 60_000;
const common = { Parameters: parameters, Tags: tags, NotificationARNs: topic, RoleARN: role };
const create = (input: object): Step => ['cloudformation:CreateStack', { ...input }];
const update = (input: object): Step => ['cloudformation:UpdateStack', { ...stack, ...input }];
const change = (ChangeSetName: string, input: object): Step => [
  'cloudformation:CreateChangeSet',
  { ...stack, ChangeSetName, ...input },
];
const changes = (ChangeSetName: string): Step => ['cloudformation:DescribeChangeSet', { ...stack, ChangeSetName }];

export const stacks: readonly Step[] = [
  ['s3:CreateBucket', { Bucket: 'data', CreateBucketConfiguration: { LocationConstraint: 'eu-west-1' } }],
  ['s3:PutObject', { Bucket: 'data', Key: 'one', Body: Buffer.from(body('/one')) }],
  ['s3:PutObject', { Bucket: 'data', Key: 'two', Body: Buffer.from(body('/s', { RetentionInDays: 7 })) }],
  create({ ...stack, ...common, TemplateBody: body('/s'), ClientRequestToken: 'c', EnableTerminationProtection: true }),
  settle,
  describe,
  ['cloudformation:DescribeStackEvents', stack],
  create({ StackName: 'url', TemplateURL: `${bucket}one` }),
  create({ StackName: 'iam', TemplateBody: withRole, ...capabilities }),
  create({ StackName: 'express', TemplateBody: body('/express'), ...express }),
  create({ StackName: 'triggers', TemplateBody: body('/triggers'), ...triggers }),
  create({ StackName: 'kept', TemplateBody: failing, DisableRollback: true }),
  create({ StackName: 'gone', TemplateBody: failing, OnFailure: 'DELETE' }),
  create({ StackName: 'slow', TemplateBody: body('/slow'), TimeoutInMinutes: 1 }),
  settle,
  ['cloudformation:ListStacks', { StackStatusFilter: ['CREATE_FAILED'] }],
  describe,
  ['cloudformation:DescribeStacks', stack],
  ['cloudformation:DescribeStacks', { NextToken: 'nonsense' }],
  ['cloudformation:DescribeStackResources', { ...stack, LogicalResourceId: 'G' }],
  ['cloudformation:DescribeStackResources', { PhysicalResourceId: '/s' }],
  ['cloudformation:ListStackResources', stack],
  ['cloudformation:GetTemplate', stack],
  ['cloudformation:GetTemplateSummary', stack],
  ['cloudformation:GetTemplateSummary', { TemplateBody: body('/x') }],
  ['cloudformation:GetTemplateSummary', { TemplateURL: `${bucket}one` }],
  update({ TemplateURL: `${bucket}two`, ClientRequestToken: 'u' }),
  settle,
  ['cloudformation:DescribeStackEvents', stack],
  update({
    UsePreviousTemplate: true,
    Parameters: [{ ParameterKey: 'P', ParameterValue: 'y' }],
    Tags: [{ Key: 'other', Value: '1' }],
    NotificationARNs: [...topic, ...topic],
    RoleARN: `${role}2`,
  }),
  settle,
  describe,
  update({ TemplateBody: body('/s', { RetentionInDays: 1 }), ...express }),
  update({ TemplateBody: body('/s', { RetentionInDays: 1 }), ...triggers }),
  ['cloudformation:UpdateStack', { StackName: 'url', TemplateBody: withRole, ...capabilities }],
  ['cloudformation:UpdateStack', { StackName: 'iam', TemplateBody: failing, DisableRollback: true }],
  settle,
  describe,
  change('c', {
    TemplateBody: body('/s', { RetentionInDays: 30 }),
    Description: 'd',
    Parameters: [{ ParameterKey: 'P', ParameterValue: 'z' }],
    Tags: tags,
    NotificationARNs: topic,
    RoleARN: `${role}3`,
  }),
  changes('c'),
  ['cloudformation:GetTemplate', { ...stack, ChangeSetName: 'c' }],
  change('url', { TemplateURL: `${bucket}one`, ...capabilities, OnStackFailure: 'DO_NOTHING' }),
  changes('url'),
  change('iam', { TemplateBody: withRole, ...capabilities }),
  change('old', { UsePreviousTemplate: true, Parameters: parameters }),
  changes('old'),
  change('express', { TemplateBody: body('/s'), ...express }),
  change('triggers', { TemplateBody: body('/s'), ...triggers }),
  [
    'cloudformation:CreateChangeSet',
    { StackName: 'new', ChangeSetName: 'n', ChangeSetType: 'CREATE', TemplateBody: failing, OnStackFailure: 'DELETE' },
  ],
  settle,
  ['cloudformation:ExecuteChangeSet', { StackName: 'new', ChangeSetName: 'n' }],
  ['cloudformation:ExecuteChangeSet', { ...stack, ChangeSetName: 'c', ClientRequestToken: 'e' }],
  settle,
  ['cloudformation:DescribeStackEvents', stack],
  describe,
  [
    'cloudformation:CreateChangeSet',
    { StackName: 'bad', ChangeSetName: 'n', ChangeSetType: 'CREATE', TemplateBody: failing },
  ],
  settle,
  ['cloudformation:ExecuteChangeSet', { StackName: 'bad', ChangeSetName: 'n', DisableRollback: true }],
  settle,
  describe,
  ['cloudformation:DeleteStack', { StackName: 'url', ClientRequestToken: 'd', ...express }],
  ['cloudformation:DeleteStack', { StackName: 'url', ClientRequestToken: 'd' }],
  ...['stuck', 'forced'].flatMap((name): Step[] => [
    create({ StackName: name, TemplateBody: holding(name) }),
    settle,
    ['s3:PutObject', { Bucket: `${name}-bucket`, Key: 'k', Body: Buffer.from('x') }],
    ['cloudformation:DeleteStack', { StackName: name }],
    settle,
  ]),
  ['cloudformation:DeleteStack', { StackName: 'stuck', RetainResources: ['B'] }],
  ['cloudformation:DeleteStack', { StackName: 'forced', DeletionMode: 'FORCE_DELETE_STACK', ClientRequestToken: 'd' }],
  ['cloudformation:DescribeStackEvents', { StackName: 'forced' }],
  settle,
  ['cloudformation:ListStacks', {}],
];

const pattern = JSON.stringify({ source: ['mine'] });
const rule = { Name: 'r' };
const list: Step = ['events:ListRules', {}];

export const events: readonly Step[] = [
  ['events:PutRule', { ...rule, EventPattern: pattern, Description: 'd', State: 'DISABLED', RoleArn: role }],
  ['events:PutRule', { Name: 'q', ScheduleExpression: 'rate(1 hour)' }],
  ['events:PutRule', { Name: 'both', EventPattern: pattern, ScheduleExpression: 'rate(1 hour)' }],
  ['events:PutRule', { Name: 'bus', EventPattern: pattern, EventBusName: 'none' }],
  list,
  ['events:ListRules', { NamePrefix: 'q' }],
  ['events:ListRules', { EventBusName: 'none' }],
  ['events:ListRules', { Limit: 1 }],
  ['events:ListRules', ({ ListRules }) => ({ NextToken: ListRules.NextToken })],
  ['events:PutTargets', { Rule: 'r', Targets: [{ Id: 't', Arn: 'arn:aws:sns:eu-west-1:123456789012:t' }] }],
  ['events:PutEvents', { Entries: [{ Source: 'mine', DetailType: 'd', Detail: '{}' }] }],
  ['events:DeleteRule', rule],
  ['events:RemoveTargets', { Rule: 'r', Ids: ['t'] }],
  ['route53:CreateHostedZone', { Name: 'example.com', CallerReference: 'x', HostedZoneConfig: { Comment: 'c' } }],
];
