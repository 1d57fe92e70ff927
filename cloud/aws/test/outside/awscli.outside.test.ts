import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Served } from '@drover/cloud-engine';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AwsError } from '../../src/account/errors.ts';
import { FakeAws } from '../../src/wire/fake-aws.test-support.ts';
import { serveAws } from '../../src/wire/wire.ts';
import { outsideClients } from './outside-client.ts';

const content = Buffer.from('content of an object');
const at = new Date('2026-02-03T04:05:06Z');
const object = { ContentLength: content.length, LastModified: at, ETag: '"e"' };

const aws = new FakeAws({
  'autoscaling.DescribeAutoScalingGroups': () => ({ AutoScalingGroups: [{ AutoScalingGroupName: 'g', MinSize: 1 }] }),
  'ec2.DescribeInstances': () => ({ Reservations: [{ Instances: [{ InstanceId: 'i-1', LaunchTime: at }] }] }),
  'monitoring.PutMetricData': () => undefined,
  'secretsmanager.GetSecretValue': () => {
    throw new AwsError('ResourceNotFoundException', "Secrets Manager can't find the specified secret.");
  },
  'lambda.Invoke': () => ({ StatusCode: 200, Payload: Buffer.from('{"ok":true}') }),
  'route53.ListHostedZones': () => ({ HostedZones: [{ Id: '/hostedzone/Z1', Name: 'a.', CallerReference: 'c' }] }),
  's3.ListObjectsV2': () => ({ Contents: [{ Key: 'a/b.txt', Size: 20, LastModified: at }] }),
  's3.HeadObject': () => object,
  's3.GetObject': () => ({ ...object, Body: content }),
  's3.PutObject': () => ({ ETag: '"e"' }),
});

let [served, folder]: [Served | undefined, string] = [undefined, ''];
beforeAll(async () => {
  served = await serveAws(aws);
  folder = await mkdtemp(join(tmpdir(), 'awscli-'));
  await writeFile(join(folder, 'up.txt'), content);
});
afterAll(async () => {
  await served?.close();
  await rm(folder, { recursive: true });
});
beforeEach(() => void aws.seen.splice(0));

interface Told {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Nothing of this machine's own configuration is used. */
const environment = {
  PATH: process.env.PATH,
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  AWS_DEFAULT_REGION: 'eu-west-1',
  AWS_CONFIG_FILE: devNull,
  AWS_SHARED_CREDENTIALS_FILE: devNull,
  AWS_EC2_METADATA_DISABLED: 'true',
  AWS_PAGER: '',
  AWS_MAX_ATTEMPTS: '1',
};

function run(command: string, line: string): Promise<Told> {
  const args = [...line.split(' '), '--endpoint-url', served?.url ?? '', '--output', 'json'];
  return new Promise((resolve) => {
    execFile(command, args, { cwd: folder, env: environment }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    );
  });
}

const clis = outsideClients('aws', 'apt-get install awscli');

describe.each(clis)('the AWS CLI of $path $reason', ({ path, missing }) => {
  it.skipIf(missing).each([
    ['autoscaling describe-auto-scaling-groups --auto-scaling-group-names g', { AutoScalingGroups: [{ MinSize: 1 }] }],
    ['ec2 describe-instances --instance-ids i-1', { Reservations: [{ Instances: [{ InstanceId: 'i-1' }] }] }],
    ['lambda invoke --function-name f answer.json', { StatusCode: 200 }],
    ['route53 list-hosted-zones', { HostedZones: [{ Id: '/hostedzone/Z1' }] }],
  ])('understands the response to %s', async (line, answer) => {
    const { code, stdout, stderr } = await run(path, line);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject(answer);
  });

  it.skipIf(missing)('publishes metrics', async () => {
    const { code } = await run(path, 'cloudwatch put-metric-data --namespace Fleet --metric-name Idle --value 3');
    expect(code).toBe(0);
    expect(aws.onlyInput).toMatchObject({ Namespace: 'Fleet', MetricData: [{ MetricName: 'Idle', Value: 3 }] });
  });

  it.skipIf(missing)('shows the code and message of an error', async () => {
    const { code, stderr } = await run(path, 'secretsmanager get-secret-value --secret-id none');
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/ResourceNotFoundException.*can't find the specified secret/);
  });

  it.skipIf(missing)('says that an operation is not modelled', async () => {
    const { stderr } = await run(path, 'iam list-roles');
    expect(stderr).toMatch(/NotImplemented.*iam:ListRoles/);
  });

  it.skipIf(missing)('copies objects to and from S3', async () => {
    const up = await run(path, 's3 cp up.txt s3://bucket/a/b.txt');
    const sent = aws.seen.find(({ operation }) => operation === 's3.PutObject')?.input as { Body: Uint8Array };
    const down = await run(path, 's3 cp s3://bucket/a/b.txt down.txt');
    expect([up.code, down.code]).toEqual([0, 0]);
    expect(Buffer.from(sent.Body)).toEqual(content);
    expect(await readFile(join(folder, 'down.txt'))).toEqual(content);
  });
});
