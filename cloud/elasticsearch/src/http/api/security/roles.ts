import type { Document, Value } from '@drover/formats';
import { illegalArgument, parseError, validationFailed } from '../../../engine/errors.ts';
import privilegeNames from '../../../engine/security/privilege-names.json' with { type: 'json' };
import { isKnownPrivilege } from '../../../engine/security/privileges.ts';
import { type IndexGrant, type RoleDescriptor, reservedRoles } from '../../../engine/security/roles.ts';
import { changeSecurity } from '../../../engine/security/security-index.ts';
import { securityState } from '../../../engine/security/security-state.ts';
import { isDocument } from '../../../engine/values/value.ts';
import type { Call } from '../../call.ts';
import { RestError } from '../../responses/rest-error.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';

export const securityRoleRoutes: readonly Endpoint[] = [
  {
    api: 'security.get_role',
    action: 'cluster:admin/xpack/security/role/get',
    run: get,
  },
  {
    api: 'security.put_role',
    action: 'cluster:admin/xpack/security/role/put',
    run: put,
  },
  {
    api: 'security.delete_role',
    action: 'cluster:admin/xpack/security/role/delete',
    run: remove,
  },
];

/** A role as the get API shows it. */
export function roleBody(role: RoleDescriptor): Document {
  return {
    cluster: role.cluster ?? [],
    indices: (role.indices ?? []).map(grantBody),
    applications: (role.applications ?? []) as Value,
    run_as: role.run_as ?? [],
    metadata: (role.metadata ?? {}) as Value,
    transient_metadata: { enabled: true },
    ...(role.description === undefined ? {} : { description: role.description }),
  };
}

const grantBody = (grant: IndexGrant): Document => ({
  names: typeof grant.names === 'string' ? [grant.names] : grant.names,
  privileges: grant.privileges,
  allow_restricted_indices: grant.allow_restricted_indices ?? false,
});

async function get(call: Call): Promise<Reply> {
  const { core } = await call.master();
  const roles = new Map<string, RoleDescriptor>([...Object.entries(reservedRoles), ...securityState(core.state).roles]);
  const names = call.list('name');
  const chosen =
    names.length === 0
      ? [...roles]
      : names.flatMap((name) => (roles.has(name) ? [[name, roles.get(name)!] as const] : []));
  return {
    status: chosen.length === 0 && names.length > 0 ? 404 : 200,
    body: Object.fromEntries(chosen.map(([name, role]) => [name, roleBody(role)])),
  };
}

const fields = [
  'cluster',
  'indices',
  'index',
  'applications',
  'run_as',
  'metadata',
  'global',
  'transient_metadata',
  'remote_indices',
  'remote_cluster',
  'description',
  'restriction',
];

async function put(call: Call): Promise<Reply> {
  if (call.body === undefined) throw parseError('request body is required');
  const name = call.text('name')!;
  const role = readRole(name, call.object());
  const problems = refuseRole(name, role);
  if (problems.length > 0) throw validationFailed(problems);
  if (name !== name.trim() || name.length > 1024)
    throw new RestError(400, {
      type: 'validation_exception',
      reason:
        'Validation Failed: 1: Role names must be at least 1 and no more than 1024 characters. They can contain alphanumeric characters (a-z, A-Z, 0-9), spaces, punctuation, and printable symbols in the Basic Latin (ASCII) block. Leading or trailing whitespace is not allowed.;',
    });
  let created = false;
  await changeSecurity(call, `role-${name}`, (now) => {
    created = !now.roles.has(name);
    return { roles: new Map(now.roles).set(name, role) };
  });
  return { body: { role: { created } } };
}

const texts = (value: Value): string[] =>
  Array.isArray(value) ? value.map(String) : value === undefined ? [] : [String(value)];

/** Reads a role; what is not known is refused with the server's words. */
export function readRole(name: string, body: Document): RoleDescriptor {
  const unknown = Object.keys(body).find((key) => !fields.includes(key));
  if (unknown !== undefined) throw parseError(`failed to parse role [${name}]. unexpected field [${unknown}]`);
  const grants = body.indices ?? body.index;
  const indices = (Array.isArray(grants) ? grants : []).map((grant): IndexGrant => {
    const entry = isDocument(grant as Value) ? (grant as Document) : {};
    if (entry.query !== undefined || entry.field_security !== undefined)
      throw new RestError(403, {
        type: 'security_exception',
        reason: 'current license is non-compliant for [field and document level security]',
        details: { 'license.expired.feature': 'field and document level security' },
      });
    for (const required of ['names', 'privileges'])
      if (entry[required] === undefined)
        throw parseError(`failed to parse indices privileges for role [${name}]. missing required [${required}] field`);
    return {
      names: texts(entry.names),
      privileges: texts(entry.privileges),
      ...(entry.allow_restricted_indices === true ? { allow_restricted_indices: true } : {}),
    };
  });
  return {
    cluster: texts(body.cluster),
    indices,
    run_as: texts(body.run_as),
    metadata: isDocument(body.metadata) ? (body.metadata as Record<string, unknown>) : {},
    ...(body.description === undefined ? {} : { description: String(body.description) }),
  };
}

/** Describes what is wrong with a role. */
export function refuseRole(name: string, role: RoleDescriptor): string[] {
  const problems: string[] = [];
  if (name in reservedRoles) problems.push(`Role [${name}] is reserved and may not be used.`);
  for (const privilege of role.cluster ?? []) {
    const problem = unknownClusterPrivilege(privilege);
    if (problem !== undefined) problems.push(problem);
  }
  for (const { privileges } of role.indices ?? [])
    for (const privilege of privileges)
      if (!isKnownPrivilege(privilegeNames.index, privilege))
        problems.push(
          `unknown index privilege [${privilege}]. a privilege must be either one of the predefined fixed indices privileges [${privilegeNames.index.map((name) => `${name}=[${name}]`).join(',')}] or a pattern over one of the available index actions`,
        );
  return problems;
}

export function unknownClusterPrivilege(privilege: string): string | undefined {
  if (isKnownPrivilege(privilegeNames.cluster, privilege)) return undefined;
  return `unknown cluster privilege [${privilege}]. a privilege must be either one of the predefined cluster privilege names [${privilegeNames.cluster.join(',')}] or a pattern over one of the available cluster actions`;
}

async function remove(call: Call): Promise<Reply> {
  const name = call.text('name')!;
  if (name in reservedRoles) throw illegalArgument(`role [${name}] is reserved and cannot be deleted`);
  const { core } = await call.master();
  if (!securityState(core.state).roles.has(name)) return { status: 404, body: { found: false } };
  await changeSecurity(call, `role-${name}`, (now) => ({
    roles: new Map([...now.roles].filter(([key]) => key !== name)),
  }));
  return { body: { found: true } };
}
