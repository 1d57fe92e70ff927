import { globalArn } from '../../account/arn.ts';
import { AwsError } from '../../account/errors.ts';
import { type Identity, notFound, type Role, type StoredPolicy, type User, uniqueId } from '../model.ts';
import { alreadyExists, deleteConflict, type IamAccount, pathOf, refuseName, sizeOf, storePolicy } from './account.ts';
import { awsManagedPolicy, isAwsManaged, knownAwsManagedPolicies } from './aws-managed-policies.ts';

/** The input for creating roles and users; names are those of the API and of CloudFormation. */
interface IdentityRequest {
  readonly Path?: string;
  readonly PermissionsBoundary?: string;
  readonly Tags?: readonly { readonly Key: string; readonly Value: string }[];
}

export interface RoleRequest extends IdentityRequest {
  readonly RoleName: string;
  readonly AssumeRolePolicyDocument: string | object;
  readonly Description?: string;
  readonly MaxSessionDuration?: number;
}

export interface UserRequest extends IdentityRequest {
  readonly UserName: string;
}

export function createRole(account: IamAccount, request: RoleRequest): Role {
  refuseName('roleName', request.RoleName, 64);
  if (account.model.roles.has(request.RoleName)) alreadyExists(`Role with name ${request.RoleName}`);
  const role: Role = {
    ...newIdentity(account, 'role', request.RoleName, request),
    kind: 'role',
    trust: storeTrust(account, request.AssumeRolePolicyDocument),
    description: request.Description ?? '',
    maxSessionSeconds: checkSessionLimit(request.MaxSessionDuration ?? 3600),
  };
  account.model.roles.set(role.name, role);
  account.changed();
  return role;
}

export function createUser(account: IamAccount, request: UserRequest): User {
  refuseName('userName', request.UserName, 64);
  if (account.model.users.has(request.UserName)) alreadyExists(`User with name ${request.UserName}`);
  const user: User = { ...newIdentity(account, 'user', request.UserName, request), kind: 'user' };
  account.model.users.set(user.name, user);
  account.changed();
  return user;
}

function newIdentity(account: IamAccount, kind: 'role' | 'user', name: string, request: IdentityRequest): Identity {
  const path = pathOf(request.Path);
  if (request.PermissionsBoundary !== undefined) checkPolicyExists(request.PermissionsBoundary);
  return {
    kind,
    name,
    path,
    id: uniqueId(account.random, kind === 'role' ? 'AROA' : 'AIDA'),
    arn: globalArn(account.scope, 'iam', `${kind}${path}${name}`),
    createdAt: account.clock.now(),
    inline: new Map(),
    attached: new Set(),
    tags: new Map((request.Tags ?? []).map(({ Key, Value }) => [Key, Value])),
    boundaryArn: request.PermissionsBoundary,
  };
}

/** Reads a trust policy; the users and roles of this account that it names must exist. */
/** Services that take roles. IAM refuses names that it does not know. */
const trustedServices =
  /^(apigateway|autoscaling|backup|batch|cloudformation|codebuild|codedeploy|codepipeline|dlm|ec2|ecs|ecs-tasks|edgelambda|eks|elasticloadbalancing|events|firehose|imagebuilder|lambda|logs|monitoring|pipes|s3|scheduler|sns|spotfleet|ssm|states|vpc-flow-logs)\.amazonaws\.com$/;

export function storeTrust(account: IamAccount, document: string | object): StoredPolicy {
  const stored = storePolicy(document, 'trust');
  for (const arn of stored.policy.statements.flatMap(({ principal }) => principal?.arns ?? []))
    if (arn.startsWith(`arn:aws:iam::${account.scope.accountId}:`) && !identityExists(account, arn))
      throw new AwsError('MalformedPolicyDocument', `Invalid principal in policy: "AWS":"${arn}"`, 400);
  for (const service of stored.policy.statements.flatMap(({ principal }) => [...(principal?.services ?? [])]))
    if (!trustedServices.test(service))
      throw new AwsError(
        'MalformedPolicyDocument',
        `Invalid principal in policy: "SERVICE":"${service}": the embedded cloud knows no such service`,
        400,
      );
  if (sizeOf(stored.text) > 2048)
    throw new AwsError('LimitExceeded', 'Cannot exceed quota for ACLSizePerRole: 2048', 409);
  return stored;
}

const identityExists = ({ model }: IamAccount, arn: string): boolean =>
  model.roleByArn(arn) !== undefined || [...model.users.values()].some((user) => user.arn === arn);

export function checkSessionLimit(seconds: number): number {
  if (!(seconds >= 3600 && seconds <= 43_200))
    throw new AwsError('ValidationError', `MaxSessionDuration ${seconds} must be between 3600 and 43200 seconds`);
  return seconds;
}

/** Inline policies of one identity together: 10,240 characters for a role, 2,048 for a user. */
export function putInlinePolicy(
  account: IamAccount,
  identity: Identity,
  name: string,
  document: string | object,
): void {
  refuseName('policyName', name, 128);
  const stored = storePolicy(document, 'identity');
  const others = [...identity.inline].filter(([other]) => other !== name).map(([, { text }]) => sizeOf(text));
  const limit = identity.kind === 'role' ? 10_240 : 2_048;
  if (others.reduce((sum, size) => sum + size, sizeOf(stored.text)) > limit)
    throw new AwsError(
      'LimitExceeded',
      `Maximum policy size of ${limit} bytes exceeded for ${identity.kind} ${identity.name}`,
      409,
    );
  identity.inline.set(name, stored);
  account.changed();
}

export function deleteInlinePolicy(account: IamAccount, identity: Identity, name: string): void {
  inlinePolicy(identity, name);
  identity.inline.delete(name);
  account.changed();
}

function inlinePolicy(identity: Identity, name: string): StoredPolicy {
  return identity.inline.get(name) ?? notFound(`The ${identity.kind} policy with name ${name} cannot be found.`);
}

/** At most ten ("IAM and AWS STS quotas": managed policies per role or user). */
export function attachPolicy(account: IamAccount, identity: Identity, policyArn: string): void {
  checkPolicyExists(policyArn);
  if (!identity.attached.has(policyArn) && identity.attached.size >= 10)
    throw new AwsError('LimitExceeded', 'Cannot exceed quota for PoliciesPerRole: 10', 409);
  identity.attached.add(policyArn);
  account.changed();
}

export function detachPolicy(account: IamAccount, identity: Identity, policyArn: string): void {
  if (!identity.attached.delete(policyArn)) notFound(`Policy ${policyArn} was not found.`);
  account.changed();
}

export function checkPolicyExists(policyArn: string): void {
  if (!/^arn:aws:iam::(aws|\d{12}):policy\/.+$/.test(policyArn))
    throw new AwsError('InvalidInput', `ARN ${policyArn} is not valid.`, 400);
  if (!isAwsManaged(policyArn)) notFound(`Policy ${policyArn} was not found.`);
  if (awsManagedPolicy(policyArn) === undefined)
    notFound(
      `Policy ${policyArn} does not exist or is not attachable: the embedded cloud knows ${knownAwsManagedPolicies.join(', ')}.`,
    );
}

/** A role or user goes only when nothing hangs on it. */
export function deleteIdentity(account: IamAccount, identity: Identity): void {
  const { model } = account;
  if (identity.inline.size > 0) deleteConflict('must delete policies first');
  if (identity.attached.size > 0) deleteConflict('must detach all policies first');
  if (
    identity.kind === 'role' &&
    [...model.instanceProfiles.values()].some(({ roleName }) => roleName === identity.name)
  )
    deleteConflict('must remove roles from instance profile first');
  if (identity.kind === 'role') model.roles.delete(identity.name);
  else model.users.delete(identity.name);
  account.changed();
}
