import { DeleteStackCommand, UpdateStackCommand } from '@aws-sdk/client-cloudformation';
import { DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import { DescribeLogGroupsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { ListRulesCommand } from '@aws-sdk/client-eventbridge';
import { GetFunctionConfigurationCommand, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { DescribeSecretCommand, GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { GetParameterCommand } from '@aws-sdk/client-ssm';
import { expect, it } from 'vitest';
import { stackWorld } from '../../cloudformation/testing/stack-world.ts';

const arn = (id: string) => ({ 'Fn::GetAtt': [id, 'Arn'] });

const Statement: { Effect: string; Principal: Record<string, string>; Action: string; Resource: string }[] = [
  { Effect: 'Allow', Principal: { AWS: 'arn:aws:iam::123456789012:root' }, Action: 'kms:*', Resource: '*' },
  { Effect: 'Allow', Principal: { Service: 'cloudwatch.amazonaws.com' }, Action: 'kms:*', Resource: '*' },
];

/** One of each resource type of these services. */
const template = (change: { timeout: number; threshold: number; retention: number }) => ({
  Resources: {
    Key: {
      Type: 'AWS::KMS::Key',
      Properties: { Description: 'd', EnableKeyRotation: true, KeyPolicy: { Version: '2012-10-17', Statement } },
    },
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
    Rule: { Value: { Ref: 'Rule' } },
    Key: { Value: { Ref: 'Key' } },
    Secret: { Value: { Ref: 'Secret' } },
  },
});

it('makes, changes and removes every resource type of these services from a template', async () => {
  const { world, clock, create, describe, rest, sdk } = stackWorld();
  const Capabilities = ['CAPABILITY_IAM' as const];

  const made = await create('all', template({ timeout: 10, threshold: 1, retention: 7 }), { Capabilities });
  expect(made.StackStatus).toBe('CREATE_COMPLETE');
  const output = Object.fromEntries(
    (made.Outputs ?? []).map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue!]),
  );

  expect(output.Secret).toMatch(/:secret:s-\w{6}$/);
  expect(await sdk.lambda.send(new GetFunctionConfigurationCommand({ FunctionName: 'fn' }))).toMatchObject({
    Timeout: 10,
    State: 'Active',
    LoggingConfig: { LogGroup: '/fn' },
  });
  const { Rules } = await sdk.events.send(new ListRulesCommand({}));
  expect(Rules).toMatchObject([{ Name: output.Rule, EventPattern: '{"source":["x"]}' }]);
  const { SecretString } = await sdk.secretsmanager.send(new GetSecretValueCommand({ SecretId: 's' }));
  expect(JSON.parse(SecretString!)).toEqual({ user: 'me', password: expect.stringMatching(/^.{20}$/) });
  expect((await sdk.ssm.send(new GetParameterCommand({ Name: '/p' }))).Parameter?.Value).toMatch(/:function:fn$/);
  expect(world.aws.kms.arnOf(output.Key!)).toMatch(/:key\//);
  world.aws.sns.confirm(output.Topic!, 'a@example.test');
  world.aws.sns.publishAs('cloudwatch.amazonaws.com', output.Topic!, 'subject', 'message', '');
  await clock.advance(1_000);
  expect(world.aws.sns.outbox).toMatchObject([{ endpoint: 'a@example.test' }]);

  const TemplateBody = JSON.stringify(template({ timeout: 20, threshold: 5, retention: 30 }));
  await sdk.cloudformation.send(new UpdateStackCommand({ StackName: 'all', TemplateBody, Capabilities }));
  await rest();

  expect((await describe('all')).StackStatus).toBe('UPDATE_COMPLETE');
  expect(await sdk.lambda.send(new GetFunctionConfigurationCommand({ FunctionName: 'fn' }))).toMatchObject({
    Timeout: 20,
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

it('refuses properties that would be ignored, naming them', async () => {
  const { create, events } = stackWorld();

  await create('replicas', {
    Resources: {
      Secret: { Type: 'AWS::SecretsManager::Secret', Properties: { ReplicaRegions: [{ Region: 'eu-west-3' }] } },
    },
  });

  expect(events('replicas').join()).toContain('ReplicaRegions of AWS::SecretsManager::Secret');
});

it('a function that leaves a VPC holds its security group: a template that drops both leaves the group behind', async () => {
  const { world, create, rest, sdk, events } = stackWorld();
  const vpc = { VpcConfig: { SubnetIds: [{ Ref: 'Subnet' }], SecurityGroupIds: [{ Ref: 'Group' }] } };
  const of = (properties: object, group: object) => ({
    Resources: {
      Vpc: { Type: 'AWS::EC2::VPC', Properties: { CidrBlock: '10.0.0.0/16' } },
      Subnet: { Type: 'AWS::EC2::Subnet', Properties: { VpcId: { Ref: 'Vpc' }, CidrBlock: '10.0.0.0/24' } },
      ...group,
      Role: {
        Type: 'AWS::IAM::Role',
        Properties: {
          ...template({ timeout: 1, threshold: 1, retention: 1 }).Resources.Role.Properties,
          ManagedPolicyArns: ['arn:aws:iam::aws:policy/service-role/AWSLambdaVPCAccessExecutionRole'],
        },
      },
      Function: {
        Type: 'AWS::Lambda::Function',
        Properties: {
          Role: arn('Role'),
          Runtime: 'nodejs24.x',
          Handler: 'index.handler',
          Code: { ZipFile: 'exports.handler = async (event) => event' },
          ...properties,
        },
      },
    },
  });
  const Group = {
    Type: 'AWS::EC2::SecurityGroup',
    Properties: { GroupDescription: 'functions', VpcId: { Ref: 'Vpc' } },
  };
  const Capabilities = ['CAPABILITY_IAM' as const];
  await create('placed', of(vpc, { Group }), { Capabilities });
  const groups = () => [...world.aws.ec2.network.securityGroups.values()].map(({ description }) => description);

  const TemplateBody = JSON.stringify(of({}, {}));
  await sdk.cloudformation.send(new UpdateStackCommand({ StackName: 'placed', TemplateBody, Capabilities }));
  await rest();

  expect(events('placed').join('\n')).toMatch(/Group DELETE_FAILED .*has a dependent object/);
  expect(groups()).toContain('functions');
});
