import type { Call } from '../../call.ts';
import { chosenIndices } from '../../index-expressions.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';

/** Data streams and lifecycle policies. None can be made yet: the responses say that there is none. */
export const dataStreamRoutes: readonly Endpoint[] = [
  {
    api: 'indices.get_data_stream',
    action: 'indices:admin/data_stream/get',
    run: (call) => call.master().then(() => ({ body: { data_streams: [] } })),
  },
  {
    api: 'indices.data_streams_stats',
    action: 'indices:monitor/data_stream/stats',
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
    run: (call) => call.master().then(() => ({ body: {} })),
  },
  {
    api: 'ilm.explain_lifecycle',
    action: 'indices:admin/ilm/explain',
    indices: (call) => call.list('index'),
    run: explain,
  },
  {
    api: 'ilm.get_status',
    action: 'cluster:admin/ilm/operation_mode/get',
    run: (call) => call.master().then(() => ({ body: { operation_mode: 'RUNNING' } })),
  },
];

/** No index has a policy: an exporter that asks for all of them learns that none is managed. */
async function explain(call: Call): Promise<Reply> {
  const chosen = chosenIndices(call, await call.state(), { closed: true });
  const only = call.flag('only_managed') || call.flag('only_errors');
  const rows = only ? [] : chosen.map(({ name }) => [name, { index: name, managed: false }] as const);
  return { body: { indices: Object.fromEntries(rows) } };
}
