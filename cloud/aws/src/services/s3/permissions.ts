import type { Permission } from '../../account/service.ts';

export const bucketArn = (bucket: string): string => `arn:aws:s3:::${bucket}`;

const objectArn = (bucket: string, key: string): string => `arn:aws:s3:::${bucket}/${key}`;

/** The bucket of `arn:aws:s3:::<bucket>` or `arn:aws:s3:::<bucket>/<key>`. */
export const bucketOfArn = (arn: string): string => arn.slice('arn:aws:s3:::'.length).split('/')[0]!;

/** IAM's question about a bucket. */
export const onBucket = (action: string, bucket: string, context: Permission['context'] = {}): Permission => ({
  action: `s3:${action}`,
  resource: bucketArn(bucket),
  context,
});

/** IAM's question about an object. */
export const onObject = (action: string, bucket: string, key: string): Permission => ({
  action: `s3:${action}`,
  resource: objectArn(bucket, key),
});
