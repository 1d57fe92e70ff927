import type { ElectedMaster, SnapshotHistory } from '@drover/search-cluster';
import type { SearchClient } from './client.ts';
import { asNumber, asObject, asText } from './reading.ts';

/** Who leads, as the node that answers sees it. */
export const electedMaster = (client: SearchClient): ElectedMaster => ({
  masterNodeId: async () => {
    const path = '/_cluster/state/master_node?filter_path=master_node';
    const answer = asObject(await client.json({ method: 'GET', path }), 'cluster state');
    return asText(answer.master_node, 'master_node');
  },
});

/** What snapshot lifecycle management remembers of its runs: cheaper than listing the repository. */
export const snapshotHistory = (client: SearchClient): SnapshotHistory => ({
  lastSuccessAt: async () => {
    const path = '/_slm/policy?filter_path=*.last_success.time';
    const policies = Object.values(asObject(await client.json({ method: 'GET', path }), 'policies'));
    const times = policies.map((policy) => {
      const success = asObject(asObject(policy, 'policy').last_success, 'last_success');
      return asNumber(success.time, 'time');
    });
    return times.length === 0 ? undefined : Math.max(...times);
  },
});
