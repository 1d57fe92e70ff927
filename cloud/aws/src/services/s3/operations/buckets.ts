import type { Operations } from '../../../account/service.ts';
import { invalidArgument, notFound } from '../errors.ts';
import { onBucket } from '../permissions.ts';
import type { Storage } from '../state.ts';

interface BucketInput {
  readonly Bucket: string;
}

/** Buckets themselves. */
export const bucketOperations = (storage: Storage, region: string): Operations => ({
  CreateBucket: {
    permissions: ({ Bucket }: BucketInput) => [onBucket('CreateBucket', Bucket)],
    run: (input: BucketInput & { CreateBucketConfiguration?: { LocationConstraint?: string } }) => {
      const place = input.CreateBucketConfiguration?.LocationConstraint ?? region;
      if (place !== region)
        throw invalidArgument(`the embedded cloud has only the region ${region}; LocationConstraint is ${place}`);
      storage.createBucket(input.Bucket);
      return { Location: `/${input.Bucket}` };
    },
  },
  HeadBucket: {
    permissions: ({ Bucket }: BucketInput) => [onBucket('ListBucket', Bucket)],
    run: ({ Bucket }: BucketInput) => {
      if (!storage.buckets.has(Bucket)) throw notFound();
      return { BucketRegion: region };
    },
  },
  GetBucketLocation: {
    permissions: ({ Bucket }: BucketInput) => [onBucket('GetBucketLocation', Bucket)],
    run: ({ Bucket }: BucketInput) => {
      storage.bucket(Bucket);
      // us-east-1 is shown as an absent value (API Reference, GetBucketLocation).
      return region === 'us-east-1' ? {} : { LocationConstraint: region };
    },
  },
});
