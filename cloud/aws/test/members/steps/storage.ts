import { createHash } from 'node:crypto';
import type { Step } from '../play.ts';

const bucket = { Bucket: 'data' };
const stranger = { ExpectedBucketOwner: '210987654321' };
const body = Buffer.from('hello');
const digest = (kind: string) => createHash(kind).update(body).digest('base64');
const policy = JSON.stringify({
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: 'arn:aws:s3:::data/*' }],
});
const long = new Date('2001-01-01');
const future = new Date('2100-01-01');
const put = (Key: string, more: object = {}): Step => ['s3:PutObject', { ...bucket, Key, Body: body, ...more }];
/** The same request with the account of another one as the expected owner: refused. */
const byStranger = (operation: string, more: object = {}): Step => [operation, { ...bucket, ...more, ...stranger }];
const reads = ['s3:GetObject', 's3:HeadObject'].flatMap((operation): Step[] => [
  [operation, { ...bucket, Key: 'k', ChecksumMode: 'ENABLED' }],
  [operation, { ...bucket, Key: 'k', IfMatch: '"other"' }],
  [operation, ({ PutObject }) => ({ ...bucket, Key: 'k', IfNoneMatch: PutObject.ETag })],
  [operation, { ...bucket, Key: 'k', IfModifiedSince: future }],
  [operation, { ...bucket, Key: 'k', IfUnmodifiedSince: long }],
  [operation, { ...bucket, Key: 'k', VersionId: '0'.repeat(32) }],
  byStranger(operation, { Key: 'k' }),
]);

export const storage: readonly Step[] = [
  ['s3:CreateBucket', { ...bucket, CreateBucketConfiguration: { LocationConstraint: 'eu-west-1' } }],
  ['s3:CreateBucket', { Bucket: 'elsewhere', CreateBucketConfiguration: { LocationConstraint: 'us-west-2' } }],
  ['s3:PutBucketPolicy', { ...bucket, Policy: policy }],
  byStranger('s3:PutBucketPolicy', { Policy: policy }),
  ...[
    's3:GetBucketPolicy',
    's3:GetBucketEncryption',
    's3:GetBucketLocation',
    's3:HeadBucket',
    's3:GetBucketTagging',
  ].map((operation) => byStranger(operation)),
  put('k', {
    CacheControl: 'no-cache',
    ContentDisposition: 'inline',
    ContentEncoding: 'identity',
    ContentType: 'text/plain',
    Metadata: { a: 'b' },
    ChecksumSHA256: digest('sha256'),
  }),
  ['s3:GetObject', { ...bucket, Key: 'k' }],
  put('one', { ChecksumSHA1: digest('sha1') }),
  put('two', { ChecksumCRC32: 'AAAAAA==' }),
  put('three', { ContentMD5: digest('sha256').slice(0, 22).concat('==') }),
  put('four', { ACL: 'public-read' }),
  put('five', { StorageClass: 'GLACIER' }),
  put('six', { ServerSideEncryption: 'aws:kms' }),
  put('seven', { SSEKMSKeyId: 'unknown' }),
  put('k', { IfNoneMatch: '*' }),
  put('k', { IfMatch: '"other"' }),
  byStranger('s3:PutObject', { Key: 'eight', Body: body }),
  put('k', { ChecksumSHA256: digest('sha256') }),
  ...reads,
  ['s3:GetObject', { ...bucket, Key: 'k', Range: 'bytes=0-1' }],
  ['s3:CopyObject', { ...bucket, Key: 'copy', CopySource: 'data/k' }],
  ...['a/1', 'a/2', 'ä b'].map((key) => put(key)),
  ['s3:ListObjectsV2', { ...bucket, Prefix: 'a/' }],
  ['s3:ListObjectsV2', { ...bucket, Delimiter: '/' }],
  ['s3:ListObjectsV2', { ...bucket, EncodingType: 'url' }],
  ['s3:ListObjectsV2', { ...bucket, StartAfter: 'a/1' }],
  ['s3:ListObjectsV2', { ...bucket, MaxKeys: 1 }],
  ['s3:ListObjectsV2', ({ ListObjectsV2 }) => ({ ...bucket, ContinuationToken: ListObjectsV2.NextContinuationToken })],
  byStranger('s3:ListObjectsV2'),
  ['s3:ListObjectVersions', { ...bucket, Prefix: 'a/' }],
  ['s3:ListObjectVersions', { ...bucket, Delimiter: '/' }],
  ['s3:ListObjectVersions', { ...bucket, EncodingType: 'url' }],
  ['s3:ListObjectVersions', { ...bucket, MaxKeys: 1 }],
  ['s3:ListObjectVersions', { ...bucket, KeyMarker: 'a/1' }],
  byStranger('s3:ListObjectVersions'),
  ['s3:DeleteObject', { ...bucket, Key: 'k', IfMatch: '"other"' }],
  ['s3:DeleteObject', { ...bucket, Key: 'k', VersionId: '0'.repeat(32) }],
  byStranger('s3:DeleteObject', { Key: 'k' }),
  ['s3:GetObject', { ...bucket, Key: 'k' }],
  byStranger('s3:DeleteObjects', { Delete: { Objects: [{ Key: 'k' }] } }),
];
