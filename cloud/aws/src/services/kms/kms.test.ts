import {
  CreateAliasCommand,
  CreateKeyCommand,
  DecryptCommand,
  DescribeKeyCommand,
  DisableKeyCommand,
  EncryptCommand,
  GenerateDataKeyCommand,
  PutKeyPolicyCommand,
  ScheduleKeyDeletionCommand,
} from '@aws-sdk/client-kms';
import { CreateSecretCommand, GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { clients } from '@drover/cloud-world';
import { describe, expect, it } from 'vitest';
import { role, testWorld } from '../lambda/function-world.test-support.ts';

const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes!).toString();

describe('a key', () => {
  it('opens what it sealed, with the same encryption context only', async () => {
    const { aws } = testWorld();
    const { KeyMetadata } = await aws.kms.send(new CreateKeyCommand({}));
    await aws.kms.send(new CreateAliasCommand({ AliasName: 'alias/mine', TargetKeyId: KeyMetadata!.KeyId }));
    const EncryptionContext = { for: 'test' };

    const { CiphertextBlob } = await aws.kms.send(
      new EncryptCommand({ KeyId: 'alias/mine', Plaintext: Buffer.from('hush'), EncryptionContext }),
    );

    expect(text(CiphertextBlob)).not.toContain('hush');
    const { Plaintext, KeyId } = await aws.kms.send(new DecryptCommand({ CiphertextBlob, EncryptionContext }));
    expect([text(Plaintext), KeyId]).toEqual(['hush', KeyMetadata!.Arn]);
    await expect(aws.kms.send(new DecryptCommand({ CiphertextBlob }))).rejects.toMatchObject({
      name: 'InvalidCiphertextException',
    });
  });

  it('makes data keys that only it can open', async () => {
    const { aws } = testWorld();
    const { KeyMetadata } = await aws.kms.send(new CreateKeyCommand({}));

    const made = await aws.kms.send(new GenerateDataKeyCommand({ KeyId: KeyMetadata!.Arn, KeySpec: 'AES_256' }));

    expect(made.Plaintext).toHaveLength(32);
    const { Plaintext } = await aws.kms.send(new DecryptCommand({ CiphertextBlob: made.CiphertextBlob }));
    expect(Buffer.from(Plaintext!)).toEqual(Buffer.from(made.Plaintext!));
  });

  it('cannot be used while it is disabled or waits for its deletion', async () => {
    const { aws, clock } = testWorld();
    const { KeyMetadata } = await aws.kms.send(new CreateKeyCommand({}));
    const { KeyId } = KeyMetadata!;
    const encrypt = () => aws.kms.send(new EncryptCommand({ KeyId, Plaintext: Buffer.from('x') }));

    await aws.kms.send(new DisableKeyCommand({ KeyId }));
    await expect(encrypt()).rejects.toMatchObject({ name: 'DisabledException' });
    await aws.kms.send(new ScheduleKeyDeletionCommand({ KeyId, PendingWindowInDays: 7 }));
    await expect(encrypt()).rejects.toMatchObject({ name: 'KMSInvalidStateException' });
    await clock.advance(7 * 86_400_000);
    await expect(aws.kms.send(new DescribeKeyCommand({ KeyId }))).rejects.toMatchObject({ name: 'NotFoundException' });
  });

  it('has the first say over who may use it, also through a secret', async () => {
    const test = testWorld();
    const { KeyMetadata } = await test.aws.kms.send(new CreateKeyCommand({}));
    const key = KeyMetadata!.Arn!;
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
    await test.aws.kms.send(
      new PutKeyPolicyCommand({ KeyId: key, Policy: JSON.stringify({ Version: '2012-10-17', Statement }) }),
    );

    await expect(read()).rejects.toMatchObject({ name: 'AccessDeniedException' });
  });
});
