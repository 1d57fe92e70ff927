import type {
  CreateAliasCommandInput,
  CreateKeyCommandInput,
  DecryptCommandInput,
  EncryptCommandInput,
  GenerateDataKeyCommandInput,
  ListAliasesCommandInput,
  PutKeyPolicyCommandInput,
  ScheduleKeyDeletionCommandInput,
} from '@aws-sdk/client-kms';
import { AwsError, notImplemented } from '../../account/errors.ts';
import type { Operations, Permission } from '../../account/service.ts';
import { keyIdOf, open, randomBytes, seal } from './cipher.ts';
import { invalidCiphertext, type Key, requireUsable } from './model.ts';
import type { Keys } from './state.ts';

type OnKey = { KeyId?: string | undefined; EncryptionContext?: Record<string, string> | undefined };

/** (API Reference, Encrypt.) */
const plaintextLimit = 4_096;

/** Keys, aliases and what they are for. */
export const kmsOperations = (keys: Keys): Operations => {
  const ask = (action: string) => (input: OnKey) => [onKey(keys, action, input.KeyId, input.EncryptionContext)];
  const change = (action: string, act: (key: Key) => void) => ({
    permissions: ask(action),
    run: (input: OnKey) => {
      act(keys.get(input.KeyId));
      return {};
    },
  });
  return {
    CreateKey: {
      permissions: () => [{ action: 'kms:CreateKey', resource: '*' }],
      run: (input: CreateKeyCommandInput) => {
        if ((input.KeySpec ?? 'SYMMETRIC_DEFAULT') !== 'SYMMETRIC_DEFAULT')
          throw notImplemented('kms', `keys of the kind ${input.KeySpec}`);
        const tags = Object.fromEntries(
          (input.Tags ?? []).map(({ TagKey, TagValue }) => [TagKey ?? '', TagValue ?? '']),
        );
        return { KeyMetadata: metadata(keys.create(input.Description ?? '', input.Policy, tags)) };
      },
    },
    DescribeKey: {
      permissions: ask('DescribeKey'),
      run: (input: OnKey) => ({ KeyMetadata: metadata(keys.get(input.KeyId)) }),
    },
    ListKeys: {
      permissions: () => [{ action: 'kms:ListKeys', resource: '*' }],
      run: () => ({
        Keys: [...keys.all.values()].map(({ id, arn }) => ({ KeyId: id, KeyArn: arn })),
        Truncated: false,
      }),
    },
    GetKeyPolicy: {
      permissions: ask('GetKeyPolicy'),
      run: (input: OnKey) => ({ Policy: keys.get(input.KeyId).policy, PolicyName: 'default' }),
    },
    PutKeyPolicy: {
      permissions: ask('PutKeyPolicy'),
      run: (input: PutKeyPolicyCommandInput) => {
        keys.get(input.KeyId).policy = input.Policy ?? '';
        return {};
      },
    },
    EnableKey: change('EnableKey', (key) => {
      key.state = 'Enabled';
    }),
    DisableKey: change('DisableKey', (key) => {
      key.state = 'Disabled';
    }),
    EnableKeyRotation: change('EnableKeyRotation', (key) => {
      key.rotation = true;
    }),
    GetKeyRotationStatus: {
      permissions: ask('GetKeyRotationStatus'),
      run: (input: OnKey) => ({ KeyRotationEnabled: keys.get(input.KeyId).rotation }),
    },
    ScheduleKeyDeletion: {
      permissions: ask('ScheduleKeyDeletion'),
      run: (input: ScheduleKeyDeletionCommandInput) => {
        const key = keys.get(input.KeyId);
        keys.scheduleDeletion(key, input.PendingWindowInDays);
        return { KeyId: key.arn, DeletionDate: new Date(key.deletionAt!), KeyState: key.state };
      },
    },
    CancelKeyDeletion: {
      permissions: ask('CancelKeyDeletion'),
      run: (input: OnKey) => {
        const key = keys.get(input.KeyId);
        key.state = 'Disabled';
        delete key.deletionAt;
        return { KeyId: key.arn };
      },
    },
    ...aliasOperations(keys),
    ...cipherOperations(keys),
  };
};

function aliasOperations(keys: Keys): Operations {
  const ask =
    (action: string) =>
    (input: { AliasName?: string | undefined; TargetKeyId?: string | undefined }): Permission[] => [
      { action: `kms:${action}`, resource: keys.aliasArn(input.AliasName ?? '') },
      ...(input.TargetKeyId === undefined ? [] : [onKey(keys, action, input.TargetKeyId)]),
    ];
  return {
    CreateAlias: {
      permissions: ask('CreateAlias'),
      run: (input: CreateAliasCommandInput) => {
        keys.addAlias(input.AliasName ?? '', keys.get(input.TargetKeyId));
        return {};
      },
    },
    UpdateAlias: {
      permissions: ask('UpdateAlias'),
      run: (input: CreateAliasCommandInput) => {
        keys.get(input.AliasName);
        keys.aliases.set(input.AliasName ?? '', keys.get(input.TargetKeyId).id);
        return {};
      },
    },
    DeleteAlias: {
      permissions: ask('DeleteAlias'),
      run: (input: CreateAliasCommandInput) => {
        if (!keys.aliases.delete(input.AliasName ?? ''))
          throw new AwsError('NotFoundException', `Alias ${keys.aliasArn(input.AliasName ?? '')} is not found.`);
        return {};
      },
    },
    ListAliases: {
      permissions: () => [{ action: 'kms:ListAliases', resource: '*' }],
      run: (input: ListAliasesCommandInput) => {
        const only = input.KeyId === undefined ? undefined : keys.get(input.KeyId).id;
        const found = [...keys.aliases].filter(([, id]) => only === undefined || id === only);
        const Aliases = found.map(([AliasName, TargetKeyId]) => ({
          AliasName,
          AliasArn: keys.aliasArn(AliasName),
          TargetKeyId,
        }));
        return { Aliases, Truncated: false };
      },
    },
  };
}

function cipherOperations(keys: Keys): Operations {
  const dataKey = (input: GenerateDataKeyCommandInput) => {
    const key = keys.get(input.KeyId);
    requireUsable(key);
    const length = input.NumberOfBytes ?? (input.KeySpec === 'AES_128' ? 16 : 32);
    const Plaintext = randomBytes(keys.random, length);
    return {
      KeyId: key.arn,
      Plaintext,
      CiphertextBlob: seal(key, Plaintext, input.EncryptionContext ?? {}, keys.random),
    };
  };
  return {
    Encrypt: {
      permissions: (input: EncryptCommandInput) => [onKey(keys, 'Encrypt', input.KeyId, input.EncryptionContext)],
      run: (input: EncryptCommandInput) => {
        const key = keys.get(input.KeyId);
        requireUsable(key);
        const plaintext = input.Plaintext ?? new Uint8Array();
        if (plaintext.length === 0 || plaintext.length > plaintextLimit)
          throw new AwsError(
            'ValidationException',
            `Plaintext has ${plaintext.length} bytes; it must have between 1 and ${plaintextLimit}`,
          );
        const CiphertextBlob = seal(key, plaintext, input.EncryptionContext ?? {}, keys.random);
        return { KeyId: key.arn, CiphertextBlob, EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' };
      },
    },
    Decrypt: {
      permissions: (input: DecryptCommandInput) => [
        onKey(keys, 'Decrypt', keyIdOf(input.CiphertextBlob ?? new Uint8Array()), input.EncryptionContext),
      ],
      run: (input: DecryptCommandInput) => {
        const blob = input.CiphertextBlob ?? new Uint8Array();
        const key = keys.find(keyIdOf(blob));
        if (key === undefined) throw invalidCiphertext();
        if (input.KeyId !== undefined && keys.get(input.KeyId) !== key)
          throw new AwsError(
            'IncorrectKeyException',
            'The key ID in the request does not identify a CMK that can perform this operation.',
          );
        requireUsable(key);
        const Plaintext = open(key, blob, input.EncryptionContext ?? {});
        return { KeyId: key.arn, Plaintext, EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' };
      },
    },
    GenerateDataKey: {
      permissions: (input: GenerateDataKeyCommandInput) => [
        onKey(keys, 'GenerateDataKey', input.KeyId, input.EncryptionContext),
      ],
      run: dataKey,
    },
    GenerateDataKeyWithoutPlaintext: {
      permissions: (input: GenerateDataKeyCommandInput) => [
        onKey(keys, 'GenerateDataKeyWithoutPlaintext', input.KeyId, input.EncryptionContext),
      ],
      run: (input: GenerateDataKeyCommandInput) => {
        const { KeyId, CiphertextBlob } = dataKey(input);
        return { KeyId, CiphertextBlob };
      },
    },
  };
}

/** (Service Authorization Reference, AWS Key Management Service.) */
function onKey(
  keys: Keys,
  action: string,
  id: string | undefined,
  encryption: Readonly<Record<string, string>> = {},
): Permission {
  const key = keys.find(id ?? '');
  const tags = Object.entries(key?.tags ?? {}).map(([name, value]) => [`aws:ResourceTag/${name}`, value]);
  const context = Object.entries(encryption).map(([name, value]) => [`kms:EncryptionContext:${name}`, value]);
  return {
    action: `kms:${action}`,
    resource: key?.arn ?? (id?.startsWith('arn:') ? id : keys.aliasArn(`key/${id}`)),
    context: Object.fromEntries([...tags, ...context]),
  };
}

const metadata = (key: Key) => ({
  AWSAccountId: key.arn.split(':')[4],
  KeyId: key.id,
  Arn: key.arn,
  CreationDate: new Date(key.createdAt),
  Enabled: key.state === 'Enabled',
  Description: key.description,
  KeyUsage: 'ENCRYPT_DECRYPT',
  KeyState: key.state,
  Origin: 'AWS_KMS',
  KeyManager: 'CUSTOMER',
  CustomerMasterKeySpec: 'SYMMETRIC_DEFAULT',
  KeySpec: 'SYMMETRIC_DEFAULT',
  EncryptionAlgorithms: ['SYMMETRIC_DEFAULT'],
  MultiRegion: false,
  ...(key.deletionAt === undefined ? {} : { DeletionDate: new Date(key.deletionAt) }),
});
