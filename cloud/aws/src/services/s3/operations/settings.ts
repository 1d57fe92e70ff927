import type { Operations } from '../../../account/service.ts';
import type { Bucket } from '../model.ts';
import { onBucket } from '../permissions.ts';
import type { Storage } from '../state.ts';

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

/** How a bucket is encrypted, which the CDK asks before it uploads assets, and whether it keeps versions. */
export const settingOperations = (storage: Storage): Operations => ({
  GetBucketEncryption: {
    permissions: ({ Bucket }: BucketInput) => [onBucket('GetEncryptionConfiguration', Bucket)],
    run: ({ Bucket }: BucketInput) => ({
      ServerSideEncryptionConfiguration: storage.bucket(Bucket).settings.get('BucketEncryption') ?? defaultEncryption,
    }),
  },
  GetBucketVersioning: {
    permissions: ({ Bucket }: BucketInput) => [onBucket('GetBucketVersioning', Bucket)],
    run: ({ Bucket }: BucketInput) => ({ Status: storage.bucket(Bucket).versioning }),
  },
});
