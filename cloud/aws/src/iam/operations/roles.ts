import { globalArn } from '../../account/arn.ts';
import { AwsError } from '../../account/errors.ts';
import { pageOf } from '../../account/paging.ts';
import type { Operations } from '../../account/service.ts';
import type { IamAccount } from '../identities/account.ts';
import {
  attachPolicy,
  createRole,
  deleteIdentity,
  deleteInlinePolicy,
  detachPolicy,
  putInlinePolicy,
  type RoleRequest,
} from '../identities/identities.ts';
import { describeRole } from './describe.ts';
import { arnOf, operationOn, requestTags } from './permission.ts';

interface OnRole {
  readonly RoleName: string;
}

interface ListInput {
  readonly PathPrefix?: string;
  readonly Marker?: string;
  readonly MaxItems?: number;
}

const invalidMarker = (marker: string | undefined) => new AwsError('ValidationError', `Invalid Marker: ${marker}`);

interface OnRolePolicy extends OnRole {
  readonly PolicyName: string;
}

interface OnAttachment extends OnRole {
  readonly PolicyArn: string;
}

/** Roles, their inline policies and what is attached to them. */
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
      ({ PathPrefix = '/', Marker, MaxItems = 100 }: ListInput) => {
        const all = [...model.roles.values()].filter(({ path }) => path.startsWith(PathPrefix));
        const { items, nextToken } = pageOf(all, Marker, MaxItems, () => invalidMarker(Marker));
        const next = nextToken === undefined ? {} : { Marker: nextToken };
        return { Roles: items.map(describeRole), IsTruncated: nextToken !== undefined, ...next };
      },
    ),
    DeleteRole: operationOn('DeleteRole', byName, ({ RoleName }: OnRole) =>
      deleteIdentity(account, model.role(RoleName)),
    ),
    PutRolePolicy: operationOn(
      'PutRolePolicy',
      byName,
      ({ RoleName, PolicyName, PolicyDocument }: OnRolePolicy & { PolicyDocument: string }) =>
        putInlinePolicy(account, model.role(RoleName), PolicyName, PolicyDocument),
    ),
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
  };
}
