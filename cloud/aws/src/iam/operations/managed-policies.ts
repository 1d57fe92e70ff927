import { globalArn } from '../../account/arn.ts';
import type { Operations } from '../../account/service.ts';
import type { IamAccount } from '../identities/account.ts';
import {
  addPolicyVersion,
  createManagedPolicy,
  deleteManagedPolicy,
  deletePolicyVersion,
  type ManagedPolicyRequest,
  policyVersion,
} from '../identities/managed-policies.ts';
import type { ManagedPolicy } from '../model.ts';
import { describePolicy, encoded } from './describe.ts';
import { operationOn } from './permission.ts';

interface OnPolicy {
  readonly PolicyArn: string;
}

interface OnVersion extends OnPolicy {
  readonly VersionId: string;
}

/** Managed policies of the account and their versions. */
export function managedPolicyOperations(account: IamAccount): Operations {
  const { model } = account;
  const byArn = ({ PolicyArn }: OnPolicy) => PolicyArn;
  return {
    CreatePolicy: operationOn(
      'CreatePolicy',
      ({ PolicyName, Path = '/' }: ManagedPolicyRequest) =>
        globalArn(account.scope, 'iam', `policy${Path}${PolicyName}`),
      (input: ManagedPolicyRequest) => ({ Policy: describePolicy(createManagedPolicy(account, input), model) }),
    ),
    GetPolicy: operationOn('GetPolicy', byArn, ({ PolicyArn }: OnPolicy) => ({
      Policy: describePolicy(model.managedPolicy(PolicyArn), model),
    })),
    DeletePolicy: operationOn('DeletePolicy', byArn, ({ PolicyArn }: OnPolicy) =>
      deleteManagedPolicy(account, model.managedPolicy(PolicyArn)),
    ),
    CreatePolicyVersion: operationOn(
      'CreatePolicyVersion',
      byArn,
      ({ PolicyArn, PolicyDocument, SetAsDefault }: OnPolicy & { PolicyDocument: string; SetAsDefault?: boolean }) => {
        const managed = model.managedPolicy(PolicyArn);
        const version = addPolicyVersion(account, managed, PolicyDocument, SetAsDefault === true);
        return { PolicyVersion: describeVersion(managed, version) };
      },
    ),
    GetPolicyVersion: operationOn('GetPolicyVersion', byArn, ({ PolicyArn, VersionId }: OnVersion) => {
      const managed = model.managedPolicy(PolicyArn);
      const Document = encoded(policyVersion(managed, VersionId).text);
      return { PolicyVersion: { ...describeVersion(managed, VersionId), Document } };
    }),
    ListPolicyVersions: operationOn('ListPolicyVersions', byArn, ({ PolicyArn }: OnPolicy) => {
      const managed = model.managedPolicy(PolicyArn);
      return { Versions: [...managed.versions.keys()].map((version) => describeVersion(managed, version)) };
    }),
    DeletePolicyVersion: operationOn('DeletePolicyVersion', byArn, ({ PolicyArn, VersionId }: OnVersion) =>
      deletePolicyVersion(model.managedPolicy(PolicyArn), VersionId),
    ),
  };
}

const describeVersion = (managed: ManagedPolicy, version: string) => ({
  VersionId: version,
  IsDefaultVersion: managed.defaultVersion === version,
  CreateDate: new Date(policyVersion(managed, version).createdAt),
});
