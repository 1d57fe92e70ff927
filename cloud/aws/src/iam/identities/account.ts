import type { Clock, Random } from '@drover/core';
import type { ArnScope } from '../../account/arn.ts';
import { AwsError } from '../../account/errors.ts';
import type { IamModel, StoredPolicy } from '../model.ts';
import { compilePolicy, type PolicyKind } from '../policy/document.ts';

/** The state that IAM's operations work on. */
export interface IamAccount {
  readonly scope: ArnScope;
  readonly model: IamModel;
  readonly clock: Clock;
  readonly random: Random;
  /** Called when policies, attachments or tags have changed. */
  changed(): void;
}

/** Reads a policy document (JSON text, or the object of a template) and keeps its text. */
export function storePolicy(document: unknown, kind: PolicyKind): StoredPolicy {
  const text = typeof document === 'string' ? document : JSON.stringify(document);
  return { text, policy: compilePolicy(document, kind) };
}

/** Sizes count without white space: "IAM and AWS STS quotas". */
export const sizeOf = (text: string): number => text.replaceAll(/\s/g, '').length;

export function refuseName(what: string, name: unknown, maxLength: number): void {
  if (typeof name !== 'string' || !/^[\w+=,.@-]+$/.test(name) || name.length > maxLength)
    throw new AwsError(
      'ValidationError',
      `The specified value for ${what} is invalid. It must contain only alphanumeric characters and/or the following: +=,.@_- and have at most ${maxLength} characters`,
    );
}

/** Paths begin and end with a slash. */
export function pathOf(path: unknown = '/'): string {
  if (typeof path !== 'string' || !/^\/(?:[\x21-\x7e]*\/)?$/.test(path))
    throw new AwsError('ValidationError', 'The specified value for path is invalid. It must begin and end with /');
  return path;
}

export const alreadyExists = (what: string): never => {
  throw new AwsError('EntityAlreadyExists', `${what} already exists.`, 409);
};

export const deleteConflict = (why: string): never => {
  throw new AwsError('DeleteConflict', `Cannot delete entity, ${why}.`, 409);
};
