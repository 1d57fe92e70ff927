import { Readable } from 'node:stream';
import {
  CopyObjectCommand,
  CreateBucketCommand,
  GetBucketLocationCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import { AwsError } from '../account/errors.ts';
import { inProcessClientConfig } from './client-config.ts';
import { credentials, FakeAws } from './fake-aws.test-support.ts';
import type { WireRequest } from './protocols/protocol.ts';
import { matchRoute } from './protocols/rest-route.ts';
import { bucketAndPath } from './protocols/s3-protocol.ts';
import { serviceModel } from './schema/service-model.ts';

const Bucket = 'my.bucket-1';
const clientOf = (aws: FakeAws, config: S3ClientConfig = {}) =>
  new S3Client({ ...inProcessClientConfig(aws, credentials), ...config });

describe.each([
  ['virtual-hosted', {}],
  ['path', { forcePathStyle: true }],
])('an S3 client in %s style', (_style, config) => {
  it('keeps every character of a key', async () => {
    const aws = new FakeAws({ 's3.PutObject': () => ({ ETag: '"1"' }) });
    const Key = 'a folder//ä+b%2F&c=d?e#f/';

    const output = await clientOf(aws, config).send(
      new PutObjectCommand({ Bucket, Key, Body: 'text', Metadata: { who: 'me' } }),
    );

    expect(aws.onlyInput).toMatchObject({ Bucket, Key, Metadata: { who: 'me' }, Body: Buffer.from('text') });
    expect(output.ETag).toBe('"1"');
  });

  it('tells listing a bucket from listing buckets', async () => {
    const aws = new FakeAws({
      's3.ListBuckets': () => ({ Buckets: [{ Name: 'b' }] }),
      's3.ListObjects': () => ({ Contents: [{ Key: 'one' }] }),
      's3.ListObjectsV2': () => ({ Contents: [{ Key: 'two' }] }),
    });
    const client = clientOf(aws, config);

    expect((await client.send(new ListBucketsCommand({}))).Buckets).toMatchObject([{ Name: 'b' }]);
    expect((await client.send(new ListObjectsCommand({ Bucket }))).Contents).toMatchObject([{ Key: 'one' }]);
    expect((await client.send(new ListObjectsV2Command({ Bucket, Prefix: 'x/' }))).Contents).toMatchObject([
      { Key: 'two' },
    ]);
    expect(aws.seen.map(({ input }) => input)).toMatchObject([{}, { Bucket }, { Bucket, Prefix: 'x/' }]);
  });
});

describe('an S3 client', () => {
  it('sends a stream in chunks with a trailing checksum, and the object is what was streamed', async () => {
    const aws = new FakeAws({ 's3.PutObject': () => ({}) });
    const Body = Readable.from(['first ', 'second'].map((text) => Buffer.from(text)));

    await clientOf(aws).send(
      new PutObjectCommand({ Bucket, Key: 'k', Body, ContentEncoding: 'gzip', ContentLength: 12 }),
    );

    const input = aws.onlyInput as { Body: Uint8Array; ContentEncoding?: string; ChecksumCRC32?: string };
    expect(Buffer.from(input.Body).toString()).toBe('first second');
    expect(input.ContentEncoding).toBe('gzip');
    expect(input.ChecksumCRC32).toMatch(/^[A-Za-z0-9+/]{6}==$/);
  });

  it('reads an object as a stream, with its length and headers', async () => {
    const aws = new FakeAws({
      's3.GetObject': () => ({ Body: Buffer.from('content'), ContentType: 'text/plain', Metadata: { name: 'ä' } }),
    });

    const output = await clientOf(aws).send(new GetObjectCommand({ Bucket, Key: 'k' }));

    expect(await output.Body?.transformToString()).toBe('content');
    expect(output).toMatchObject({ ContentLength: 7, ContentType: 'text/plain' });
  });

  it('learns the length of an object from HEAD', async () => {
    const aws = new FakeAws({ 's3.HeadObject': () => ({ ContentLength: 123456, LastModified: new Date(0) }) });
    const output = await clientOf(aws).send(new HeadObjectCommand({ Bucket, Key: 'k' }));
    expect(output).toMatchObject({ ContentLength: 123456, LastModified: new Date(0) });
  });

  it('throws its own error classes, with and without a body', async () => {
    const fail = () => {
      throw new AwsError('NoSuchKey', 'The specified key does not exist.', 404);
    };
    const client = clientOf(new FakeAws({ 's3.GetObject': fail, 's3.HeadObject': fail }));
    await expect(client.send(new GetObjectCommand({ Bucket, Key: 'k' }))).rejects.toThrow(NoSuchKey);
    await expect(client.send(new HeadObjectCommand({ Bucket, Key: 'k' }))).rejects.toThrow(NotFound);
  });

  it('reads the location of a bucket from the root element', async () => {
    const aws = new FakeAws({ 's3.GetBucketLocation': () => ({ LocationConstraint: 'eu-west-1' }) });
    const output = await clientOf(aws).send(new GetBucketLocationCommand({ Bucket }));
    expect(output.LocationConstraint).toBe('eu-west-1');
  });

  it('makes a bucket with and without a configuration', async () => {
    const aws = new FakeAws({ 's3.CreateBucket': () => ({ Location: '/b' }) });
    const CreateBucketConfiguration = { LocationConstraint: 'eu-west-1' as const };
    await clientOf(aws).send(new CreateBucketCommand({ Bucket, CreateBucketConfiguration }));
    const american = Object.assign(new FakeAws({ 's3.CreateBucket': () => ({}) }), { region: 'us-east-1' });
    await clientOf(american, { region: 'us-east-1' }).send(new CreateBucketCommand({ Bucket }));
    expect([...aws.seen, ...american.seen].map(({ input }) => input)).toEqual([
      { Bucket, CreateBucketConfiguration },
      { Bucket },
    ]);
  });

  it('tells copies and parts from plain puts', async () => {
    const aws = new FakeAws({
      's3.CopyObject': () => ({ CopyObjectResult: { ETag: '"c"' } }),
      's3.UploadPart': () => ({ ETag: '"p"' }),
    });
    const client = clientOf(aws);
    const copied = await client.send(new CopyObjectCommand({ Bucket, Key: 'k', CopySource: 'other/key' }));
    const part = await client.send(
      new UploadPartCommand({ Bucket, Key: 'k', UploadId: 'u', PartNumber: 2, Body: 'x' }),
    );
    expect([copied.CopyObjectResult?.ETag, part.ETag]).toEqual(['"c"', '"p"']);
  });
});

describe("the operation of an S3 request without the SDK's x-id", () => {
  const model = serviceModel('s3');
  const operationOf = (method: string, target: string, headers: Record<string, string> = {}) => {
    const [path = '/', query = ''] = target.split('?');
    const request = { method, headers, params: new URLSearchParams(query) } as unknown as WireRequest;
    return matchRoute(request, path, model)?.operation.name;
  };

  it.each([
    ['GET', '/key', {}, 'GetObject'],
    ['GET', '/key?uploadId=u', {}, 'ListParts'],
    ['GET', '/key?tagging', {}, 'GetObjectTagging'],
    ['PUT', '/key', {}, 'PutObject'],
    ['PUT', '/key', { 'x-amz-copy-source': 'b/k' }, 'CopyObject'],
    ['PUT', '/key?partNumber=1&uploadId=u', {}, 'UploadPart'],
    ['PUT', '/key?partNumber=1&uploadId=u', { 'x-amz-copy-source': 'b/k' }, 'UploadPartCopy'],
    ['DELETE', '/key', {}, 'DeleteObject'],
    ['DELETE', '/key?uploadId=u', {}, 'AbortMultipartUpload'],
    ['POST', '/key?uploads', {}, 'CreateMultipartUpload'],
    ['POST', '/key?uploadId=u', {}, 'CompleteMultipartUpload'],
    ['POST', '/?delete', {}, 'DeleteObjects'],
    ['PUT', '/?analytics', {}, 'PutBucketAnalyticsConfiguration'],
    ['GET', '/?list-type=2', {}, 'ListObjectsV2'],
    ['HEAD', '/', {}, 'HeadBucket'],
    ['PATCH', '/key', {}, undefined],
  ])('%s %s %j is %s', (method, target, headers, operation) => {
    expect(operationOf(method, target, headers as Record<string, string>)).toBe(operation);
  });
});

describe('the bucket of a request', () => {
  it.each([
    ['my.bucket.s3.eu-west-1.amazonaws.com', '/a/b', 'my.bucket', '/a/b'],
    ['bucket.s3.amazonaws.com', '/', 'bucket', '/'],
    ['bucket.s3-eu-west-1.amazonaws.com:443', '/a', 'bucket', '/a'],
    ['bucket.localhost:4566', '/a', 'bucket', '/a'],
    ['s3.eu-west-1.amazonaws.com', '/bucket/a/b', 'bucket', '/a/b'],
    ['127.0.0.1:4566', '/bucket', 'bucket', '/'],
    ['localhost:4566', '/bucket/', 'bucket', '/'],
    ['localhost:4566', '/', undefined, '/'],
  ])('%s%s is in %s', (host, path, bucket, within) => {
    expect(bucketAndPath({ host, path })).toEqual(bucket === undefined ? { path: within } : { bucket, path: within });
  });
});
