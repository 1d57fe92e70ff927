import type { IamModel, Identity, InstanceProfile, Role, User } from '../model.ts';

/** Documents travel URL-encoded: "GetRolePolicy", IAM API reference. */
const encoded = (text: string): string => encodeURIComponent(text);

const tagList = (identity: Identity) => [...identity.tags].map(([Key, Value]) => ({ Key, Value }));

const boundary = ({ boundaryArn }: Identity) =>
  boundaryArn === undefined
    ? {}
    : { PermissionsBoundary: { PermissionsBoundaryType: 'Policy', PermissionsBoundaryArn: boundaryArn } };

export const describeRole = (role: Role) => ({
  Path: role.path,
  RoleName: role.name,
  RoleId: role.id,
  Arn: role.arn,
  CreateDate: new Date(role.createdAt),
  AssumeRolePolicyDocument: encoded(role.trust.text),
  Description: role.description,
  MaxSessionDuration: role.maxSessionSeconds,
  Tags: tagList(role),
  ...boundary(role),
});

export const describeUser = (user: User) => ({
  Path: user.path,
  UserName: user.name,
  UserId: user.id,
  Arn: user.arn,
  CreateDate: new Date(user.createdAt),
  Tags: tagList(user),
  ...boundary(user),
});

export const describeInstanceProfile = (profile: InstanceProfile, model: IamModel) => ({
  Path: profile.path,
  InstanceProfileName: profile.name,
  InstanceProfileId: profile.id,
  Arn: profile.arn,
  CreateDate: new Date(profile.createdAt),
  Roles: profile.roleName === undefined ? [] : [describeRole(model.role(profile.roleName))],
});
