import type { ResourceProvider, ResourceProviders, ResourceRequest } from '../account/service.ts';
import type { IamAccount } from './identities/account.ts';
import {
  attachPolicy,
  checkPolicyExists,
  checkSessionLimit,
  createRole,
  deleteIdentity,
  deleteInlinePolicy,
  putInlinePolicy,
  storeTrust,
} from './identities/identities.ts';
import { addRole, createInstanceProfile, deleteInstanceProfile, removeRole } from './identities/instance-profiles.ts';
import type { Identity } from './model.ts';

type Properties = ResourceRequest['properties'];

/** How CloudFormation handles IAM's resource types: "AWS Identity and Access Management resource type reference". */
export const iamResources = (account: IamAccount): ResourceProviders => ({
  'AWS::IAM::Role': roleProvider(account),
  'AWS::IAM::Policy': inlinePolicyProvider(account),
  'AWS::IAM::InstanceProfile': instanceProfileProvider(account),
});

function roleProvider(account: IamAccount): ResourceProvider {
  const { model } = account;
  const state = (name: string) => {
    const { arn, id } = model.role(name);
    return { physicalId: name, attributes: { Arn: arn, RoleId: id } };
  };
  return {
    create: (request) => {
      const { properties } = request;
      const RoleName = properties.RoleName ?? request.generateName(64);
      const role = createRole(account, { ...properties, RoleName } as never);
      giveOrRemove(account, role, () => givePolicies(account, role, properties));
      return state(role.name);
    },
    update: ({ physicalId, properties, previousProperties }) => {
      const role = model.role(physicalId);
      role.trust = storeTrust(account, properties.AssumeRolePolicyDocument);
      role.description = properties.Description ?? '';
      role.maxSessionSeconds = checkSessionLimit(Number(properties.MaxSessionDuration ?? 3600));
      updateIdentity(account, role, properties, previousProperties);
      return state(physicalId);
    },
    delete: ({ physicalId, properties }) => removeIdentity(account, model.roles.get(physicalId), properties),
  };
}

const inlinePolicies = (properties: Properties): readonly { PolicyName: string; PolicyDocument: object }[] =>
  properties.Policies ?? [];
const attachedArns = (properties: Properties): readonly string[] => properties.ManagedPolicyArns ?? [];

function givePolicies(account: IamAccount, identity: Identity, properties: Properties): void {
  for (const { PolicyName, PolicyDocument } of inlinePolicies(properties))
    putInlinePolicy(account, identity, PolicyName, PolicyDocument);
  for (const policyArn of attachedArns(properties)) attachPolicy(account, identity, policyArn);
}

/** A create that fails leaves nothing behind. */
function giveOrRemove(account: IamAccount, identity: Identity, give: () => void): void {
  try {
    give();
  } catch (error) {
    identity.inline.clear();
    identity.attached.clear();
    deleteIdentity(account, identity);
    throw error;
  }
}

function updateIdentity(account: IamAccount, identity: Identity, now: Properties, before: Properties): void {
  const kept = new Set(inlinePolicies(now).map(({ PolicyName }) => PolicyName));
  for (const { PolicyName } of inlinePolicies(before)) if (!kept.has(PolicyName)) identity.inline.delete(PolicyName);
  for (const policyArn of attachedArns(before))
    if (!attachedArns(now).includes(policyArn)) identity.attached.delete(policyArn);
  givePolicies(account, identity, now);
  if (now.PermissionsBoundary !== undefined) checkPolicyExists(now.PermissionsBoundary);
  identity.boundaryArn = now.PermissionsBoundary;
  identity.tags.clear();
  for (const { Key, Value } of now.Tags ?? []) identity.tags.set(Key, Value);
  account.changed();
}

/** Takes away what the template gave; anything added from outside makes the deletion fail, as it does in AWS. */
function removeIdentity(account: IamAccount, identity: Identity | undefined, properties: Properties): void {
  if (identity === undefined) return;
  for (const { PolicyName } of inlinePolicies(properties)) identity.inline.delete(PolicyName);
  for (const policyArn of attachedArns(properties)) identity.attached.delete(policyArn);
  deleteIdentity(account, identity);
}

/** Roles and users that a policy of a template names. */
function holders({ model }: IamAccount, properties: Properties): Identity[] {
  if (properties.Groups !== undefined) throw new Error('the embedded cloud does not model IAM groups');
  const roles: readonly string[] = properties.Roles ?? [];
  const users: readonly string[] = properties.Users ?? [];
  return [...roles.map((name) => model.role(name)), ...users.map((name) => model.user(name))];
}

const stillThere = (account: IamAccount, properties: Properties): Identity[] => {
  const there = (map: ReadonlyMap<string, Identity>) => (name: string) => map.has(name);
  const Roles = (properties.Roles ?? []).filter(there(account.model.roles));
  const Users = (properties.Users ?? []).filter(there(account.model.users));
  return holders(account, { Roles, Users });
};

function inlinePolicyProvider(account: IamAccount): ResourceProvider {
  const put = ({ properties }: ResourceRequest) => {
    const identities = holders(account, properties);
    if (identities.length === 0) throw new Error('At least one of [Groups,Roles,Users] must be non-empty.');
    for (const identity of identities)
      putInlinePolicy(account, identity, properties.PolicyName, properties.PolicyDocument);
  };
  const remove = (properties: Properties) => {
    for (const identity of stillThere(account, properties))
      if (identity.inline.has(properties.PolicyName)) deleteInlinePolicy(account, identity, properties.PolicyName);
  };
  return {
    create: (request) => {
      put(request);
      return { physicalId: request.generateName(128) };
    },
    update: (request) => {
      const before = request.previousProperties;
      const renamed = before.PolicyName !== request.properties.PolicyName;
      const left = stillThere(account, before).filter((it) => !holders(account, request.properties).includes(it));
      put(request);
      for (const identity of renamed ? stillThere(account, before) : left)
        if (identity.inline.has(before.PolicyName)) deleteInlinePolicy(account, identity, before.PolicyName);
      return { physicalId: request.physicalId };
    },
    delete: ({ properties }) => remove(properties),
  };
}

function instanceProfileProvider(account: IamAccount): ResourceProvider {
  const { model } = account;
  const state = (name: string) => ({ physicalId: name, attributes: { Arn: model.instanceProfile(name).arn } });
  return {
    create: (request) => {
      const { properties } = request;
      const InstanceProfileName = properties.InstanceProfileName ?? request.generateName(128);
      const profile = createInstanceProfile(account, { ...properties, InstanceProfileName });
      for (const role of properties.Roles ?? []) addRole(account, profile, role);
      return state(profile.name);
    },
    update: ({ physicalId, properties }) => {
      const profile = model.instanceProfile(physicalId);
      profile.roleName = undefined;
      for (const role of properties.Roles ?? []) addRole(account, profile, role);
      return state(physicalId);
    },
    delete: ({ physicalId }) => {
      const profile = model.instanceProfiles.get(physicalId);
      if (profile?.roleName !== undefined) removeRole(profile, profile.roleName);
      if (profile !== undefined) deleteInstanceProfile(account, profile);
    },
  };
}
