import type { Route } from '../../routes/route.ts';

/** Data streams and lifecycle policies. None can be made yet: the responses say that there is none. */
export const dataStreamRoutes: readonly Route[] = [
  {
    api: 'indices.get_data_stream',
    action: 'indices:admin/data_stream/get',
    methods: ['GET'],
    paths: ['/_data_stream', '/_data_stream/{name}'],
    params: ['expand_wildcards', 'include_defaults', 'master_timeout', 'verbose'],
    run: (call) => call.master().then(() => ({ body: { data_streams: [] } })),
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
    api: 'ilm.get_lifecycle',
    action: 'cluster:admin/ilm/get',
    methods: ['GET'],
    paths: ['/_ilm/policy', '/_ilm/policy/{policy}'],
    params: ['master_timeout', 'timeout'],
    run: (call) => call.master().then(() => ({ body: {} })),
  },
];
