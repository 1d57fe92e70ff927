import { globalArn } from '../../account/arn.ts';
import { AwsError } from '../../account/errors.ts';
import { type ManagedPolicy, notFound, type StoredPolicy, uniqueId } from '../model.ts';
import { alreadyExists, deleteConflict, type IamAccount, pathOf, refuseName, sizeOf, storePolicy } from './account.ts';

export interface ManagedPolicyRequest {
  readonly PolicyName: string;
  readonly PolicyDocument: string | object;
  readonly Path?: string;
  readonly Description?: string;
}

export function createManagedPolicy(account: IamAccount, request: ManagedPolicyRequest): ManagedPolicy {
  refuseName('policyName', request.PolicyName, 128);
  const path = pathOf(request.Path);
  const arn = globalArn(account.scope, 'iam', `policy${path}${request.PolicyName}`);
  if (account.model.managedPolicies.has(arn)) alreadyExists(`A policy called ${request.PolicyName}`);
  const createdAt = account.clock.now();
  const managed: ManagedPolicy = {
    name: request.PolicyName,
    path,
    id: uniqueId(account.random, 'ANPA'),
    arn,
    createdAt,
    description: request.Description ?? '',
    versions: new Map([['v1', { ...storeManaged(request.PolicyDocument), createdAt }]]),
    defaultVersion: 'v1',
    nextVersion: 2,
  };
  account.model.managedPolicies.set(arn, managed);
  return managed;
}

/** Five versions at most; CloudFormation makes room itself, callers of the API must. */
export function addPolicyVersion(
  account: IamAccount,
  managed: ManagedPolicy,
  document: string | object,
  asDefault: boolean,
): string {
  if (managed.versions.size >= 5)
    throw new AwsError(
      'LimitExceeded',
      'A managed policy can have up to 5 versions. Before you create a new version, you must delete an existing version.',
      409,
    );
  const version = `v${managed.nextVersion++}`;
  managed.versions.set(version, { ...storeManaged(document), createdAt: account.clock.now() });
  if (asDefault) managed.defaultVersion = version;
  account.changed();
  return version;
}

export function policyVersion(managed: ManagedPolicy, version: string): StoredPolicy & { readonly createdAt: number } {
  return managed.versions.get(version) ?? notFound(`Policy ${managed.arn} version ${version} does not exist.`);
}

export function deletePolicyVersion(managed: ManagedPolicy, version: string): void {
  policyVersion(managed, version);
  if (version === managed.defaultVersion) deleteConflict('cannot delete the default version of a policy');
  managed.versions.delete(version);
}

export function deleteManagedPolicy(account: IamAccount, managed: ManagedPolicy): void {
  if ([...account.model.holdersOf(managed.arn)].length > 0)
    deleteConflict('a policy attached to entities cannot be deleted');
  if (managed.versions.size > 1) deleteConflict('the policy has more than one version');
  account.model.managedPolicies.delete(managed.arn);
}

function storeManaged(document: string | object): StoredPolicy {
  const stored = storePolicy(document, 'identity');
  if (sizeOf(stored.text) > 6_144) throw new AwsError('LimitExceeded', 'Cannot exceed quota for PolicySize: 6144', 409);
  return stored;
}
