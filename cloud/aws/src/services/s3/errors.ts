import { AwsError } from '../../account/errors.ts';

/** The errors of Amazon S3 (API Reference, "Error responses"). */
export const noSuchBucket = (bucket: string): AwsError =>
  new AwsError('NoSuchBucket', 'The specified bucket does not exist', 404, { BucketName: bucket });

export const noSuchKey = (key: string): AwsError =>
  new AwsError('NoSuchKey', 'The specified key does not exist.', 404, { Key: key });

export const noSuchVersion = (key: string): AwsError =>
  new AwsError('NoSuchVersion', 'The specified version does not exist.', 404, { Key: key });

export const bucketNotEmpty = (bucket: string): AwsError =>
  new AwsError('BucketNotEmpty', 'The bucket you tried to delete is not empty', 409, { BucketName: bucket });

export const bucketAlreadyOwnedByYou = (bucket: string): AwsError =>
  new AwsError(
    'BucketAlreadyOwnedByYou',
    'Your previous request to create the named bucket succeeded and you already own it.',
    409,
    { BucketName: bucket },
  );

export const invalidBucketName = (bucket: string): AwsError =>
  new AwsError('InvalidBucketName', 'The specified bucket is not valid.', 400, { BucketName: bucket });

export const preconditionFailed = (condition: string): AwsError =>
  new AwsError('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold', 412, {
    Condition: condition,
  });

export const notModified = (): AwsError => new AwsError('NotModified', 'Not Modified', 304);

export const invalidRange = (): AwsError => new AwsError('InvalidRange', 'The requested range is not satisfiable', 416);

/** HEAD has no body, so the code is all that a client sees. */
export const notFound = (): AwsError => new AwsError('NotFound', 'Not Found', 404);

export const invalidArgument = (message: string): AwsError => new AwsError('InvalidArgument', message, 400);
