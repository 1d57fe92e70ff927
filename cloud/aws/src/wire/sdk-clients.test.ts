import {
  AlreadyExistsFault,
  AutoScalingClient,
  CreateAutoScalingGroupCommand,
  DescribeTagsCommand,
  paginateDescribeAutoScalingGroups,
} from '@aws-sdk/client-auto-scaling';
import {
  CloudWatchClient,
  DescribeAlarmsCommand,
  InvalidNextToken,
  PutMetricDataCommand,
  SetAlarmStateCommand,
} from '@aws-sdk/client-cloudwatch';
import { DescribeInstancesCommand, EC2Client, RunInstancesCommand } from '@aws-sdk/client-ec2';
import {
  GetFunctionCommand,
  InvokeCommand,
  LambdaClient,
  ResourceNotFoundException as NoFunction,
} from '@aws-sdk/client-lambda';
import { ChangeResourceRecordSetsCommand, NoSuchHostedZone, Route53Client } from '@aws-sdk/client-route-53';
import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { describe, expect, it } from 'vitest';
import { AwsError } from '../account/errors.ts';
import { inProcessClientConfig } from './client-config.ts';
import { credentials, FakeAws } from './fake-aws.test-support.ts';

const awkward = 'a <b> & "c" \'d\' ä 漢 😀\nline';
const at = new Date('2026-02-03T04:05:06.789Z');
const configFor = (aws: FakeAws) => inProcessClientConfig(aws, credentials);

describe('Query', () => {
  it('carries structures, lists and text that needs escaping', async () => {
    const aws = new FakeAws({ 'autoscaling.CreateAutoScalingGroup': () => undefined });
    const input = {
      AutoScalingGroupName: awkward,
      MinSize: 0,
      MaxSize: 3,
      Tags: [{ Key: 'k', Value: awkward, PropagateAtLaunch: true }],
      LifecycleHookSpecificationList: [
        { LifecycleHookName: 'launching', LifecycleTransition: 'autoscaling:EC2_INSTANCE_LAUNCHING' },
      ],
    };

    await new AutoScalingClient(configFor(aws)).send(new CreateAutoScalingGroupCommand(input));

    expect(aws.onlyInput).toEqual(input);
  });

  it('keeps an empty list apart from an absent one', async () => {
    const aws = new FakeAws({ 'autoscaling.DescribeTags': () => ({ Tags: [] }) });

    const output = await new AutoScalingClient(configFor(aws)).send(new DescribeTagsCommand({ Filters: [] }));

    expect(aws.onlyInput).toEqual({ Filters: [] });
    expect(output.Tags).toEqual([]);
  });

  it("throws the SDK's own error class, by the code that the service documents", async () => {
    const aws = new FakeAws({
      'autoscaling.CreateAutoScalingGroup': () => {
        throw new AwsError('AlreadyExists', awkward);
      },
    });
    const input = { AutoScalingGroupName: 'group', MinSize: 0, MaxSize: 0 };

    const failure = new AutoScalingClient(configFor(aws)).send(new CreateAutoScalingGroupCommand(input));

    await expect(failure).rejects.toThrow(AlreadyExistsFault);
    await expect(failure).rejects.toMatchObject({ message: awkward, $metadata: { httpStatusCode: 400 } });
  });

  it('lets paginators walk every page', async () => {
    const aws = new FakeAws({
      'autoscaling.DescribeAutoScalingGroups': ({ NextToken = '0' }: { NextToken?: string }) => ({
        AutoScalingGroups: [{ AutoScalingGroupName: `group-${NextToken}`, CreatedTime: at }],
        NextToken: NextToken === '2' ? undefined : String(Number(NextToken) + 1),
      }),
    });

    const names: unknown[] = [];
    for await (const page of paginateDescribeAutoScalingGroups({ client: new AutoScalingClient(configFor(aws)) }, {}))
      names.push(page.AutoScalingGroups?.[0]?.AutoScalingGroupName, page.AutoScalingGroups?.[0]?.CreatedTime);

    expect(names).toEqual(['group-0', at, 'group-1', at, 'group-2', at]);
  });

  it('responds with a request id that the client shows', async () => {
    const aws = new FakeAws({ 'sts.GetCallerIdentity': () => ({ Account: '123456789012' }) });
    const output = await new STSClient(configFor(aws)).send(new GetCallerIdentityCommand({}));
    expect(output.$metadata.requestId).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('EC2', () => {
  it('reads lists in its own encoding and writes sets', async () => {
    const aws = new FakeAws({
      'ec2.DescribeInstances': () => ({
        Reservations: [{ Instances: [{ InstanceId: 'i-1', LaunchTime: at, Tags: [{ Key: 'a', Value: awkward }] }] }],
      }),
    });
    const input = { InstanceIds: ['i-1', 'i-2'], Filters: [{ Name: 'tag:a', Values: ['x', 'y'] }] };

    const output = await new EC2Client(configFor(aws)).send(new DescribeInstancesCommand(input));

    expect(aws.onlyInput).toEqual(input);
    expect(output.Reservations?.[0]?.Instances?.[0]).toMatchObject({
      LaunchTime: at,
      Tags: [{ Key: 'a', Value: awkward }],
    });
  });

  it('names a missing parameter as EC2 does', async () => {
    const aws = new FakeAws({ 'ec2.RunInstances': () => ({}) });
    const failure = new EC2Client(configFor(aws)).send(new RunInstancesCommand({ MinCount: 1 } as never));
    await expect(failure).rejects.toMatchObject({
      name: 'MissingParameter',
      message: 'The request must contain the parameter MaxCount',
    });
    expect(aws.seen).toEqual([]);
  });
});

describe('JSON', () => {
  it('carries blobs, dates and text', async () => {
    const secret = { ARN: 'arn', Name: awkward, CreatedDate: at, SecretBinary: new Uint8Array([0, 255, 10]) };
    const aws = new FakeAws({ 'secretsmanager.GetSecretValue': () => secret });

    const output = await new SecretsManagerClient(configFor(aws)).send(
      new GetSecretValueCommand({ SecretId: awkward }),
    );

    expect(aws.onlyInput).toEqual({ SecretId: awkward });
    expect(output).toMatchObject({ ...secret, SecretBinary: expect.anything() });
    expect([...(output.SecretBinary ?? [])]).toEqual([0, 255, 10]);
  });

  it("throws the SDK's own error class", async () => {
    const aws = new FakeAws({
      'secretsmanager.GetSecretValue': () => {
        throw new AwsError('ResourceNotFoundException', "Secrets Manager can't find the specified secret.");
      },
    });
    const failure = new SecretsManagerClient(configFor(aws)).send(new GetSecretValueCommand({ SecretId: 'x' }));
    await expect(failure).rejects.toThrow(ResourceNotFoundException);
  });

  it('names an absent required member before anything is called', async () => {
    const aws = new FakeAws({ 'secretsmanager.GetSecretValue': () => ({}) });
    const failure = new SecretsManagerClient(configFor(aws)).send(new GetSecretValueCommand({} as never));
    await expect(failure).rejects.toMatchObject({
      name: 'ValidationException',
      message: expect.stringContaining(
        "Value null at 'secretId' failed to satisfy constraint: Member must not be null",
      ),
    });
    expect(aws.seen).toEqual([]);
  });

  it('gives clients of services that once spoke Query the codes of that time', async () => {
    const aws = new FakeAws({
      'monitoring.DescribeAlarms': () => {
        throw new AwsError('InvalidNextToken', 'The token is invalid.');
      },
    });

    const failure = new CloudWatchClient(configFor(aws)).send(new DescribeAlarmsCommand({ NextToken: 'x' }));

    await expect(failure).rejects.toThrow(InvalidNextToken);
    await expect(failure).rejects.toMatchObject({ Code: 'InvalidNextToken', Type: 'Sender' });
  });

  it('reads metric data that the client compressed, as it does above 10 KiB', async () => {
    const aws = new FakeAws({ 'monitoring.PutMetricData': () => undefined });
    const MetricData = Array.from({ length: 400 }, (_, i) => ({ MetricName: `metric-${i}`, Value: i, Timestamp: at }));
    const client = new CloudWatchClient({ ...configFor(aws), disableRequestCompression: false });

    await client.send(new PutMetricDataCommand({ Namespace: 'Fleet', MetricData }));

    expect(aws.onlyInput).toEqual({ Namespace: 'Fleet', MetricData });
  });

  it('responds to an operation without output with no body', async () => {
    const aws = new FakeAws({ 'monitoring.SetAlarmState': () => undefined });
    const input = { AlarmName: 'a', StateValue: 'OK' as const, StateReason: 'test' };
    await expect(new CloudWatchClient(configFor(aws)).send(new SetAlarmStateCommand(input))).resolves.toBeDefined();
  });
});

describe('REST with JSON', () => {
  it('binds members to path, query, headers and body', async () => {
    const aws = new FakeAws({
      'lambda.Invoke': () => ({
        StatusCode: 200,
        FunctionError: 'Unhandled',
        Payload: Buffer.from('{"errorMessage":"x"}'),
      }),
    });
    const input = {
      FunctionName: 'arn:aws:lambda:eu-west-1:1:function:f',
      Qualifier: '$LATEST',
      InvocationType: 'RequestResponse' as const,
    };

    const output = await new LambdaClient(configFor(aws)).send(
      new InvokeCommand({ ...input, Payload: Buffer.from('{}') }),
    );

    expect(aws.onlyInput).toMatchObject(input);
    expect(output).toMatchObject({ StatusCode: 200, FunctionError: 'Unhandled' });
    expect(Buffer.from(output.Payload ?? []).toString()).toBe('{"errorMessage":"x"}');
  });

  it('keeps an absent payload absent', async () => {
    const aws = new FakeAws({ 'lambda.Invoke': () => ({ StatusCode: 202 }) });
    await new LambdaClient(configFor(aws)).send(new InvokeCommand({ FunctionName: 'f', InvocationType: 'Event' }));
    expect(aws.onlyInput).toEqual({ FunctionName: 'f', InvocationType: 'Event' });
  });

  it('uses the documented status of an error that says none', async () => {
    const aws = new FakeAws({
      'lambda.GetFunction': () => {
        throw new AwsError('ResourceNotFoundException', 'Function not found');
      },
    });
    const failure = new LambdaClient(configFor(aws)).send(new GetFunctionCommand({ FunctionName: 'f' }));
    await expect(failure).rejects.toThrow(NoFunction);
    await expect(failure).rejects.toMatchObject({ message: 'Function not found', $metadata: { httpStatusCode: 404 } });
  });
});

describe('REST with XML', () => {
  const change = {
    HostedZoneId: 'Z1',
    ChangeBatch: {
      Comment: awkward,
      Changes: [
        {
          Action: 'UPSERT' as const,
          ResourceRecordSet: {
            Name: 'a.example.',
            Type: 'A' as const,
            TTL: 60,
            ResourceRecords: [{ Value: '10.0.0.1' }],
          },
        },
      ],
    },
  };

  it('reads a document beside what is in the path', async () => {
    const answer = { ChangeInfo: { Id: 'C1', Status: 'PENDING', SubmittedAt: at } };
    const aws = new FakeAws({ 'route53.ChangeResourceRecordSets': () => answer });

    const output = await new Route53Client(configFor(aws)).send(new ChangeResourceRecordSetsCommand(change));

    expect(aws.onlyInput).toEqual(change);
    expect(output).toMatchObject(answer);
  });

  it("throws the SDK's own error class", async () => {
    const aws = new FakeAws({
      'route53.ChangeResourceRecordSets': () => {
        throw new AwsError('NoSuchHostedZone', 'No hosted zone found with ID: Z1');
      },
    });
    const failure = new Route53Client(configFor(aws)).send(new ChangeResourceRecordSetsCommand(change));
    await expect(failure).rejects.toThrow(NoSuchHostedZone);
  });
});

describe('every protocol', () => {
  it('shows the caller', async () => {
    const aws = new FakeAws({ 'monitoring.DescribeAlarms': () => ({ MetricAlarms: [] }) });
    await new CloudWatchClient(configFor(aws)).send(new DescribeAlarmsCommand({}));
    expect(aws.seen[0]?.caller.credentials).toEqual({ accessKeyId: 'AKIDEXAMPLE', sessionToken: 'token' });
  });

  it.each([
    ['sts:GetCallerIdentity', (aws: FakeAws) => new STSClient(configFor(aws)).send(new GetCallerIdentityCommand({}))],
    ['ec2:DescribeInstances', (aws: FakeAws) => new EC2Client(configFor(aws)).send(new DescribeInstancesCommand({}))],
    [
      'monitoring:DescribeAlarms',
      (aws: FakeAws) => new CloudWatchClient(configFor(aws)).send(new DescribeAlarmsCommand({})),
    ],
    [
      'lambda:GetFunction',
      (aws: FakeAws) => new LambdaClient(configFor(aws)).send(new GetFunctionCommand({ FunctionName: 'f' })),
    ],
  ])('responds with 501 and the name for %s, which is not modelled', async (name, send) => {
    await expect(send(new FakeAws({}))).rejects.toMatchObject({
      name: 'NotImplemented',
      message: expect.stringContaining(name),
      $metadata: { httpStatusCode: 501 },
    });
  });

  it('lets an error of the model itself through, with its stack', async () => {
    const aws = new FakeAws({
      'sts.GetCallerIdentity': () => {
        throw new TypeError('a mistake in the model');
      },
    });
    await expect(new STSClient(configFor(aws)).send(new GetCallerIdentityCommand({}))).rejects.toThrow(TypeError);
  });

  it.each([
    [{ Arnn: 'x' }, 'Arnn is no member of GetCallerIdentityResponse'],
    [{ Arn: 7 }, 'Arn must be a string, not a number'],
  ])('refuses to send an output that its schema does not allow: %j', async (output, message) => {
    const aws = new FakeAws({ 'sts.GetCallerIdentity': () => output });
    await expect(new STSClient(configFor(aws)).send(new GetCallerIdentityCommand({}))).rejects.toThrow(message);
  });
});
