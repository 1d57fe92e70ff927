import { createHash } from 'node:crypto';
import { CreateRoleCommand, PutRolePolicyCommand } from '@aws-sdk/client-iam';
import {
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketEncryptionCommand,
  GetBucketLocationCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutObjectCommand,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
import { clients, World } from '@drover/cloud-world';
import { describe, expect, it } from 'vitest';
import { makeResource } from '../../cloudformation/testing/make-resource.ts';

async function withBucket() {
  const world = new World();
  const { s3, iam } = clients(world);
  await s3.send(new CreateBucketCommand({ Bucket: 'data' }));
  const put = (Key: string, Body: string, more = {}) =>
    s3.send(new PutObjectCommand({ Bucket: 'data', Key, Body, ...more }));
  const get = async (Key: string, more = {}) => {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: 'data', Key, ...more }));
    return await Body!.transformToString();
  };
  return { world, s3, iam, put, get };
}

const status = (error: unknown) => (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
const statusOf = async (work: Promise<unknown>) => await work.then(() => 200, status);

async function roleWith(world: World, RoleName: string, Statement: readonly object[]) {
  const { iam } = clients(world);
  const trust = { Effect: 'Allow', Principal: { Service: 'ec2.amazonaws.com' }, Action: 'sts:AssumeRole' };
  const document = (statements: readonly object[]) => JSON.stringify({ Version: '2012-10-17', Statement: statements });
  const made = await iam.send(new CreateRoleCommand({ RoleName, AssumeRolePolicyDocument: document([trust]) }));
  const policy = { RoleName, PolicyName: 'own', PolicyDocument: document(Statement) };
  await iam.send(new PutRolePolicyCommand(policy));
  return { credentials: world.operate.assumeRole(made.Role!.Arn!, 'ec2.amazonaws.com', 'session') };
}

describe('objects', () => {
  it('objects are read as they were written, with the MD5 as ETag', async () => {
    const { s3, put, get } = await withBucket();

    const { ETag } = await put('a/b c.txt', 'hello', { ContentType: 'text/plain', Metadata: { owner: 'me' } });

    expect(ETag).toBe(`"${createHash('md5').update('hello').digest('hex')}"`);
    expect(await get('a/b c.txt')).toBe('hello');
    const read = await s3.send(new GetObjectCommand({ Bucket: 'data', Key: 'a/b c.txt' }));
    expect(read).toMatchObject({ ContentLength: 5, ContentType: 'text/plain', Metadata: { owner: 'me' }, ETag });
    const head = await s3.send(new HeadObjectCommand({ Bucket: 'data', Key: 'a/b c.txt' }));
    expect(head).toMatchObject({ ContentLength: 5, ContentType: 'text/plain', ETag });
  });

  it('objects give ranges, with status 206', async () => {
    const { s3, put, get } = await withBucket();
    await put('k', '0123456789');
    const part = await s3.send(new GetObjectCommand({ Bucket: 'data', Key: 'k', Range: 'bytes=2-4' }));
    expect(part).toMatchObject({ ContentRange: 'bytes 2-4/10', ContentLength: 3, $metadata: { httpStatusCode: 206 } });
    expect(await get('k', { Range: 'bytes=2-4' })).toBe('234');
    expect(await get('k', { Range: 'bytes=7-' })).toBe('789');
    expect(await get('k', { Range: 'bytes=-2' })).toBe('89');
    expect(await statusOf(get('k', { Range: 'bytes=10-12' }))).toBe(416);
  });

  it('objects are written only on condition: 412 when it does not hold, 404 when there is nothing to match', async () => {
    const { put, get } = await withBucket();

    const { ETag } = await put('lock', 'one', { IfNoneMatch: '*' });

    await expect(put('lock', 'two', { IfNoneMatch: '*' })).rejects.toMatchObject({ name: 'PreconditionFailed' });
    expect(await statusOf(put('lock', 'two', { IfNoneMatch: '*' }))).toBe(412);
    await expect(put('lock', 'two', { IfMatch: '"other"' })).rejects.toMatchObject({ name: 'PreconditionFailed' });
    await expect(put('absent', 'two', { IfMatch: ETag })).rejects.toMatchObject({ name: 'NoSuchKey' });
    expect(await get('lock')).toBe('one');
    await put('lock', 'two', { IfMatch: ETag });
    expect(await get('lock')).toBe('two');
  });

  it.each([
    ['ContentMD5', 'rL0Y20zC+Fzt72VPzMSk2A==', 'BadDigest'],
    ['ChecksumSHA256', createHash('sha256').update('another').digest('base64'), 'BadDigest'],
    ['ChecksumCRC32', 'AAAAAA==', 'BadDigest'],
    ['ACL', 'public-read', 'AccessControlListNotSupported'],
    ['StorageClass', 'GLACIER', 'NotImplemented'],
    ['ServerSideEncryption', 'aws:kms', 'NotImplemented'],
    ['SSEKMSKeyId', 'unknown', 'NotImplemented'],
    ['ExpectedBucketOwner', '210987654321', 'AccessDenied'],
    ['Tagging', 'a=b', 'NotImplemented'],
  ])('objects that cannot be kept as the writer asks are refused: %s %s', async (member, value, name) => {
    const { put, get } = await withBucket();

    await expect(put('k', 'x', { [member]: value })).rejects.toMatchObject({ name });
    await expect(get('k')).rejects.toMatchObject({ name: 'NoSuchKey' });
  });

  it('objects keep the checksum that came with them', async () => {
    const { s3, put } = await withBucket();
    const ChecksumSHA256 = createHash('sha256').update('x').digest('base64');

    expect(await put('k', 'x', { ChecksumSHA256, ServerSideEncryption: 'AES256' })).toMatchObject({ ChecksumSHA256 });
    const read = await s3.send(new GetObjectCommand({ Bucket: 'data', Key: 'k', ChecksumMode: 'ENABLED' }));
    expect(read).toMatchObject({ ChecksumSHA256 });
  });

  it('objects are not sent again to a reader who has them', async () => {
    const { put, get } = await withBucket();
    const { ETag } = await put('k', 'x');
    expect(await statusOf(get('k', { IfNoneMatch: ETag }))).toBe(304);
    expect(await statusOf(get('k', { IfMatch: '"other"' }))).toBe(412);
  });

  it('objects are copied with their details by who may read the one and write the other', async () => {
    const { world, s3, put, get } = await withBucket();
    await s3.send(new CreateBucketCommand({ Bucket: 'other' }));
    await put('a/b c', 'text', { ContentType: 'text/plain' });
    const copy = { Bucket: 'other', Key: 'copy', CopySource: 'data/a/b%20c' };
    const { CopyObjectResult } = await s3.send(new CopyObjectCommand(copy));
    const { ETag, ContentType } = await s3.send(new HeadObjectCommand({ Bucket: 'other', Key: 'copy' }));
    expect([await get('copy', { Bucket: 'other' }), ContentType]).toEqual(['text', 'text/plain']);
    expect(CopyObjectResult?.ETag).toBe(ETag);
    expect(await statusOf(s3.send(new CopyObjectCommand({ ...copy, CopySource: 'data/none' })))).toBe(404);
    expect(await statusOf(s3.send(new CopyObjectCommand({ ...copy, CopySource: 'data' })))).toBe(400);

    const arn = 'arn:aws:s3:::';
    const withRights = async (name: string, reads: string, writes: string) => {
      const role = await roleWith(world, name, [
        { Effect: 'Allow', Action: 's3:GetObject', Resource: `${arn}${reads}/*` },
        { Effect: 'Allow', Action: 's3:PutObject', Resource: `${arn}${writes}/*` },
      ]);
      return await world.aws.call('s3', 'CopyObject', copy, role).then(
        () => 'copied',
        ({ name: code }: Error) => code,
      );
    };
    expect(await withRights('both', 'data', 'other')).toBe('copied');
    expect(await withRights('reader', 'data', 'data')).toBe('AccessDenied');
    expect(await withRights('writer', 'other', 'other')).toBe('AccessDenied');
  });

  it('objects that do not exist are 404 for who may list, and 403 for who may not', async () => {
    const { world, s3, iam, get } = await withBucket();
    await expect(get('none')).rejects.toMatchObject({ name: 'NoSuchKey' });
    const head = new HeadObjectCommand({ Bucket: 'data', Key: 'none' });
    await expect(s3.send(head)).rejects.toMatchObject({ name: 'NotFound' });
    const trust = {
      Statement: [{ Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' }],
    };
    const { Role } = await iam.send(
      new CreateRoleCommand({ RoleName: 'reader', AssumeRolePolicyDocument: JSON.stringify(trust) }),
    );
    const may = { Statement: [{ Effect: 'Allow', Action: 's3:GetObject', Resource: 'arn:aws:s3:::data/*' }] };
    await iam.send(
      new PutRolePolicyCommand({ RoleName: 'reader', PolicyName: 'p', PolicyDocument: JSON.stringify(may) }),
    );
    const reader = clients(world, world.aws.iam.assumeRoleForService(Role!.Arn!, 'lambda.amazonaws.com', 'test')).s3;

    await expect(reader.send(new GetObjectCommand({ Bucket: 'data', Key: 'none' }))).rejects.toMatchObject({
      name: 'AccessDenied',
    });
  });

  it('objects are deleted one by one or many at once; deleting what is not there succeeds', async () => {
    const { s3, put, get } = await withBucket();
    for (const key of ['a', 'b', 'c']) await put(key, key);
    await s3.send(new DeleteObjectCommand({ Bucket: 'data', Key: 'a' }));
    await s3.send(new DeleteObjectCommand({ Bucket: 'data', Key: 'a' }));
    const { Deleted } = await s3.send(
      new DeleteObjectsCommand({ Bucket: 'data', Delete: { Objects: [{ Key: 'b' }, { Key: 'none' }] } }),
    );
    expect(Deleted?.map(({ Key }) => Key)).toEqual(['b', 'none']);
    await expect(get('b')).rejects.toMatchObject({ name: 'NoSuchKey' });
    expect(await get('c')).toBe('c');
  });
});

describe('lists', () => {
  it('lists are in the order of bytes, by pages, with prefixes folded', async () => {
    const { s3, put } = await withBucket();
    for (const key of ['b', 'a/1', 'a/2', 'a!', 'c/x/y', 'B']) await put(key, 'x');

    const flat: string[] = [];
    for await (const page of paginateListObjectsV2({ client: s3, pageSize: 2 }, { Bucket: 'data' }))
      flat.push(...page.Contents!.map(({ Key }) => Key!));
    expect(flat).toEqual(['B', 'a!', 'a/1', 'a/2', 'b', 'c/x/y']);
    const folded = await s3.send(new ListObjectsV2Command({ Bucket: 'data', Delimiter: '/', StartAfter: 'B' }));
    expect(folded.Contents?.map(({ Key }) => Key)).toEqual(['a!', 'b']);
    expect(folded.CommonPrefixes?.map(({ Prefix }) => Prefix)).toEqual(['a/', 'c/']);
    await put('ä b/1', 'x');
    const url = await s3.send(new ListObjectsV2Command({ Bucket: 'data', Prefix: 'ä', EncodingType: 'url' }));
    expect(url).toMatchObject({ Prefix: '%C3%A4', Contents: [{ Key: '%C3%A4%20b/1' }] });
  });
});

describe('versions', () => {
  it('versions are kept, hidden by a delete marker and removed for good only by their id', async () => {
    const { world, s3, put, get } = await withBucket();
    world.aws.s3.storage.bucket('data').versioning = 'Enabled';
    const first = await put('k', 'one');
    await put('k', 'two');

    await s3.send(new DeleteObjectCommand({ Bucket: 'data', Key: 'k' }));

    await expect(get('k')).rejects.toMatchObject({ name: 'NoSuchKey' });
    expect(await get('k', { VersionId: first.VersionId })).toBe('one');
    const { Versions, DeleteMarkers } = await s3.send(new ListObjectVersionsCommand({ Bucket: 'data' }));
    expect([Versions?.length, DeleteMarkers?.length]).toEqual([2, 1]);
    await s3.send(new DeleteObjectCommand({ Bucket: 'data', Key: 'k', VersionId: DeleteMarkers![0]!.VersionId }));
    expect(await get('k')).toBe('two');
  });
});

it('objects asked for by what is no version id are 400, by one of another object 404', async () => {
  const { s3, put, get } = await withBucket();
  await put('k', 'one');
  const head = (VersionId: string) => s3.send(new HeadObjectCommand({ Bucket: 'data', Key: 'k', VersionId }));

  expect(await statusOf(head('noVersion'))).toBe(400);
  await expect(get('k', { VersionId: 'noVersion' })).rejects.toMatchObject({ name: 'InvalidArgument' });
  expect(await statusOf(head('0'.repeat(32)))).toBe(404);
  expect(await get('k', { VersionId: 'null' })).toBe('one');
});

describe('buckets', () => {
  it('buckets have valid names, one owner and a region', async () => {
    const { s3 } = await withBucket();
    await expect(s3.send(new CreateBucketCommand({ Bucket: 'data' }))).rejects.toMatchObject({
      name: 'BucketAlreadyOwnedByYou',
    });
    await expect(s3.send(new CreateBucketCommand({ Bucket: 'Not_Valid' }))).rejects.toMatchObject({
      name: 'InvalidBucketName',
    });
    await expect(s3.send(new HeadBucketCommand({ Bucket: 'nothing-there' }))).rejects.toMatchObject({
      name: 'NotFound',
    });
    expect((await s3.send(new GetBucketLocationCommand({ Bucket: 'data' }))).LocationConstraint).toBe('eu-west-1');
    await expect(s3.send(new ListObjectsV2Command({ Bucket: 'none' }))).rejects.toMatchObject({ name: 'NoSuchBucket' });
  });

  it('buckets are encrypted with keys of S3 by default', async () => {
    const { s3 } = await withBucket();
    const encryption = await s3.send(new GetBucketEncryptionCommand({ Bucket: 'data' }));
    expect(
      encryption.ServerSideEncryptionConfiguration?.Rules?.[0]?.ApplyServerSideEncryptionByDefault?.SSEAlgorithm,
    ).toBe('AES256');
  });

  it('[rule 16] buckets have a policy whose deny wins over what a role may do', async () => {
    const { world, iam, put } = await withBucket();
    await put('k', 'x');
    const trust = {
      Statement: [{ Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' }],
    };
    const { Role } = await iam.send(
      new CreateRoleCommand({ RoleName: 'reader', AssumeRolePolicyDocument: JSON.stringify(trust) }),
    );
    const may = { Statement: [{ Effect: 'Allow', Action: 's3:*', Resource: '*' }] };
    await iam.send(
      new PutRolePolicyCommand({ RoleName: 'reader', PolicyName: 'p', PolicyDocument: JSON.stringify(may) }),
    );
    const reader = clients(world, world.aws.iam.assumeRoleForService(Role!.Arn!, 'lambda.amazonaws.com', 'test')).s3;
    const read = () => reader.send(new GetObjectCommand({ Bucket: 'data', Key: 'k' }));
    await read();

    const deny = { Effect: 'Deny', Principal: '*', Action: 's3:GetObject', Resource: 'arn:aws:s3:::data/*' };
    const PolicyDocument = { Version: '2012-10-17', Statement: [deny] };
    await makeResource(world, 'AWS::S3::BucketPolicy', { Bucket: 'data', PolicyDocument });

    await expect(read()).rejects.toMatchObject({ name: 'AccessDenied' });
  });
});
