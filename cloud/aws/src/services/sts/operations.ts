import type { IamNeighbour } from '../../account/neighbours.ts';
import type { Operation, Permission } from '../../account/service.ts';

interface AssumeRoleInput {
  readonly RoleArn: string;
  readonly RoleSessionName: string;
  readonly DurationSeconds?: number;
  readonly ExternalId?: string;
  readonly Policy?: string;
  readonly Tags?: readonly { readonly Key: string; readonly Value: string }[];
}

/** IAM asks the role's trust policy, which must let the caller or its account in: "AssumeRole", STS API reference. */
export const assumeRole = (iam: IamNeighbour): Operation<AssumeRoleInput> => ({
  permissions: (input) => {
    const tags = input.Tags ?? [];
    const context: Record<string, string | string[]> = { 'sts:RoleSessionName': input.RoleSessionName };
    if (input.ExternalId !== undefined) context['sts:ExternalId'] = input.ExternalId;
    if (tags.length > 0) context['aws:TagKeys'] = tags.map(({ Key }) => Key);
    for (const { Key, Value } of tags) context[`aws:RequestTag/${Key}`] = Value;
    const permission = (action: string): Permission => ({ action, resource: input.RoleArn, context });
    return tags.length === 0
      ? [permission('sts:AssumeRole')]
      : [permission('sts:AssumeRole'), permission('sts:TagSession')];
  },
  run: (input, { principal }) => {
    const session = iam.assumeRole(principal, {
      roleArn: input.RoleArn,
      sessionName: input.RoleSessionName,
      tags: Object.fromEntries((input.Tags ?? []).map(({ Key, Value }) => [Key, Value])),
      ...(input.DurationSeconds !== undefined && { durationSeconds: input.DurationSeconds }),
      ...(input.Policy !== undefined && { policy: input.Policy }),
    });
    const { accessKeyId, secretAccessKey, sessionToken, expiresAt } = session.credentials;
    return {
      Credentials: {
        AccessKeyId: accessKeyId,
        SecretAccessKey: secretAccessKey,
        SessionToken: sessionToken,
        Expiration: new Date(expiresAt!),
      },
      AssumedRoleUser: { AssumedRoleId: session.principal.userId, Arn: session.principal.arn },
    };
  },
});

/** Needs no permission, and no policy can deny it: "GetCallerIdentity", STS API reference. */
export const getCallerIdentity: Operation = {
  permissions: () => [],
  run: (_input, { principal }) => ({ UserId: principal.userId, Account: principal.accountId, Arn: principal.arn }),
};
