import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { CreateSecretCommand, GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { clients } from '@drover/cloud-world';
import { describe, expect, it } from 'vitest';
import { makeResource } from '../../cloudformation/testing/make-resource.ts';
import { role, testWorld } from '../lambda/function-world.test-support.ts';

describe('a key', () => {
  it('a key cannot be made with a policy that lets no principal change it', async () => {
    const Statement = [
      { Effect: 'Allow', Principal: { Service: 'logs.amazonaws.com' }, Action: 'kms:*', Resource: '*' },
    ];
    const KeyPolicy = { Version: '2012-10-17', Statement };

    await expect(makeResource(testWorld().world, 'AWS::KMS::Key', { KeyPolicy })).rejects.toMatchObject({
      name: 'MalformedPolicyDocumentException',
    });
  });

  it('a key has the first say over who may use it, also through a secret', async () => {
    const test = testWorld();
    const { physicalId, attributes } = await makeResource(test.world, 'AWS::KMS::Key');
    const key = attributes!.Arn as string;
    await test.aws.secretsmanager.send(new CreateSecretCommand({ Name: 's', SecretString: 'v', KmsKeyId: key }));
    const allowed = [{ Effect: 'Allow', Action: ['secretsmanager:GetSecretValue', 'kms:Decrypt'], Resource: '*' }];
    const arn = await role(test, 'reader', 'lambda.amazonaws.com', allowed);
    const credentials = test.world.aws.iam.assumeRoleForService(arn, 'lambda.amazonaws.com', 'x');
    const reader = clients(test.world, credentials, { maxAttempts: 1 }).secretsmanager;
    const read = () => reader.send(new GetSecretValueCommand({ SecretId: 's' }));

    expect(await read()).toMatchObject({ SecretString: 'v' });
    const Statement = [
      { Effect: 'Allow', Principal: { AWS: 'arn:aws:iam::123456789012:role/other' }, Action: 'kms:*', Resource: '*' },
    ];
    const KeyPolicy = { Version: '2012-10-17', Statement };
    await test.world.aws.kms.resources['AWS::KMS::Key']!.update!({ physicalId, properties: { KeyPolicy } } as never);

    await expect(read()).rejects.toMatchObject({ name: 'AccessDeniedException' });
  });

  it('objects of a bucket with a key are read and written by callers who may use it; older objects need none', async () => {
    const test = testWorld();
    const { physicalId, attributes } = await makeResource(test.world, 'AWS::KMS::Key');
    const key = attributes!.Arn as string;
    const bucket = await makeResource(test.world, 'AWS::S3::Bucket', { BucketName: 'data' });
    await test.aws.s3.send(new PutObjectCommand({ Bucket: 'data', Key: 'before', Body: 'old' }));
    const ServerSideEncryptionByDefault = { SSEAlgorithm: 'aws:kms', KMSMasterKeyID: key };
    const BucketEncryption = { ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault }] };
    const properties = { BucketName: 'data', BucketEncryption };
    const update = { physicalId: bucket.physicalId, properties, oldProperties: {} };
    await test.world.aws.s3.resources['AWS::S3::Bucket']!.update!(update as never);
    const statement = (...Action: string[]) => [{ Effect: 'Allow', Action, Resource: '*' }];
    const as = async (name: string, ...actions: string[]) => {
      const arn = await role(test, name, 'lambda.amazonaws.com', statement('s3:*', ...actions));
      const credentials = test.world.aws.iam.assumeRoleForService(arn, 'lambda.amazonaws.com', 'x');
      const { s3 } = clients(test.world, credentials, { maxAttempts: 1 });
      return {
        put: () => s3.send(new PutObjectCommand({ Bucket: 'data', Key: 'k', Body: 'x' })),
        get: (Key: string) => s3.send(new GetObjectCommand({ Bucket: 'data', Key })),
      };
    };
    const both = await as('both', 'kms:Decrypt', 'kms:GenerateDataKey');
    const neither = await as('neither');

    expect(await both.put()).toMatchObject({ ServerSideEncryption: 'aws:kms', SSEKMSKeyId: key });
    expect(await both.get('k')).toMatchObject({ ServerSideEncryption: 'aws:kms', SSEKMSKeyId: key });
    expect(await neither.get('before')).toMatchObject({ ServerSideEncryption: 'AES256' });
    await expect(neither.put()).rejects.toMatchObject({ name: 'AccessDenied' });
    await expect(neither.get('k')).rejects.toMatchObject({ name: 'AccessDenied' });
    await expect((await as('writer', 'kms:GenerateDataKey')).get('k')).rejects.toMatchObject({ name: 'AccessDenied' });
    await test.world.aws.kms.resources['AWS::KMS::Key']!.delete!({ physicalId, properties: {} } as never);
    await test.clock.advance(31 * 86_400_000);
    const read = test.aws.s3.send(new GetObjectCommand({ Bucket: 'data', Key: 'k' }));
    await expect(read).rejects.toMatchObject({ name: 'KMS.NotFoundException' });
  });
});
