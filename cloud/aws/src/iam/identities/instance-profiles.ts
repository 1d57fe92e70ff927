import { globalArn } from '../../account/arn.ts';
import { AwsError } from '../../account/errors.ts';
import { type InstanceProfile, notFound, uniqueId } from '../model.ts';
import { alreadyExists, deleteConflict, type IamAccount, pathOf, refuseName } from './account.ts';

export interface InstanceProfileRequest {
  readonly InstanceProfileName: string;
  readonly Path?: string;
}

export function createInstanceProfile(account: IamAccount, request: InstanceProfileRequest): InstanceProfile {
  const { InstanceProfileName: name } = request;
  refuseName('instanceProfileName', name, 128);
  if (account.model.instanceProfiles.has(name)) alreadyExists(`Instance Profile ${name}`);
  const path = pathOf(request.Path);
  const profile: InstanceProfile = {
    name,
    path,
    id: uniqueId(account.random, 'AIPA'),
    arn: globalArn(account.scope, 'iam', `instance-profile${path}${name}`),
    createdAt: account.clock.now(),
    roleName: undefined,
  };
  account.model.instanceProfiles.set(name, profile);
  return profile;
}

/** One role at most ("IAM and AWS STS quotas": roles in an instance profile). */
export function addRole(account: IamAccount, profile: InstanceProfile, roleName: string): void {
  account.model.role(roleName);
  if (profile.roleName !== undefined)
    throw new AwsError('LimitExceeded', 'Cannot exceed quota for InstanceSessionsPerInstanceProfile: 1', 409);
  profile.roleName = roleName;
}

export function removeRole(profile: InstanceProfile, roleName: string): void {
  if (profile.roleName !== roleName) notFound(`The role with name ${roleName} cannot be found.`);
  profile.roleName = undefined;
}

export function deleteInstanceProfile(account: IamAccount, profile: InstanceProfile): void {
  if (profile.roleName !== undefined) deleteConflict('must remove roles from instance profile first');
  account.model.instanceProfiles.delete(profile.name);
}
