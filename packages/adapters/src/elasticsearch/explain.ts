import type { AllocationExplainer } from '@drover/search-cluster';
import { readVerdicts } from './allocation-verdicts.ts';
import type { SearchClient } from './client.ts';
import { asObject } from './reading.ts';

/** What every node says to a shard, from the cluster allocation explain API. */
export const allocationExplainer = (client: SearchClient): AllocationExplainer => ({
  explain: async ({ index, shard, primary }) => {
    const body = JSON.stringify({ index, shard, primary });
    const answer = await client.json({ method: 'POST', path: '/_cluster/allocation/explain', body });
    return readVerdicts(asObject(answer, 'explanation').node_allocation_decisions);
  },
});
