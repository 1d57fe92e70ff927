import type { Step } from '../play.ts';

const document = (Statement: object) => JSON.stringify({ Version: '2012-10-17', Statement: [Statement] });
export const everything = document({ Effect: 'Allow', Action: '*', Resource: '*' });
export const trust = (Service: string) =>
  document({ Effect: 'Allow', Principal: { Service }, Action: 'sts:AssumeRole' });
const trustAccount = (more: object = {}) =>
  document({
    Effect: 'Allow',
    Principal: { AWS: '123456789012' },
    Action: ['sts:AssumeRole', 'sts:TagSession'],
    ...more,
  });
const role = { RoleName: 'r' };
const readOnly = { PolicyArn: 'arn:aws:iam::aws:policy/AdministratorAccess' };
const core = { PolicyArn: 'arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore' };
const profile = { InstanceProfileName: 'p' };
const tags = [{ Key: 'team', Value: 'ops' }];
const assumed = { RoleArn: 'arn:aws:iam::123456789012:role/guarded', RoleSessionName: 'session' };

export const identities: readonly Step[] = [
  [
    'iam:CreateRole',
    {
      ...role,
      AssumeRolePolicyDocument: trustAccount(),
      Description: 'd',
      MaxSessionDuration: 7_200,
      PermissionsBoundary: 'arn:aws:iam::aws:policy/AdministratorAccess',
      Tags: tags,
    },
  ],
  ['iam:CreateRole', { RoleName: 'other', AssumeRolePolicyDocument: trustAccount(), Path: '/x/' }],
  ['iam:GetRole', role],
  ['iam:ListRoles', { PathPrefix: '/x/' }],
  ['iam:ListRoles', { MaxItems: 1 }],
  ['iam:ListRoles', ({ ListRoles }) => ({ Marker: ListRoles.Marker })],
  ['iam:PutRolePolicy', { ...role, PolicyName: 'own', PolicyDocument: everything }],
  ['iam:DeleteRole', role],
  ['iam:DeleteRolePolicy', { ...role, PolicyName: 'own' }],
  ['iam:AttachRolePolicy', { ...role, ...core }],
  ['iam:DetachRolePolicy', { ...role, ...core }],
  ['iam:CreateInstanceProfile', { ...profile, Path: '/x/' }],
  ['iam:AddRoleToInstanceProfile', { ...profile, ...role }],
  ['iam:RemoveRoleFromInstanceProfile', { ...profile, ...role }],
  ['iam:DeleteInstanceProfile', profile],
  ['iam:CreateUser', { UserName: 'u', Path: '/x/', PermissionsBoundary: readOnly.PolicyArn, Tags: tags }],
  ['iam:AttachUserPolicy', { UserName: 'u', ...readOnly }],
  ['iam:CreateAccessKey', { UserName: 'u' }],
  [
    'iam:CreateRole',
    {
      RoleName: 'guarded',
      AssumeRolePolicyDocument: trustAccount({ Condition: { StringEquals: { 'sts:ExternalId': 'xx' } } }),
      MaxSessionDuration: 7_200,
    },
  ],
  ['sts:AssumeRole', { ...assumed, ExternalId: 'xx', DurationSeconds: 7_200 }],
  ['sts:GetCallerIdentity', {}],
];

const tagged = document({
  Effect: 'Allow',
  Action: 'iam:GetRole',
  Resource: '*',
  Condition: { StringEquals: { 'aws:PrincipalTag/team': 'ops' } },
});
const session = (more: object): readonly Step[] => [
  ['iam:CreateRole', { RoleName: 'guarded', AssumeRolePolicyDocument: trustAccount() }],
  [
    'iam:PutRolePolicy',
    { RoleName: 'guarded', PolicyName: 'own', PolicyDocument: 'Tags' in more ? tagged : everything },
  ],
  ['iam:CreateUser', { UserName: 'u' }],
  ['iam:AttachUserPolicy', { UserName: 'u', ...readOnly }],
  ['iam:CreateAccessKey', { UserName: 'u' }],
  ['sts:AssumeRole', { ...assumed, ...more }],
  ['iam:GetRole', { RoleName: 'guarded' }],
];
const nothing = document({ Effect: 'Deny', Action: '*', Resource: '*' });

export const narrowSession = session({ Policy: nothing });
export const taggedSession = session({ Tags: tags });
