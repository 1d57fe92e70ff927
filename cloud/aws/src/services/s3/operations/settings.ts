import { AwsError } from '../../../account/errors.ts';
import type { Operations } from '../../../account/service.ts';
import type { Bucket, ObjectEncryption } from '../model.ts';
import { onBucket } from '../permissions.ts';
import type { Storage } from '../state.ts';

/** Since January 2023 every bucket is encrypted with S3's own keys unless it says otherwise (User Guide, "Default encryption FAQ"). */
const defaultEncryption = {
  Rules: [{ ApplyServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' }, BucketKeyEnabled: false }],
};

/** The headers that show how an object of a bucket is encrypted. */
export function encryptionOf(bucket: Bucket): ObjectEncryption {
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

/**
 * Settings of buckets: those that the CDK asks for before it uploads assets, and those that its function for
 * `autoDeleteObjects` uses to close a bucket before it empties it.
 */
export const settingOperations = (storage: Storage): Operations => ({
  GetBucketEncryption: {
    permissions: ({ Bucket }: BucketInput) => [onBucket('GetEncryptionConfiguration', Bucket)],
    run: ({ Bucket }: BucketInput) => ({
      ServerSideEncryptionConfiguration: storage.bucket(Bucket).settings.get('BucketEncryption') ?? defaultEncryption,
    }),
  },
  GetBucketTagging: {
    permissions: ({ Bucket }: BucketInput) => [onBucket('GetBucketTagging', Bucket)],
    run: ({ Bucket }: BucketInput) => ({
      TagSet: stored(storage, Bucket, 'BucketTagging', 'NoSuchTagSet', 'The TagSet does not exist'),
    }),
  },
  GetBucketPolicy: {
    permissions: ({ Bucket }: BucketInput) => [onBucket('GetBucketPolicy', Bucket)],
    run: ({ Bucket }: BucketInput) => ({
      Policy: stored(storage, Bucket, 'BucketPolicy', 'NoSuchBucketPolicy', 'The bucket policy does not exist'),
    }),
  },
  PutBucketPolicy: {
    permissions: ({ Bucket }: BucketInput) => [onBucket('PutBucketPolicy', Bucket)],
    run: ({ Bucket, Policy }: BucketInput & { readonly Policy: string }) => {
      storage.bucket(Bucket).settings.set('BucketPolicy', Policy);
      return {};
    },
  },
});

function stored(storage: Storage, bucket: string, setting: string, code: string, message: string): unknown {
  const value = storage.bucket(bucket).settings.get(setting);
  if (value === undefined) throw new AwsError(code, message, 404);
  return value;
}
