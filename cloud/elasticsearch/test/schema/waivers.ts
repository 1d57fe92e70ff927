/**
 * Where the published schema (9.5) and a real server differ, the server is right. Each entry was seen in responses of
 * an
 * 8.19.21 server, or follows from how such responses are made; anything else that differs fails the tests.
 */
export interface Waiver {
  readonly api: RegExp;
  /** The validator's message. */
  readonly problem: RegExp;
  readonly because: string;
}

const extra = (names: string) => new RegExp(`additional properties: (${names})$`);

export const waivers: readonly Waiver[] = [
  {
    api: /^ilm\.get_lifecycle$/,
    problem: extra('in_use_by'),
    because: 'documented for the API (since 7.16) and not in the schema',
  },
  {
    api: /^cat\./,
    problem: extra(
      '(pri\\.)?indexing\\.index_failed_due_to_version_conflict|(pri\\.)?(dense|sparse)_vector\\.value_count|shard_stats\\.total_count|mappings\\.total_\\w+',
    ),
    because: 'columns that the server has and the schema has not',
  },
  {
    api: /^cat\.recovery$/,
    problem: /(start|stop)_time_millis/,
    because: 'every cell of a cat table in JSON is a text',
  },
  {
    api: /^(indices\.stats|nodes\.stats)$/,
    problem: extra(
      'total_time_excluding_waiting_on_lock_in_millis|index_failed_due_to_version_conflict|query_failure|fetch_failure|repositories|allocations|dense_vector|sparse_vector|search_idle|search_idle_time|\\w+_free_space_in_bytes|io_time_in_millis',
    ),
    because: 'statistics that the server sends and the schema does not list',
  },
  { api: /^cluster\.stats$/, problem: /required property 'extended'/, because: 'only since 9.1' },
  {
    api: /^indices\.shard_stores$/,
    problem: extra('version|min_index_version|max_index_version'),
    because: 'the node is described as in the cluster state',
  },
  {
    api: /^nodes\.info$/,
    problem: /\/settings(\/| )/,
    because: 'the settings of a configuration file are free, the schema demands some of them',
  },
  {
    api: /^indices\.get(_settings)?$/,
    problem: /\/defaults\//,
    because: 'defaults are texts on the wire; the schema types some of them',
  },
  { api: /^cluster\.allocation_explain$/, problem: /shard_data_set_sizes/, because: 'the sizes are numbers' },
  {
    api: /^cluster\.allocation_explain$/,
    problem: /\/store must have required property/,
    because: 'of a copy on disk only what is known is shown',
  },
  {
    api: /^cluster\.allocation_explain$/,
    problem: extra('target_node|allocation_id'),
    because: 'the node that a shard can go to, and the copy there that it would take',
  },
  {
    api: /^dangling_indices\.list_dangling_indices$/,
    problem: extra('_nodes|cluster_name'),
    because: 'which nodes were asked, as every response that is gathered from nodes says',
  },
  {
    api: /^snapshot\.status$/,
    problem: extra('node|processed|size|time'),
    because: 'a running snapshot shows node and progress, human readable twins are not in the schema',
  },
  {
    api: /^slm\.get_lifecycle$/,
    problem: extra('start_time|start_time_string|time_string'),
    because: 'when an execution began',
  },
  {
    api: /^slm\.get_lifecycle$/,
    problem: /policy\/retention must have required property '(min_count|max_count|expire_after)'/,
    because: 'every part of a retention is optional',
  },
  {
    api: /^indices\.put_alias$/,
    problem: extra('errors|action_results'),
    because: 'since 8.13',
  },
];

/** Problems that no waiver explains. An object that fails only by waived members makes its parents fail too: those say nothing. */
export function unexplained(api: string, problems: readonly string[]): string[] {
  const own = problems.filter(
    (problem) => !waivers.some((waiver) => waiver.api.test(api) && waiver.problem.test(problem)),
  );
  const real = own.filter((problem) => !/must match a schema in anyOf$|must be null$/.test(problem));
  return real.length === 0 && problems.some((problem) => !own.includes(problem)) ? [] : own;
}
