import { AwsError } from '../../../account/errors.ts';
import type { AwsNeighbours } from '../../../account/neighbours.ts';
import type { Call } from '../../../account/service.ts';

/** Asks whether a caller may use the key of an object; one that S3 itself encrypted needs none. */
export type UseKey = (call: Call, keyId: string | undefined, action: 'Decrypt' | 'GenerateDataKey') => void;

/** A customer's key has to be usable by each caller who reads or writes what it encrypts (User Guide, "Using server-side encryption with AWS KMS keys"). */
export const objectKeys =
  (aws: AwsNeighbours): UseKey =>
  (call, keyId, action) => {
    if (keyId === undefined) return;
    const resource = aws.kms.arnOf(keyId);
    if (resource === undefined) throw new AwsError('KMS.NotFoundException', `Key '${keyId}' does not exist`, 400);
    const context = {
      'kms:ViaService': `s3.${aws.region}.amazonaws.com`,
      'kms:CallerAccount': call.principal.accountId,
    };
    aws.iam.authorize(call.principal, { action: `kms:${action}`, resource, context }, 's3');
  };
