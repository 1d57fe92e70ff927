import { globalArn } from '../../account/arn.ts';
import type { Operations } from '../../account/service.ts';
import type { IamAccount } from '../identities/account.ts';
import { attachPolicy, createUser, type UserRequest } from '../identities/identities.ts';
import type { User } from '../model.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { describeUser } from './describe.ts';
import { arnOf, operationOn, requestTags } from './permission.ts';

interface OnUser {
  readonly UserName: string;
}

/** Users as far as operators need them: a name, policies and access keys. */
export function userOperations(account: IamAccount, sessions: Sessions): Operations {
  const { model } = account;
  const byName = ({ UserName }: OnUser) => arnOf(account, 'user', UserName);
  const keyOwners = new Map<string, string>();
  return {
    CreateUser: operationOn(
      'CreateUser',
      ({ UserName, Path = '/' }: UserRequest) => globalArn(account.scope, 'iam', `user${Path}${UserName}`),
      (input: UserRequest) => ({ User: describeUser(createUser(account, input)) }),
      ({ Tags }) => requestTags(Tags as never),
    ),
    AttachUserPolicy: operationOn(
      'AttachUserPolicy',
      byName,
      ({ UserName, PolicyArn }: OnUser & { PolicyArn: string }) =>
        attachPolicy(account, model.user(UserName), PolicyArn),
      ({ PolicyArn }) => ({ 'iam:PolicyARN': PolicyArn }),
    ),
    CreateAccessKey: operationOn('CreateAccessKey', byName, ({ UserName }: OnUser) => {
      const { credentials } = sessions.issueKey(userPrincipal(account, model.user(UserName)));
      keyOwners.set(credentials.accessKeyId, UserName);
      return { AccessKey: describeKey(UserName, credentials, account.clock.now()) };
    }),
  };
}

const userPrincipal = ({ scope }: IamAccount, user: User) => ({
  arn: user.arn,
  accountId: scope.accountId,
  userId: user.id,
});

const describeKey = (
  UserName: string,
  { accessKeyId, secretAccessKey }: { accessKeyId: string; secretAccessKey: string },
  now: number,
) => ({
  UserName,
  AccessKeyId: accessKeyId,
  SecretAccessKey: secretAccessKey,
  Status: 'Active',
  CreateDate: new Date(now),
});
