import type { Document } from '@drover/formats';
import { activeCopies, sumCopies } from '../../../engine/documents/store-totals.ts';
import { illegalArgument } from '../../../engine/errors.ts';
import type { Call } from '../../call.ts';
import { patched, zeroStatistics } from '../../responses/statistics.ts';
import { threadPools } from '../../responses/thread-pools.ts';
import { suggestion } from '../../routes/check-params.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';
import { askedNodes } from './nodes-info.ts';

/** Counters summed over all nodes ("Cluster info API", since 8.9). */
export const infoTargetRoutes: readonly Endpoint[] = [
  { api: 'cluster.info', action: 'cluster:monitor/nodes/stats', since: '8.9.0', run: info },
];

const targets = ['http', 'ingest', 'script', 'thread_pool'];

function info(call: Call): Reply {
  const names = call.list('target');
  const chosen = names.join() === '_all' ? targets : names;
  if (chosen.includes('_all'))
    throw illegalArgument(`request [${call.path}] contains _all and individual target [${names.join(',')}]`);
  const unknown = chosen.filter((name) => !targets.includes(name)).sort();
  if (unknown.length > 0)
    throw illegalArgument(
      `request [${call.path}] contains unrecognized target${unknown.length > 1 ? 's' : ''}: ${unknown.map((name) => `[${name}]${suggestion(name, targets)}`).join(', ')}`,
    );
  const all = everything(call);
  const shown = targets.filter((name) => chosen.includes(name));
  return {
    body: { cluster_name: call.cluster.clusterName, ...Object.fromEntries(shown.map((name) => [name, all[name]!])) },
  };
}

function everything(call: Call): Document {
  const { nodes } = askedNodes(call, []);
  const state = call.localState();
  const totals = sumCopies(nodes.flatMap((node) => activeCopies(state, node)));
  const uptimeMs = nodes.reduce((sum, { startedAtMs }) => sum + call.now - startedAtMs, 0);
  return patched(zeroStatistics('node', call.version), {
    http: { current_open: nodes.length, total_opened: nodes.reduce((sum, { requests }) => sum + requests, 0) },
    thread_pool: threadPools.stats(totals, uptimeMs),
  });
}
