import { globalArn } from '../../account/arn.ts';
import type { Operation, Operations } from '../../account/service.ts';
import { passRole } from '../authorization/pass-role.ts';
import type { IamAccount } from '../identities/account.ts';
import {
  addRole,
  createInstanceProfile,
  deleteInstanceProfile,
  type InstanceProfileRequest,
  removeRole,
} from '../identities/instance-profiles.ts';
import { describeInstanceProfile } from './describe.ts';
import { arnOf, operationOn } from './permission.ts';

interface OnProfile {
  readonly InstanceProfileName: string;
}

interface OnProfileRole extends OnProfile {
  readonly RoleName: string;
}

/** Instance profiles: the way a role reaches an instance. */
export function instanceProfileOperations(account: IamAccount): Operations {
  const { model } = account;
  const byName = ({ InstanceProfileName }: OnProfile) => arnOf(account, 'instance-profile', InstanceProfileName);
  return {
    CreateInstanceProfile: operationOn(
      'CreateInstanceProfile',
      ({ InstanceProfileName, Path = '/' }: InstanceProfileRequest) =>
        globalArn(account.scope, 'iam', `instance-profile${Path}${InstanceProfileName}`),
      (input: InstanceProfileRequest) => ({
        InstanceProfile: describeInstanceProfile(createInstanceProfile(account, input), model),
      }),
    ),
    DeleteInstanceProfile: operationOn('DeleteInstanceProfile', byName, ({ InstanceProfileName }: OnProfile) =>
      deleteInstanceProfile(account, model.instanceProfile(InstanceProfileName)),
    ),
    AddRoleToInstanceProfile: addRoleOperation(account, byName),
    RemoveRoleFromInstanceProfile: operationOn(
      'RemoveRoleFromInstanceProfile',
      byName,
      ({ InstanceProfileName, RoleName }: OnProfileRole) =>
        removeRole(model.instanceProfile(InstanceProfileName), RoleName),
    ),
  };
}

/** Also needs the right to pass the role: "AddRoleToInstanceProfile", IAM API reference. */
const addRoleOperation = (
  account: IamAccount,
  byName: (input: OnProfile) => string,
): Operation<OnProfileRole, void> => ({
  permissions: (input) => [
    { action: 'iam:AddRoleToInstanceProfile', resource: byName(input) },
    passRole(arnOf(account, 'role', input.RoleName), 'ec2.amazonaws.com'),
  ],
  run: ({ InstanceProfileName, RoleName }) =>
    addRole(account, account.model.instanceProfile(InstanceProfileName), RoleName),
});
