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
});
