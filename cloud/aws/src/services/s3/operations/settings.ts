import { AwsError } from '../../../account/errors.ts';
import type { Operation, Operations } from '../../../account/service.ts';
import type { Bucket, VersioningStatus } from '../model.ts';
import { onBucket } from '../permissions.ts';
import type { Storage } from '../state.ts';

/** A setting of a bucket that is stored and described, as its three operations name it. */
interface Setting {
  /** Noun of the operations, e.g. `BucketPolicy` in PutBucketPolicy. */
  readonly noun: string;
  /** Noun of the IAM actions where it differs. */
  readonly action?: string;
  /** The member of the input and of the output. */
  readonly member: string;
  /** What a read without the setting answers. */
  readonly absent: { readonly code: string; readonly message: string } | 'empty';
}

const settings: readonly Setting[] = [
  {
    noun: 'BucketPolicy',
    member: 'Policy',
    absent: { code: 'NoSuchBucketPolicy', message: 'The bucket policy does not exist' },
  },
  {
    noun: 'PublicAccessBlock',
    action: 'BucketPublicAccessBlock',
    member: 'PublicAccessBlockConfiguration',
    absent: {
      code: 'NoSuchPublicAccessBlockConfiguration',
      message: 'The public access block configuration was not found',
    },
  },
  {
    noun: 'BucketEncryption',
    action: 'EncryptionConfiguration',
    member: 'ServerSideEncryptionConfiguration',
    absent: 'empty',
  },
  {
    noun: 'BucketLifecycleConfiguration',
    action: 'LifecycleConfiguration',
    member: 'Rules',
    absent: { code: 'NoSuchLifecycleConfiguration', message: 'The lifecycle configuration does not exist' },
  },
  { noun: 'BucketTagging', member: 'TagSet', absent: { code: 'NoSuchTagSet', message: 'The TagSet does not exist' } },
  {
    noun: 'BucketOwnershipControls',
    member: 'OwnershipControls',
    absent: { code: 'OwnershipControlsNotFoundError', message: 'The bucket ownership controls were not found' },
  },
];

/** Since January 2023 every bucket is encrypted with S3's own keys unless it says otherwise (User Guide, "Default encryption FAQ"). */
const defaultEncryption = {
  Rules: [{ ApplyServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' }, BucketKeyEnabled: false }],
};

/** The headers that tell how an object of a bucket is encrypted. */
export function encryptionOf(bucket: Bucket): { ServerSideEncryption: string; SSEKMSKeyId?: string } {
  const stored = (bucket.settings.get('BucketEncryption') ?? defaultEncryption) as EncryptionSetting;
  const { SSEAlgorithm = 'AES256', KMSMasterKeyID } = stored.Rules?.[0]?.ApplyServerSideEncryptionByDefault ?? {};
  return {
    ServerSideEncryption: SSEAlgorithm,
    ...(KMSMasterKeyID === undefined ? {} : { SSEKMSKeyId: KMSMasterKeyID }),
  };
}

interface EncryptionSetting {
  readonly Rules?: readonly {
    readonly ApplyServerSideEncryptionByDefault?: { readonly SSEAlgorithm?: string; readonly KMSMasterKeyID?: string };
  }[];
}

interface BucketInput {
  readonly Bucket: string;
}

/** Settings of buckets. Lifecycle rules are stored, not carried out. */
export const settingOperations = (storage: Storage): Operations => ({
  ...Object.fromEntries(settings.flatMap((setting) => operationsOf(storage, setting))),
  PutBucketVersioning: {
    permissions: ({ Bucket }: BucketInput) => [onBucket('PutBucketVersioning', Bucket)],
    run: (input: BucketInput & { VersioningConfiguration: { Status: VersioningStatus } }) => {
      storage.bucket(input.Bucket).versioning = input.VersioningConfiguration.Status;
      return {};
    },
  },
  GetBucketVersioning: {
    permissions: ({ Bucket }: BucketInput) => [onBucket('GetBucketVersioning', Bucket)],
    run: ({ Bucket }: BucketInput) => ({ Status: storage.bucket(Bucket).versioning }),
  },
});

function operationsOf(storage: Storage, setting: Setting): [string, Operation][] {
  const { noun, member } = setting;
  const action = setting.action ?? noun;
  const put: Operation = {
    permissions: ({ Bucket }: BucketInput) => [onBucket(`Put${action}`, Bucket)],
    run: (input: BucketInput & Record<string, unknown>) => {
      storage.bucket(input.Bucket).settings.set(noun, valueOfInput(setting, input));
      return {};
    },
  };
  const get: Operation = {
    permissions: ({ Bucket }: BucketInput) => [onBucket(`Get${action}`, Bucket)],
    run: ({ Bucket }: BucketInput) => ({ [member]: storage.bucket(Bucket).settings.get(noun) ?? absent(setting) }),
  };
  const remove: Operation = {
    // Removing most settings needs the right to put them; only the policy has an action of its own.
    permissions: ({ Bucket }: BucketInput) => [
      onBucket(noun === 'BucketPolicy' ? 'DeleteBucketPolicy' : `Put${action}`, Bucket),
    ],
    run: ({ Bucket }: BucketInput) => {
      storage.bucket(Bucket).settings.delete(noun);
      return {};
    },
  };
  return [
    [`Put${noun}`, put],
    [`Get${noun}`, get],
    [`Delete${deleteNoun[noun] ?? noun}`, remove],
  ];
}

const deleteNoun: Readonly<Record<string, string>> = { BucketLifecycleConfiguration: 'BucketLifecycle' };

/** Lifecycle rules and tags come in an envelope that the answers do not have. */
function valueOfInput({ noun, member }: Setting, input: Record<string, unknown>): unknown {
  if (noun === 'BucketLifecycleConfiguration') return (input.LifecycleConfiguration as { Rules?: unknown })?.Rules;
  if (noun === 'BucketTagging') return (input.Tagging as { TagSet?: unknown })?.TagSet;
  return input[member];
}

function absent(setting: Setting): unknown {
  if (setting.absent === 'empty') return defaultEncryption;
  throw new AwsError(setting.absent.code, setting.absent.message, 404);
}
