import { DeleteStackCommand, UpdateStackCommand } from '@aws-sdk/client-cloudformation';
import { DescribeAlarmsCommand, GetDashboardCommand } from '@aws-sdk/client-cloudwatch';
import { DescribeLogGroupsCommand, DescribeMetricFiltersCommand } from '@aws-sdk/client-cloudwatch-logs';
import { DescribeRuleCommand, ListTargetsByRuleCommand } from '@aws-sdk/client-eventbridge';
import { DescribeKeyCommand } from '@aws-sdk/client-kms';
import {
  GetFunctionCommand,
  GetFunctionEventInvokeConfigCommand,
  GetPolicyCommand,
  ListFunctionsCommand,
} from '@aws-sdk/client-lambda';
import { DescribeSecretCommand, GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { GetTopicAttributesCommand, ListSubscriptionsByTopicCommand } from '@aws-sdk/client-sns';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { GetParameterCommand } from '@aws-sdk/client-ssm';
import { expect, it } from 'vitest';
import { stackWorld } from '../../cloudformation/testing/stack-world.ts';

const arn = (id: string) => ({ 'Fn::GetAtt': [id, 'Arn'] });

/** One of each resource type of these services. */
const template = (change: { timeout: number; threshold: number; retention: number }) => ({
  Resources: {
    Key: { Type: 'AWS::KMS::Key', Properties: { Description: 'd', EnableKeyRotation: true } },
    Alias: { Type: 'AWS::KMS::Alias', Properties: { AliasName: 'alias/mine', TargetKeyId: { Ref: 'Key' } } },
    Role: {
      Type: 'AWS::IAM::Role',
      Properties: {
        AssumeRolePolicyDocument: {
          Version: '2012-10-17',
          Statement: [{ Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' }],
        },
      },
    },
    LogGroup: { Type: 'AWS::Logs::LogGroup', Properties: { LogGroupName: '/fn', RetentionInDays: change.retention } },
    Filter: {
      Type: 'AWS::Logs::MetricFilter',
      Properties: {
        LogGroupName: { Ref: 'LogGroup' },
        FilterPattern: '{ $.level = "error" }',
        MetricTransformations: [{ MetricName: 'Errors', MetricNamespace: 'App', MetricValue: '1' }],
      },
    },
    Function: {
      Type: 'AWS::Lambda::Function',
      Properties: {
        FunctionName: 'fn',
        Role: arn('Role'),
        Runtime: 'nodejs24.x',
        Handler: 'index.handler',
        Code: { ZipFile: 'exports.handler = async (event) => event' },
        Timeout: change.timeout,
        LoggingConfig: { LogGroup: { Ref: 'LogGroup' } },
        Tags: [{ Key: 'k', Value: 'v' }],
      },
    },
    Version: { Type: 'AWS::Lambda::Version', Properties: { FunctionName: { Ref: 'Function' } } },
    AliasOfFunction: {
      Type: 'AWS::Lambda::Alias',
      Properties: {
        FunctionName: { Ref: 'Function' },
        Name: 'live',
        FunctionVersion: { 'Fn::GetAtt': ['Version', 'Version'] },
      },
    },
    Retries: {
      Type: 'AWS::Lambda::EventInvokeConfig',
      Properties: { FunctionName: { Ref: 'Function' }, Qualifier: '$LATEST', MaximumRetryAttempts: 1 },
    },
    Rule: {
      Type: 'AWS::Events::Rule',
      Properties: { EventPattern: { source: ['x'] }, Targets: [{ Id: 't', Arn: arn('Function') }] },
    },
    Permission: {
      Type: 'AWS::Lambda::Permission',
      Properties: {
        Action: 'lambda:InvokeFunction',
        FunctionName: arn('Function'),
        Principal: 'events.amazonaws.com',
        SourceArn: arn('Rule'),
      },
    },
    Topic: { Type: 'AWS::SNS::Topic', Properties: { KmsMasterKeyId: { Ref: 'Key' } } },
    Subscription: {
      Type: 'AWS::SNS::Subscription',
      Properties: { TopicArn: { Ref: 'Topic' }, Protocol: 'email', Endpoint: 'a@example.test' },
    },
    TopicPolicy: {
      Type: 'AWS::SNS::TopicPolicy',
      Properties: {
        Topics: [{ Ref: 'Topic' }],
        PolicyDocument: {
          Version: '2012-10-17',
          Statement: [
            {
              Effect: 'Allow',
              Principal: { Service: 'cloudwatch.amazonaws.com' },
              Action: 'sns:Publish',
              Resource: { Ref: 'Topic' },
            },
          ],
        },
      },
    },
    Queue: { Type: 'AWS::SQS::Queue', Properties: { VisibilityTimeout: 60 } },
    QueuePolicy: {
      Type: 'AWS::SQS::QueuePolicy',
      Properties: { Queues: [{ Ref: 'Queue' }], PolicyDocument: { Version: '2012-10-17', Statement: [] } },
    },
    Alarm: {
      Type: 'AWS::CloudWatch::Alarm',
      Properties: {
        AlarmName: 'alarm',
        Namespace: 'App',
        MetricName: 'Errors',
        Statistic: 'Sum',
        Period: 60,
        EvaluationPeriods: 1,
        Threshold: change.threshold,
        ComparisonOperator: 'GreaterThanThreshold',
        AlarmActions: [{ Ref: 'Topic' }],
      },
    },
    Composite: {
      Type: 'AWS::CloudWatch::CompositeAlarm',
      Properties: { AlarmName: 'composite', AlarmRule: { 'Fn::Join': ['', ['ALARM("', { Ref: 'Alarm' }, '")']] } },
    },
    Dashboard: {
      Type: 'AWS::CloudWatch::Dashboard',
      Properties: { DashboardName: 'd', DashboardBody: '{"widgets":[]}' },
    },
    Secret: {
      Type: 'AWS::SecretsManager::Secret',
      Properties: {
        Name: 's',
        GenerateSecretString: {
          SecretStringTemplate: '{"user":"me"}',
          GenerateStringKey: 'password',
          PasswordLength: 20,
        },
      },
    },
    Parameter: { Type: 'AWS::SSM::Parameter', Properties: { Name: '/p', Type: 'String', Value: arn('Function') } },
  },
  Outputs: {
    Topic: { Value: { Ref: 'Topic' } },
    Queue: { Value: { Ref: 'Queue' } },
    Rule: { Value: { Ref: 'Rule' } },
    Key: { Value: { Ref: 'Key' } },
    LiveArn: { Value: { Ref: 'AliasOfFunction' } },
    Secret: { Value: { Ref: 'Secret' } },
  },
});

it('makes, changes and removes every resource type of these services from a template', async () => {
  const { clock, create, describe, rest, sdk } = stackWorld();
  const Capabilities = ['CAPABILITY_IAM' as const];

  const made = await create('all', template({ timeout: 10, threshold: 1, retention: 7 }), { Capabilities });
  expect(made.StackStatus).toBe('CREATE_COMPLETE');
  const output = Object.fromEntries(
    (made.Outputs ?? []).map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue!]),
  );

  expect(output.LiveArn).toBe('arn:aws:lambda:eu-west-1:123456789012:function:fn:live');
  expect(output.Secret).toMatch(/:secret:s-\w{6}$/);
  expect(await sdk.lambda.send(new GetFunctionCommand({ FunctionName: 'fn' }))).toMatchObject({
    Configuration: { Timeout: 10, State: 'Active', LoggingConfig: { LogGroup: '/fn' } },
    Tags: { k: 'v' },
  });
  const { Policy } = await sdk.lambda.send(new GetPolicyCommand({ FunctionName: 'fn' }));
  expect(JSON.parse(Policy!).Statement).toHaveLength(1);
  expect(
    await sdk.lambda.send(new GetFunctionEventInvokeConfigCommand({ FunctionName: 'fn', Qualifier: '$LATEST' })),
  ).toMatchObject({ MaximumRetryAttempts: 1, MaximumEventAgeInSeconds: 21_600 });
  expect(await sdk.events.send(new DescribeRuleCommand({ Name: output.Rule }))).toMatchObject({
    EventPattern: '{"source":["x"]}',
  });
  const { Targets } = await sdk.events.send(new ListTargetsByRuleCommand({ Rule: output.Rule }));
  expect(Targets).toMatchObject([{ Id: 't' }]);
  const { SecretString } = await sdk.secretsmanager.send(new GetSecretValueCommand({ SecretId: 's' }));
  expect(JSON.parse(SecretString!)).toEqual({ user: 'me', password: expect.stringMatching(/^.{20}$/) });
  expect((await sdk.ssm.send(new GetParameterCommand({ Name: '/p' }))).Parameter?.Value).toMatch(/:function:fn$/);
  expect((await sdk.kms.send(new DescribeKeyCommand({ KeyId: 'alias/mine' }))).KeyMetadata?.KeyId).toBe(output.Key);
  expect((await sdk.sns.send(new GetTopicAttributesCommand({ TopicArn: output.Topic }))).Attributes?.Policy).toContain(
    'cloudwatch',
  );
  const { Subscriptions } = await sdk.sns.send(new ListSubscriptionsByTopicCommand({ TopicArn: output.Topic }));
  expect(Subscriptions).toMatchObject([{ Endpoint: 'a@example.test' }]);
  const { Attributes } = await sdk.sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: output.Queue, AttributeNames: ['All'] }),
  );
  expect(Attributes).toMatchObject({ VisibilityTimeout: '60' });
  expect((await sdk.logs.send(new DescribeMetricFiltersCommand({ logGroupName: '/fn' }))).metricFilters).toHaveLength(
    1,
  );
  expect(await sdk.cloudwatch.send(new GetDashboardCommand({ DashboardName: 'd' }))).toBeDefined();

  const TemplateBody = JSON.stringify(template({ timeout: 20, threshold: 5, retention: 30 }));
  await sdk.cloudformation.send(new UpdateStackCommand({ StackName: 'all', TemplateBody, Capabilities }));
  await rest();

  expect((await describe('all')).StackStatus).toBe('UPDATE_COMPLETE');
  expect(await sdk.lambda.send(new GetFunctionCommand({ FunctionName: 'fn' }))).toMatchObject({
    Configuration: { Timeout: 20 },
  });
  const { MetricAlarms } = await sdk.cloudwatch.send(new DescribeAlarmsCommand({ AlarmNames: ['alarm'] }));
  expect(MetricAlarms).toMatchObject([{ Threshold: 5 }]);
  expect((await sdk.logs.send(new DescribeLogGroupsCommand({}))).logGroups).toMatchObject([{ retentionInDays: 30 }]);

  await sdk.cloudformation.send(new DeleteStackCommand({ StackName: 'all' }));
  await rest();
  await clock.advance(10_000);

  expect((await sdk.lambda.send(new ListFunctionsCommand({}))).Functions).toEqual([]);
  expect((await sdk.logs.send(new DescribeLogGroupsCommand({}))).logGroups).toEqual([]);
  await expect(sdk.secretsmanager.send(new DescribeSecretCommand({ SecretId: 's' }))).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
  });
});

it('refuses layers and properties that would be ignored, naming them', async () => {
  const { create, events } = stackWorld();

  await create('layers', {
    Resources: { Layer: { Type: 'AWS::Lambda::LayerVersion', Properties: { Content: { S3Bucket: 'b', S3Key: 'k' } } } },
  });
  await create('replicas', {
    Resources: {
      Secret: { Type: 'AWS::SecretsManager::Secret', Properties: { ReplicaRegions: [{ Region: 'eu-west-3' }] } },
    },
  });

  expect(events('layers').join()).toContain('does not model AWS::Lambda::LayerVersion');
  expect(events('replicas').join()).toContain('ReplicaRegions of AWS::SecretsManager::Secret');
});
