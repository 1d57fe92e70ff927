import { atLeast } from '../../engine/state/versions.ts';
import { endpoints } from './endpoints.ts';
import table from './requests.json' with { type: 'json' };
import type { Endpoint, RequestTable, Route } from './route.ts';
import { Router } from './router.ts';
import unmodelled from './unmodelled.json' with { type: 'json' };

/** Parameters that cat APIs of some versions take. */
const catParams = ['local', 'master_timeout', 'size', 'ts'];

/** Query parameters of the description that no handler reads: they are refused, never silently ignored. */
const notModelled = new Set(
  [
    '_source_exclude_vectors accept_enterprise allow_closed analyze_wildcard analyzer batched_reduce_size cause',
    'ccs_minimize_roundtrips completion_fields current_node default_operator df docvalue_fields features',
    'fielddata_fields fields force force_synthetic_source from_sort_value groups if_primary_term if_seq_no',
    'ignore_idle_threads include_bootstrap include_implicit include_named_queries_score include_remotes',
    'include_repository include_segment_file_sizes include_source_on_error include_unloaded_segments',
    'index_names interval lenient list_executed_pipelines max_concurrent_shard_requests min_score offset',
    'parent_task_id pipeline pre_filter_shard_size preference pri primary q realtime',
    'require_data_stream search_type settings_filter shard slm_policy_filter snapshots state stats stored_fields',
    'suggest_field suggest_mode suggest_size suggest_text terminate_after threads track_scores typed_keys types',
    'version_type wait_for_metadata_version wait_for_timeout wait_if_ongoing with_profile_uid',
  ].flatMap((names) => names.split(' ')),
);

/** Every API that is modelled, with its paths, methods and query parameters. */
export const routes: readonly Route[] = endpoints.map(routeOf);

function routeOf(endpoint: Endpoint): Route {
  const { api, only, also = [], params = [], without = [], newer = [] } = endpoint;
  const described = (table as RequestTable)[api]!;
  const published = described.params.filter((name) => !newer.includes(name));
  const refused = published.filter((name) => without.includes(name) || notModelled.has(name));
  const known = published.filter((name) => !refused.includes(name));
  return {
    ...endpoint,
    requests: only ?? [...described.requests, ...also],
    body: described.body,
    refused,
    params: [
      ...known,
      // Every release takes it wherever wildcards can be expanded, although the description leaves it out.
      ...(known.includes('expand_wildcards') ? ['ignore_throttled'] : []),
      ...(api.startsWith('cat.') ? catParams : []),
      ...params,
    ],
  };
}

const routers = new Map<string, Router>();

/** The endpoints that a server of this version has. */
export function routerFor(version: string): Router {
  let router = routers.get(version);
  if (router === undefined) {
    router = new Router(
      routes.filter(
        ({ since = '0', below }) => atLeast(version, since) && (below === undefined || !atLeast(version, below)),
      ),
      unmodelled,
    );
    routers.set(version, router);
  }
  return router;
}
