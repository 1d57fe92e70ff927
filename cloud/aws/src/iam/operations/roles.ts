import { globalArn } from '../../account/arn.ts';
import type { Operations } from '../../account/service.ts';
import type { IamAccount } from '../identities/account.ts';
import {
  attachPolicy,
  checkSessionLimit,
  createRole,
  deleteIdentity,
  deleteInlinePolicy,
  detachPolicy,
  inlinePolicy,
  putInlinePolicy,
  type RoleRequest,
  storeTrust,
} from '../identities/identities.ts';
import { lastPart } from '../model.ts';
import { describeRole, encoded } from './describe.ts';
import { arnOf, operationOn, requestTags } from './permission.ts';
import { createServiceLinkedRole } from './service-linked-roles.ts';

interface OnRole {
  readonly RoleName: string;
}

interface OnRolePolicy extends OnRole {
  readonly PolicyName: string;
}

interface OnAttachment extends OnRole {
  readonly PolicyArn: string;
}

/** Roles, their inline policies and what is attached to them. Lists are not paged: they always come whole. */
export function roleOperations(account: IamAccount): Operations {
  const { model } = account;
  const byName = ({ RoleName }: OnRole) => arnOf(account, 'role', RoleName);
  const attachment = ({ PolicyArn }: OnAttachment) => ({ 'iam:PolicyARN': PolicyArn });
  return {
    CreateRole: operationOn(
      'CreateRole',
      ({ RoleName, Path = '/' }: RoleRequest) => globalArn(account.scope, 'iam', `role${Path}${RoleName}`),
      (input: RoleRequest) => ({ Role: describeRole(createRole(account, input)) }),
      ({ Tags }) => requestTags(Tags as never),
    ),
    GetRole: operationOn('GetRole', byName, ({ RoleName }: OnRole) => ({ Role: describeRole(model.role(RoleName)) })),
    ListRoles: operationOn(
      'ListRoles',
      () => globalArn(account.scope, 'iam', 'role/'),
      ({ PathPrefix = '/' }: { PathPrefix?: string }) => ({
        Roles: [...model.roles.values()].filter(({ path }) => path.startsWith(PathPrefix)).map(describeRole),
        IsTruncated: false,
      }),
    ),
    DeleteRole: operationOn('DeleteRole', byName, ({ RoleName }: OnRole) =>
      deleteIdentity(account, model.role(RoleName)),
    ),
    UpdateRole: operationOn(
      'UpdateRole',
      byName,
      ({ RoleName, Description, MaxSessionDuration }: OnRole & Partial<RoleRequest>) => {
        const role = model.role(RoleName);
        if (MaxSessionDuration !== undefined) role.maxSessionSeconds = checkSessionLimit(MaxSessionDuration);
        if (Description !== undefined) role.description = Description;
        return {};
      },
    ),
    UpdateAssumeRolePolicy: operationOn(
      'UpdateAssumeRolePolicy',
      byName,
      ({ RoleName, PolicyDocument }: OnRole & { PolicyDocument: string }) => {
        model.role(RoleName).trust = storeTrust(account, PolicyDocument);
        account.changed();
      },
    ),
    TagRole: operationOn(
      'TagRole',
      byName,
      ({ RoleName, Tags }: OnRole & { Tags: { Key: string; Value: string }[] }) => {
        for (const { Key, Value } of Tags) model.role(RoleName).tags.set(Key, Value);
        account.changed();
      },
      ({ Tags }) => requestTags(Tags),
    ),
    ListRoleTags: operationOn('ListRoleTags', byName, ({ RoleName }: OnRole) => ({
      Tags: describeRole(model.role(RoleName)).Tags,
      IsTruncated: false,
    })),
    PutRolePolicy: operationOn(
      'PutRolePolicy',
      byName,
      ({ RoleName, PolicyName, PolicyDocument }: OnRolePolicy & { PolicyDocument: string }) =>
        putInlinePolicy(account, model.role(RoleName), PolicyName, PolicyDocument),
    ),
    GetRolePolicy: operationOn('GetRolePolicy', byName, ({ RoleName, PolicyName }: OnRolePolicy) => ({
      RoleName,
      PolicyName,
      PolicyDocument: encoded(inlinePolicy(model.role(RoleName), PolicyName).text),
    })),
    ListRolePolicies: operationOn('ListRolePolicies', byName, ({ RoleName }: OnRole) => ({
      PolicyNames: [...model.role(RoleName).inline.keys()],
      IsTruncated: false,
    })),
    DeleteRolePolicy: operationOn('DeleteRolePolicy', byName, ({ RoleName, PolicyName }: OnRolePolicy) =>
      deleteInlinePolicy(account, model.role(RoleName), PolicyName),
    ),
    AttachRolePolicy: operationOn(
      'AttachRolePolicy',
      byName,
      ({ RoleName, PolicyArn }: OnAttachment) => attachPolicy(account, model.role(RoleName), PolicyArn),
      attachment,
    ),
    DetachRolePolicy: operationOn(
      'DetachRolePolicy',
      byName,
      ({ RoleName, PolicyArn }: OnAttachment) => detachPolicy(account, model.role(RoleName), PolicyArn),
      attachment,
    ),
    ListAttachedRolePolicies: operationOn('ListAttachedRolePolicies', byName, ({ RoleName }: OnRole) => ({
      AttachedPolicies: [...model.role(RoleName).attached].map((PolicyArn) => ({
        PolicyArn,
        PolicyName: lastPart(PolicyArn),
      })),
      IsTruncated: false,
    })),
    CreateServiceLinkedRole: createServiceLinkedRole(account),
  };
}
