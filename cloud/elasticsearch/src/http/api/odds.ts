import { clusterHealth } from '../../engine/coordination/health.ts';
import { resolveIndices } from '../../engine/indices/index-expressions.ts';
import { findNode } from '../../engine/state/cluster-state.ts';
import { wildcardToRegExp } from '../../engine/values/filter-path.ts';
import { isoTime } from '../../engine/values/units.ts';
import type { XObject } from '../../engine/values/value.ts';
import type { Call } from '../call.ts';
import { expressionOptions, expressionParams } from '../index-expressions.ts';
import { PlainRestError } from '../responses/rest-error.ts';
import type { Reply, Route } from '../routes/route.ts';

/** Small endpoints that clients and exporters look at. Data streams, pipelines and lifecycle policies do not exist: the answers say so. */
export const oddRoutes: readonly Route[] = [
  {
    api: 'indices.get_data_stream',
    action: 'indices:admin/data_stream/get',
    methods: ['GET'],
    paths: ['/_data_stream', '/_data_stream/{name}'],
    params: ['expand_wildcards', 'include_defaults', 'master_timeout', 'verbose'],
    run: dataStreams,
  },
  {
    api: 'indices.data_streams_stats',
    action: 'indices:monitor/data_stream/stats',
    methods: ['GET'],
    paths: ['/_data_stream/_stats', '/_data_stream/{name}/_stats'],
    params: ['expand_wildcards', 'forbid_closed_indices'],
    run: (call) =>
      call.master().then(() => ({
        body: {
          _shards: { total: 0, successful: 0, failed: 0 },
          data_stream_count: 0,
          backing_indices: 0,
          total_store_size_bytes: 0,
          data_streams: [],
        },
      })),
  },
  {
    api: 'ingest.get_pipeline',
    action: 'cluster:admin/ingest/pipeline/get',
    methods: ['GET'],
    paths: ['/_ingest/pipeline', '/_ingest/pipeline/{id}'],
    params: ['master_timeout', 'summary'],
    run: (call) =>
      call.master().then(() => ({
        status: call.text('id') === undefined || call.text('id')!.includes('*') ? 200 : 404,
        body: {},
      })),
  },
  {
    api: 'ilm.get_lifecycle',
    action: 'cluster:admin/ilm/get',
    methods: ['GET'],
    paths: ['/_ilm/policy', '/_ilm/policy/{policy}'],
    params: ['master_timeout', 'timeout'],
    run: (call) => call.master().then(() => ({ body: {} })),
  },
  {
    api: 'ilm.get_status',
    action: 'cluster:admin/ilm/operation_mode/get',
    methods: ['GET'],
    paths: ['/_ilm/status'],
    params: ['master_timeout', 'timeout'],
    run: (call) => call.master().then(() => ({ body: { operation_mode: 'RUNNING' } })),
  },
  {
    api: 'license.get',
    action: 'cluster:monitor/xpack/license/get',
    methods: ['GET'],
    paths: ['/_license'],
    params: ['local', 'accept_enterprise', 'master_timeout'],
    run: license,
  },
  {
    api: 'cluster.remote_info',
    action: 'cluster:monitor/remote/info',
    methods: ['GET'],
    paths: ['/_remote/info'],
    run: () => ({ body: {} }),
  },
  {
    api: 'features.get_features',
    action: 'cluster:admin/features/get',
    methods: ['GET'],
    paths: ['/_features'],
    params: ['master_timeout'],
    run: (call) =>
      call.master().then(() => ({
        body: {
          features: [
            { name: 'security', description: 'Manages configuration for Security features, such as users and roles' },
          ],
        },
      })),
  },
  {
    api: 'ssl.certificates',
    action: 'cluster:monitor/xpack/ssl/certificates/get',
    methods: ['GET'],
    paths: ['/_ssl/certificates'],
    run: () => ({ body: [] }),
  },
  {
    api: 'indices.resolve_index',
    action: 'indices:admin/resolve/index',
    methods: ['GET'],
    paths: ['/_resolve/index/{name}'],
    params: expressionParams,
    indices: (call) => call.list('name'),
    run: resolve,
  },
  {
    api: 'indices.exists_alias',
    action: 'indices:admin/aliases/get',
    methods: ['HEAD'],
    paths: ['/_alias/{name}', '/{index}/_alias/{name}'],
    params: ['local', 'master_timeout', ...expressionParams],
    run: existsAlias,
  },
  {
    api: 'dangling_indices.list_dangling_indices',
    action: 'cluster:admin/indices/dangling/list',
    methods: ['GET'],
    paths: ['/_dangling'],
    run: (call) =>
      call.master().then((services) => ({
        body: {
          _nodes: { total: services.members().length, successful: services.members().length, failed: 0 },
          cluster_name: call.cluster.clusterName,
          dangling_indices: [],
        },
      })),
  },
  {
    api: 'cluster.prevalidate_node_removal',
    action: 'cluster:admin/prevalidate_node_removal',
    methods: ['POST'],
    paths: ['/_internal/prevalidate_node_removal'],
    params: ['names', 'ids', 'external_ids', 'master_timeout', 'timeout'],
    run: prevalidate,
  },
  {
    api: 'favicon',
    methods: ['GET'],
    paths: ['/favicon.ico'],
    run: () => ({ bytes: { type: 'image/x-icon', content: new Uint8Array(0) } }),
  },
];

async function dataStreams(call: Call): Promise<Reply> {
  await call.master();
  return { body: { data_streams: [] } };
}

async function license(call: Call): Promise<Reply> {
  const { core } = await call.master();
  return {
    body: {
      license: {
        status: 'active',
        uid: `00000000-0000-0000-0000-${Buffer.from(core.state.clusterUUID).toString('hex').slice(0, 12)}`,
        type: 'basic',
        issue_date: isoTime(call.node.startedAtMs),
        issue_date_in_millis: call.node.startedAtMs,
        max_nodes: 1000,
        max_resource_units: null,
        issued_to: call.cluster.clusterName,
        issuer: 'elasticsearch',
        start_date_in_millis: -1,
      },
    },
  };
}

async function resolve(call: Call): Promise<Reply> {
  const state = call.localState();
  const chosen = resolveIndices(state, call.list('name'), expressionOptions(call, {}), call.now);
  const indices = chosen.map(
    (index): XObject => ({
      name: index.name,
      ...(index.aliases.size === 0 ? {} : { aliases: [...index.aliases.keys()].sort() }),
      attributes: [
        index.state === 'open' ? 'open' : 'closed',
        ...(index.settings['index.hidden'] === 'true' ? ['hidden'] : []),
      ],
    }),
  );
  const names = [...new Set(chosen.flatMap((index) => [...index.aliases.keys()]))]
    .filter((alias) => call.list('name').some((pattern) => wildcardToRegExp(pattern).test(alias)))
    .sort();
  return {
    body: {
      indices,
      aliases: names.map((name) => ({
        name,
        indices: chosen.filter((index) => index.aliases.has(name)).map((index) => index.name),
      })),
      data_streams: [],
    },
  };
}

async function existsAlias(call: Call): Promise<Reply> {
  const state = await call.state();
  const chosen = resolveIndices(
    state,
    call.list('index'),
    expressionOptions(call, { closed: true, hidden: true, ignoreUnavailable: true }),
    call.now,
  );
  const found = chosen.some((index) =>
    [...index.aliases.keys()].some((alias) =>
      call.list('name').some((pattern) => wildcardToRegExp(pattern).test(alias)),
    ),
  );
  return { status: found ? 200 : 404, body: {} };
}

/** Whether nodes can go without losing the only copy of a shard that is missing elsewhere. */
async function prevalidate(call: Call): Promise<Reply> {
  const { core } = await call.master();
  const names = [...call.list('names'), ...call.list('ids'), ...call.list('external_ids')];
  const nodes = names.map((name) => {
    const node = findNode(core.state, name);
    if (node === undefined)
      throw new PlainRestError(404, { error: `could not resolve node names [${name}]`, status: 404 });
    return node;
  });
  const red = clusterHealth(core.state, [...core.state.indices.values()]).status === 'red';
  return {
    body: {
      is_safe: !red,
      message: red ? 'cluster health is RED' : 'cluster status is not RED',
      nodes: nodes.map((node) => ({
        name: node.name,
        id: node.id,
        external_id: node.name,
        result: { is_safe: !red, reason: red ? 'red_shards_on_node' : 'no_problems', message: '' },
      })),
    },
  };
}
