import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { AutoScalingClient, DescribeAutoScalingGroupsCommand } from '@aws-sdk/client-auto-scaling';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { Served } from '@drover/cloud-engine';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AwsError } from '../account/errors.ts';
import { credentials, FakeAws } from './fake-aws.test-support.ts';
import { serveAws } from './wire.ts';

const aws = new FakeAws({
  'autoscaling.DescribeAutoScalingGroups': () => ({ AutoScalingGroups: [{ AutoScalingGroupName: 'g' }] }),
  'autoscaling.SetDesiredCapacity': () => undefined,
  'monitoring.PutMetricData': () => undefined,
  's3.GetObject': () => ({ Body: Buffer.from('content') }),
  's3.PutObject': () => ({}),
  'secretsmanager.GetSecretValue': () => {
    throw new AwsError('ResourceNotFoundException', 'none');
  },
});
let served: Served;
beforeAll(async () => {
  served = await serveAws(aws, { maxBodyBytes: 100_000 });
});
afterAll(() => served.close());
beforeEach(() => void aws.seen.splice(0));

const authorization = (service: string) =>
  `AWS4-HMAC-SHA256 Credential=AKID/20260101/eu-west-1/${service}/aws4_request, SignedHeaders=host, Signature=x`;

interface Sent {
  readonly service?: string;
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
}

async function send({ service, method = 'POST', path = '/', headers = {}, body }: Sent) {
  const signed: Record<string, string> = service === undefined ? {} : { authorization: authorization(service) };
  const init = { method, headers: { ...signed, ...headers }, ...(body === undefined ? {} : { body: body as string }) };
  const response = await fetch(`${served.url}${path}`, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const form = { 'content-type': 'application/x-www-form-urlencoded' };
const json = (target: string) => ({ 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': target });
const cbor = { 'content-type': 'application/cbor', 'smithy-protocol': 'rpc-v2-cbor' };
const putMetricData = '/service/GraniteServiceVersion20100801/operation/PutMetricData';

describe('an SDK client over HTTP', () => {
  it('an SDK client over HTTP is served as in process', async () => {
    const client = new AutoScalingClient({ region: 'eu-west-1', credentials, endpoint: served.url });
    const { AutoScalingGroups } = await client.send(new DescribeAutoScalingGroupsCommand({}));
    client.destroy();
    expect(AutoScalingGroups).toMatchObject([{ AutoScalingGroupName: 'g' }]);
  });

  it('streams objects', async () => {
    const client = new S3Client({ region: 'eu-west-1', credentials, endpoint: served.url });
    const { Body } = await client.send(new GetObjectCommand({ Bucket: 'b', Key: 'k' }));
    expect(await Body?.transformToString()).toBe('content');
    client.destroy();
  });
});

describe('a presigned URL', () => {
  it('needs no header', async () => {
    const credential = encodeURIComponent('AKID/20260101/eu-west-1/s3/aws4_request');
    const query = `X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${credential}&X-Amz-Security-Token=t&X-Amz-Signature=s`;

    const { status, text } = await send({ method: 'GET', path: `/bucket/a%20key?${query}` });

    expect([status, text]).toEqual([200, 'content']);
    expect(aws.seen[0]).toMatchObject({
      input: { Bucket: 'bucket', Key: 'a key' },
      caller: { credentials: { accessKeyId: 'AKID', sessionToken: 't' } },
    });
  });
});

describe('a request that cannot be carried out', () => {
  it.each<[what: string, sent: Sent, status: number, says: RegExp]>([
    [
      'has no Authorization (Query)',
      { headers: form, body: 'Action=DescribeAutoScalingGroups' },
      403,
      /<Code>MissingAuthenticationToken</,
    ],
    [
      'has no Authorization (JSON)',
      { headers: json('secretsmanager.GetSecretValue'), body: '{}' },
      403,
      /"MissingAuthenticationToken"/,
    ],
    ['has no Authorization (S3)', { method: 'GET', path: '/b/k' }, 403, /<Error><Code>MissingAuthenticationToken</],
    [
      'has an unreadable Authorization',
      { headers: { ...form, authorization: 'Bearer x' }, body: 'Action=A' },
      403,
      /MissingAuthenticationToken/,
    ],
    [
      'has a cut-off credential scope',
      { headers: { ...form, authorization: 'Credential=a/b' }, body: 'Action=A' },
      403,
      /MissingAuthenticationToken/,
    ],
    [
      'is for an unknown service (JSON)',
      { service: 'dynamodb', headers: json('DynamoDB_20120810.ListTables'), body: '{}' },
      501,
      /"NotImplemented".*dynamodb:ListTables/,
    ],
    [
      'is for an unknown service (Query)',
      { service: 'rds', headers: form, body: 'Action=DescribeDBInstances' },
      501,
      /<Code>NotImplemented<.*rds:DescribeDBInstances/,
    ],
    [
      'is for an unknown service (REST)',
      { service: 'eks', method: 'GET', path: '/clusters' },
      501,
      /NotImplemented.*eks:GET \/clusters/,
    ],
    [
      'is for an operation that is not modelled',
      { service: 'autoscaling', headers: form, body: 'Action=DescribePolicies' },
      501,
      /<Code>NotImplemented<.*autoscaling:DescribePolicies/,
    ],
    ['names no action', { service: 'autoscaling', headers: form, body: '' }, 400, /MissingAction/],
    [
      'names an unknown action',
      { service: 'autoscaling', headers: form, body: 'Action=Explode' },
      400,
      /<Code>InvalidAction<.*Explode/,
    ],
    [
      'names a property of every object as action',
      { service: 'autoscaling', headers: form, body: 'Action=constructor' },
      400,
      /InvalidAction/,
    ],
    [
      'is for another version of the API',
      { service: 'autoscaling', headers: form, body: 'Action=DescribeAutoScalingGroups&Version=2009-05-15' },
      400,
      /InvalidAction/,
    ],
    [
      'names an unknown target',
      { service: 'secretsmanager', headers: json('secretsmanager.Explode'), body: '{}' },
      400,
      /UnknownOperationException/,
    ],
    [
      "names another service's target",
      { service: 'secretsmanager', headers: json('AmazonSSM.GetParameter'), body: '{}' },
      400,
      /UnknownOperationException/,
    ],
    [
      'has the wrong content type (JSON)',
      {
        service: 'secretsmanager',
        headers: { 'x-amz-target': 'secretsmanager.GetSecretValue', 'content-type': 'text/plain' },
        body: '{}',
      },
      400,
      /UnknownOperationException/,
    ],
    [
      'has the wrong content type (Query)',
      { service: 'autoscaling', headers: { 'content-type': 'text/plain' }, body: 'Action=DescribeAutoScalingGroups' },
      400,
      /InvalidAction/,
    ],
    ['has no content type and no body', { service: 'monitoring' }, 400, /UnknownOperationException/],
    [
      'is not JSON',
      { service: 'secretsmanager', headers: json('secretsmanager.GetSecretValue'), body: '{"SecretId":' },
      400,
      /SerializationException/,
    ],
    [
      'is JSON of another shape',
      { service: 'secretsmanager', headers: json('secretsmanager.GetSecretValue'), body: '[1]' },
      400,
      /SerializationException|ValidationException/,
    ],
    [
      'has a member of another type',
      { service: 'secretsmanager', headers: json('secretsmanager.GetSecretValue'), body: '{"SecretId":7}' },
      400,
      /SerializationException.*SecretId must be a string/,
    ],
    [
      'nests without end',
      { service: 'events', headers: json('AWSEvents.PutEvents'), body: `${'{"Entries":['.repeat(5000)}` },
      400,
      /SerializationException/,
    ],
    [
      'has a number that is none',
      {
        service: 'autoscaling',
        headers: form,
        body: 'Action=SetDesiredCapacity&AutoScalingGroupName=g&DesiredCapacity=many',
      },
      400,
      /MalformedInput.*&apos;many|MalformedInput.*'many'/,
    ],
    [
      'lacks a required parameter',
      { service: 'autoscaling', headers: form, body: 'Action=SetDesiredCapacity&AutoScalingGroupName=g' },
      400,
      /ValidationError.*desiredCapacity/,
    ],
    [
      'has a list where a text belongs',
      {
        service: 'autoscaling',
        headers: form,
        body: 'Action=SetDesiredCapacity&AutoScalingGroupName.member.1=g&DesiredCapacity=1',
      },
      400,
      /MalformedInput/,
    ],
    [
      'is not CBOR',
      { service: 'monitoring', path: putMetricData, headers: cbor, body: new Uint8Array([0xff, 0x00, 0x9f]) },
      400,
      /SerializationException/,
    ],
    [
      'is CBOR that is cut off',
      { service: 'monitoring', path: putMetricData, headers: cbor, body: new Uint8Array([0xa1, 0x69, 0x4e]) },
      400,
      /SerializationException/,
    ],
    [
      'names an unknown RPC',
      { service: 'monitoring', path: '/service/X/operation/Y', headers: cbor },
      404,
      /UnknownOperationException/,
    ],
    [
      'is not gzip',
      { service: 'monitoring', headers: { ...form, 'content-encoding': 'gzip' }, body: 'plain' },
      400,
      /SerializationException/,
    ],
    [
      'is cut-off gzip',
      {
        service: 'monitoring',
        headers: { ...form, 'content-encoding': 'gzip' },
        body: gzipSync('Action=PutMetricData').subarray(0, 20),
      },
      400,
      /SerializationException/,
    ],
    [
      'is not XML',
      {
        service: 'route53',
        path: '/2013-04-01/hostedzone',
        headers: { 'content-type': 'application/xml' },
        body: '<a><b></a>',
      },
      400,
      /InvalidInput/,
    ],
    [
      'is at an unknown path',
      { service: 'route53', method: 'GET', path: '/nothing' },
      404,
      /UnknownOperationException/,
    ],
    ['has a method that S3 does not know', { service: 's3', method: 'PATCH', path: '/b/k' }, 405, /MethodNotAllowed/],
    ['has a malformed escape in its path', { service: 's3', method: 'GET', path: '/b/%zz' }, 400, /InvalidURI/],
    [
      'has chunks that end early',
      {
        service: 's3',
        method: 'PUT',
        path: '/b/k',
        headers: { 'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER' },
        body: 'ff\r\nshort',
      },
      400,
      /IncompleteBody/,
    ],
    [
      'has chunks without sizes',
      { service: 's3', method: 'PUT', path: '/b/k', headers: { 'content-encoding': 'aws-chunked' }, body: 'nonsense' },
      400,
      /IncompleteBody/,
    ],
    [
      'has another length than it said',
      {
        service: 's3',
        method: 'PUT',
        path: '/b/k',
        headers: { 'content-encoding': 'aws-chunked', 'x-amz-decoded-content-length': '5' },
        body: '3\r\nabc\r\n0\r\n\r\n',
      },
      400,
      /IncompleteBody/,
    ],
    ['is too large', { service: 's3', method: 'PUT', path: '/b/k', body: 'x'.repeat(100_001) }, 413, /^/],
  ])('%s: it is refused and changes nothing', async (_what, sent, status, says) => {
    const answer = await send(sent);
    const operation = aws.seen[0]?.operation;

    expect(answer.text).toMatch(says);
    expect(answer.status).toBe(status);
    // Operations that are not modelled are requested too: only the cloud knows what it models.
    expect(operation === undefined || status === 501).toBe(true);
    const next = await send({ service: 'autoscaling', headers: form, body: 'Action=DescribeAutoScalingGroups' });
    expect(next.status).toBe(200);
  });

  it('a request that cannot be carried out is cut off by its sender: nothing happens', async () => {
    const socket = connect(served.port, '127.0.0.1');
    const head = `POST / HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization('autoscaling')}\r\ncontent-length: 1000\r\n\r\nAction=Set`;
    await new Promise<void>((resolve) => socket.write(head, () => resolve()));
    await new Promise<void>((resolve) => socket.once('close', () => resolve()).destroy());

    const next = await send({ service: 'autoscaling', headers: form, body: 'Action=DescribeAutoScalingGroups' });

    expect(next.status).toBe(200);
    expect(aws.seen.map(({ operation }) => operation)).toEqual(['autoscaling.DescribeAutoScalingGroups']);
  });

  it('speaks no HTTP: the server goes on', async () => {
    const socket = connect(served.port, '127.0.0.1');
    await new Promise<void>((resolve) =>
      socket
        .once('close', () => resolve())
        .end('\x16\x03\x01 nonsense\r\n\r\n')
        .resume(),
    );
    const next = await send({ service: 'autoscaling', headers: form, body: 'Action=DescribeAutoScalingGroups' });
    expect(next.status).toBe(200);
  });
});

describe('a response to HEAD', () => {
  it('a response to HEAD has no body, also when it is an error', async () => {
    const { status, text } = await send({ service: 's3', method: 'HEAD', path: '/b/k' });
    expect([status, text]).toEqual([501, '']);
  });
});
