import { globalArn } from '../../account/arn.ts';
import type { Operation, Permission } from '../../account/service.ts';
import type { IamAccount } from '../identities/account.ts';

/** The ARN of something that has a name, with its path when it exists. */
export function arnOf(account: IamAccount, type: 'role' | 'user' | 'instance-profile', name: string): string {
  const { roles, users, instanceProfiles } = account.model;
  const things = { role: roles, user: users, 'instance-profile': instanceProfiles };
  return things[type].get(name)?.arn ?? globalArn(account.scope, 'iam', `${type}/${name}`);
}

/** An operation on one thing, allowed by the action of the same name on its ARN. */
export function operationOn<Input, Output>(
  action: string,
  resource: (input: Input) => string,
  run: (input: Input) => Output,
  context?: (input: Input) => Permission['context'],
): Operation<Input, Output> {
  return {
    permissions: (input) => [
      { action: `iam:${action}`, resource: resource(input), ...(context && { context: context(input)! }) },
    ],
    run,
  };
}

/** Tags of a request as conditions see them. */
export function requestTags(tags: readonly { Key: string; Value: string }[] = []): Record<string, string | string[]> {
  const context: Record<string, string | string[]> = { 'aws:TagKeys': tags.map(({ Key }) => Key) };
  for (const { Key, Value } of tags) context[`aws:RequestTag/${Key}`] = Value;
  return context;
}
