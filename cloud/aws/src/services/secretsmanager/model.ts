import { AwsError } from '../../account/errors.ts';

/** One version of a secret's value. */
export interface SecretVersion {
  readonly id: string;
  readonly createdAt: number;
  readonly value: SecretContent;
  stages: Set<string>;
}

export interface SecretContent {
  readonly SecretString?: string;
  readonly SecretBinary?: Uint8Array;
}

/** A secret as Secrets Manager keeps it. */
export interface StoredSecret {
  readonly name: string;
  /** Ends with a hyphen and six random characters. */
  readonly arn: string;
  readonly createdAt: number;
  readonly versions: Map<string, SecretVersion>;
  description?: string | undefined;
  kmsKeyId?: string | undefined;
  tags: Record<string, string>;
  policy?: string | undefined;
  changedAt: number;
  accessedAt?: number;
  /** When the caller asked to delete it: values can no longer be read. */
  deletedAt?: number;
  /** When it is gone for good and its name is free. */
  purgeAt?: number;
}

export const currentStage = 'AWSCURRENT';
export const previousStage = 'AWSPREVIOUS';

export const notFound = () =>
  new AwsError('ResourceNotFoundException', "Secrets Manager can't find the specified secret.", 400);

export const noSuchVersion = (which: string) =>
  new AwsError('ResourceNotFoundException', `Secrets Manager can't find the specified secret value for ${which}`, 400);

export const invalidRequest = (message: string) => new AwsError('InvalidRequestException', message, 400);
export const invalidParameter = (message: string) => new AwsError('InvalidParameterException', message, 400);
export const exists = (message: string) => new AwsError('ResourceExistsException', message, 400);

export const markedForDeletion = () =>
  invalidRequest("You can't perform this operation on the secret because it was marked for deletion.");

/** Whether two values are the same, for idempotent requests. */
export const sameContent = (a: SecretContent, b: SecretContent): boolean =>
  a.SecretString === b.SecretString &&
  Buffer.compare(a.SecretBinary ?? Buffer.alloc(0), b.SecretBinary ?? Buffer.alloc(0)) === 0;

export const tagRecord = (tags: readonly { Key?: string | undefined; Value?: string | undefined }[] | undefined) =>
  Object.fromEntries((tags ?? []).map(({ Key, Value }) => [Key ?? '', Value ?? '']));

export const tagList = (tags: Readonly<Record<string, string>>) =>
  Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
