import type { Document, Value } from '@drover/formats';
import { illegalArgument, parseError } from '../../../engine/errors.ts';
import type { Principal } from '../../../engine/security/authenticate.ts';
import { allowsIndex } from '../../../engine/security/permissions.ts';
import { clusterPrivileges, grantedBy, grants, indexPrivileges } from '../../../engine/security/privileges.ts';
import type { Call } from '../../call.ts';
import { PlainRestError } from '../../responses/rest-error.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';
import { unknownClusterPrivilege } from './roles.ts';

const userAction = (name: string) => `cluster:admin/xpack/security/user/${name}`;

export const securitySelfRoutes: readonly Endpoint[] = [
  {
    api: 'security.authenticate',
    action: userAction('authenticate'),
    run: authenticate,
  },
  {
    api: 'security.has_privileges',
    action: userAction('has_privileges'),
    run: hasPrivileges,
  },
];

/** Without security these endpoints are not there. */
export function principal(call: Call): Principal {
  if (call.user === undefined)
    throw new PlainRestError(400, { error: `no handler found for uri [${call.path}] and method [${call.method}]` });
  return call.user;
}

function authenticate(call: Call): Reply {
  const user = principal(call);
  return {
    body: {
      username: user.username,
      roles: user.roles,
      full_name: user.fullName,
      email: user.email,
      metadata: user.metadata as Value,
      enabled: true,
      authentication_realm: user.realm,
      lookup_realm: user.realm,
      authentication_type: user.kind,
      ...(user.apiKey === undefined ? {} : { api_key: { name: user.apiKey.name, id: user.apiKey.id } }),
    },
  };
}

const texts = (value: Value): string[] =>
  Array.isArray(value) ? value.map(String) : value === undefined ? [] : [String(value)];

function hasPrivileges(call: Call): Reply {
  const user = principal(call);
  const body = call.object();
  const cluster = texts(body.cluster);
  const wrong = cluster.map(unknownClusterPrivilege).find((problem) => problem !== undefined);
  if (wrong !== undefined) throw illegalArgument(wrong);
  const grantsAsked = Array.isArray(body.index) ? (body.index as readonly Document[]) : [];
  if (cluster.length + grantsAsked.length === 0 && body.application === undefined)
    throw parseError(
      `failed to parse privileges check [${principal(call).username}/has_privileges]. All privilege fields [cluster,index,applications] are missing`,
    );
  const ofCluster = Object.fromEntries(cluster.map((privilege) => [privilege, hasCluster(user, privilege)]));
  const ofIndex: Record<string, Record<string, boolean>> = {};
  for (const grant of grantsAsked)
    for (const name of texts(grant.names)) {
      const entry = (ofIndex[name] ?? {}) as Record<string, boolean>;
      for (const privilege of texts(grant.privileges)) entry[privilege] = hasIndex(user, privilege, name);
      ofIndex[name] = entry;
    }
  const sorted = Object.fromEntries(Object.entries(ofIndex).sort(([a], [b]) => (a < b ? -1 : 1)));
  const all = [...Object.values(ofCluster), ...Object.values(sorted).flatMap((entry) => Object.values(entry))].every(
    Boolean,
  );
  return {
    body: { username: user.username, has_all_requested: all, cluster: ofCluster, index: sorted, application: {} },
  };
}

/** A user has a privilege when every set of roles holds one that covers it. */
const hasCluster = (user: Principal, privilege: string) =>
  user.permissions.every((roles) =>
    roles.some(({ cluster = [] }) =>
      cluster.some(
        (own) =>
          own === privilege ||
          own === 'all' ||
          (own === 'manage' &&
            [
              'monitor',
              'manage_slm',
              'manage_ilm',
              'manage_pipeline',
              'create_snapshot',
              'manage_index_templates',
            ].includes(privilege)) ||
          (privilege.includes(':') && grants(clusterPrivileges, own, privilege)),
      ),
    ),
  );

function hasIndex(user: Principal, privilege: string, index: string): boolean {
  const sample = sampleAction[privilege] ?? privilege;
  return user.permissions.every(
    (roles) =>
      allowsIndex(roles, sample, index) &&
      (sampleAction[privilege] !== undefined || grantedBy(indexPrivileges, sample).length > 0),
  );
}

/** One action that only this privilege and wider ones grant. */
const sampleAction: Readonly<Record<string, string>> = {
  all: 'indices:internal/everything',
  read: 'indices:data/read/search',
  write: 'indices:data/write/everything',
  index: 'indices:data/write/update',
  create: 'indices:data/write/index',
  create_doc: 'indices:data/write/index',
  delete: 'indices:data/write/delete',
  create_index: 'indices:admin/create',
  delete_index: 'indices:admin/delete',
  manage: 'indices:admin/everything',
  monitor: 'indices:monitor/everything',
  view_index_metadata: 'indices:admin/get',
  maintenance: 'indices:admin/refresh',
};
