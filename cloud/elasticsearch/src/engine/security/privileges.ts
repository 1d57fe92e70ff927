import { wildcardToRegExp } from '../values/filter-path.ts';

/** Actions that a named privilege grants ("Security privileges"), narrow ones first, as refusals list them. */
type PrivilegeTable = readonly (readonly [name: string, actions: readonly string[], except?: readonly string[]])[];

const slmRead = ['cluster:admin/slm/get', 'cluster:admin/slm/status', 'cluster:admin/slm/stats'];
const snapshotRead = ['cluster:admin/snapshot/status*', 'cluster:admin/snapshot/get', 'cluster:admin/repository/get'];
const securityRead = [
  'cluster:admin/xpack/security/api_key/get',
  'cluster:admin/xpack/security/api_key/query',
  'cluster:admin/xpack/security/privilege/builtin/get',
  'cluster:admin/xpack/security/privilege/get',
  'cluster:admin/xpack/security/role/get',
  'cluster:admin/xpack/security/role_mapping/get',
  'cluster:admin/xpack/security/user/get',
  'cluster:admin/xpack/security/user/list_privileges',
];
const templates = ['indices:admin/template/*', 'indices:admin/index_template/*', 'cluster:admin/component_template/*'];
const templatesRead = [
  'indices:admin/template/get',
  'indices:admin/index_template/get',
  'cluster:admin/component_template/get',
];

export const clusterPrivileges: PrivilegeTable = [
  ['none', []],
  ['cancel_task', ['cluster:admin/tasks/cancel']],
  ['manage_own_api_key', ['cluster:admin/xpack/security/api_key/*']],
  ['manage_index_templates', templates],
  ['monitor_snapshot', snapshotRead],
  ['read_slm', slmRead],
  ['read_ilm', ['cluster:admin/ilm/get', 'cluster:admin/ilm/operation_mode/get']],
  ['read_pipeline', ['cluster:admin/ingest/pipeline/get']],
  ['read_security', securityRead],
  ['monitor_stats', ['cluster:monitor/stats']],
  ['cross_cluster_replication', ['cluster:monitor/state']],
  ['read_ccr', ['cluster:monitor/state']],
  ['transport_client', ['cluster:monitor/nodes/liveness', 'cluster:monitor/state']],
  ['manage_slm', ['cluster:admin/slm/*']],
  ['manage_ilm', ['cluster:admin/ilm/*']],
  ['manage_pipeline', ['cluster:admin/ingest/pipeline/*']],
  ['manage_ingest_pipelines', ['cluster:admin/ingest/pipeline/*']],
  ['manage_api_key', ['cluster:admin/xpack/security/api_key/*']],
  ['grant_api_key', ['cluster:admin/xpack/security/api_key/grant']],
  ['manage_token', ['cluster:admin/xpack/security/token/*']],
  ['manage_service_account', ['cluster:admin/xpack/security/service_account/*']],
  ['create_snapshot', ['cluster:admin/snapshot/create', ...snapshotRead]],
  ['manage_security', ['cluster:admin/xpack/security/*']],
  ['manage_ccr', ['cluster:monitor/state']],
  ['monitor', ['cluster:monitor/*', ...templatesRead]],
  ['manage', ['cluster:*', ...templates], ['cluster:admin/xpack/security/*']],
  ['all', ['cluster:*', ...templates]],
];

const bulk = ['indices:data/write/bulk*'];
const metadata = [
  'indices:admin/aliases/get',
  'indices:admin/get',
  'indices:admin/exists',
  'indices:admin/mappings/fields/get*',
  'indices:admin/mappings/get',
  'indices:admin/shards/search_shards',
  'indices:admin/types/exists',
  'indices:admin/validate/query*',
  'indices:monitor/settings/get',
  'indices:admin/ilm/explain',
  'indices:admin/settings/get',
  'indices:admin/resolve/*',
  'indices:admin/data_stream/get',
];

export const indexPrivileges: PrivilegeTable = [
  ['none', []],
  [
    'create_doc',
    ['indices:data/write/index', 'indices:data/write/index[*', 'indices:data/write/simulate/bulk*', ...bulk],
  ],
  ['create', ['indices:data/write/index*', ...bulk]],
  ['create_index', ['indices:admin/create', 'indices:admin/auto_create', 'indices:admin/data_stream/create']],
  ['delete', ['indices:data/write/delete*', ...bulk]],
  ['delete_index', ['indices:admin/delete', 'indices:admin/data_stream/delete']],
  ['index', ['indices:data/write/index*', 'indices:data/write/update*', 'indices:admin/mapping/auto_put', ...bulk]],
  ['read', ['indices:data/read/*', 'indices:admin/resolve/*']],
  ['write', ['indices:data/write/*', 'indices:admin/mapping/auto_put']],
  [
    'maintenance',
    ['indices:admin/refresh*', 'indices:admin/flush*', 'indices:admin/synced_flush', 'indices:admin/forcemerge*'],
  ],
  ['manage_ilm', ['indices:admin/ilm/*']],
  ['monitor', ['indices:monitor/*']],
  ['view_index_metadata', metadata],
  ['cross_cluster_replication', ['indices:monitor/stats', 'indices:data/read/xpack/ccr*']],
  ['read_cross_cluster', ['internal:transport/proxy/indices:data/read/*']],
  ['auto_configure', ['indices:admin/auto_create', 'indices:admin/mapping/auto_put']],
  ['manage', ['indices:monitor/*', 'indices:admin/*']],
  ['all', ['indices:*', 'internal:transport/proxy/indices:*']],
];

const cache = new Map<string, boolean>();

/** Whether a privilege, named or written as an action pattern, grants an action. */
export function grants(table: PrivilegeTable, privilege: string, action: string): boolean {
  const key = `${table === clusterPrivileges ? 'c' : 'i'} ${privilege} ${action}`;
  let granted = cache.get(key);
  if (granted === undefined) {
    granted = decide(table, privilege, action);
    if (cache.size < 10_000) cache.set(key, granted);
  }
  return granted;
}

function decide(table: PrivilegeTable, privilege: string, action: string): boolean {
  const named = table.find(([name]) => name === privilege.toLowerCase());
  // The name of an action is taken as the beginning of one: `…/health` grants `…/health_api` too (recorded from 8.19.21).
  if (named === undefined) return wildcardToRegExp(`${privilege}*`).test(action);
  const [, actions, except = []] = named;
  const covers = (pattern: string) => wildcardToRegExp(pattern).test(action);
  return actions.some(covers) && !except.some(covers);
}

/** Names of the privileges that would grant an action, for refusals. */
export const grantedBy = (table: PrivilegeTable, action: string) =>
  table.map(([name]) => name).filter((name) => grants(table, name, action));

export const isKnownPrivilege = (names: readonly string[], privilege: string) =>
  names.includes(privilege.toLowerCase()) || privilege.includes(':');
