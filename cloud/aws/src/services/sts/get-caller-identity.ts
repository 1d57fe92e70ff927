import type { Operation } from '../../account/service.ts';

/** Needs no permission, and no policy can deny it: "GetCallerIdentity", STS API reference. */
export const getCallerIdentity: Operation = {
  permissions: () => [],
  run: (_input, { principal }) => ({ UserId: principal.userId, Account: principal.accountId, Arn: principal.arn }),
};
