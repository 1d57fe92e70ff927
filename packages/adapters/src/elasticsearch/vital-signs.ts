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
  policyRuns: async () => {
    const path = '/_slm/policy?filter_path=*.modified_date_millis,*.last_success.time';
    const policies = asObject(await client.json({ method: 'GET', path }), 'policies');
    return Object.entries(policies).map(([id, entry]) => {
      const { modified_date_millis, last_success } = asObject(entry, id);
      return {
        id,
        changedAt: asNumber(modified_date_millis, 'modified_date_millis'),
        lastSuccessAt: last_success === undefined ? undefined : asNumber(asObject(last_success, id).time, 'time'),
      };
    });
  },
});
