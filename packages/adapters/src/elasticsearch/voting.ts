import type { VotingExclusions } from '@drover/search-cluster';
import type { SearchClient } from './client.ts';
import { asList, asObject, asText } from './reading.ts';

/** Moving a vote needs a new committed configuration; the server waits for it at most this long. */
const excludeTimeout = '30s';

/** The voting configuration and its exclusions. */
export const votingExclusions = (client: SearchClient): VotingExclusions => ({
  read: async () => {
    const path = '/_cluster/state/metadata?filter_path=metadata.cluster_coordination';
    const metadata = asObject(
      asObject(await client.json({ method: 'GET', path }), 'cluster state').metadata,
      'metadata',
    );
    const doc = asObject(metadata.cluster_coordination, 'cluster_coordination');
    return {
      committed: asList(doc.last_committed_config, 'last_committed_config').map((id) => asText(id, 'node id')),
      exclusions: asList(doc.voting_config_exclusions ?? [], 'voting_config_exclusions')
        .map((entry) => asObject(entry, 'exclusion'))
        .map((entry) => ({ nodeId: asText(entry.node_id, 'node_id'), nodeName: asText(entry.node_name, 'node_name') })),
    };
  },
  exclude: async (nodeId) => {
    const path = `/_cluster/voting_config_exclusions?node_ids=${encodeURIComponent(nodeId)}&timeout=${excludeTimeout}`;
    await client.text({ method: 'POST', path, timeoutMs: 40_000 });
  },
  clear: async () => {
    await client.text({ method: 'DELETE', path: '/_cluster/voting_config_exclusions?wait_for_removal=false' });
  },
});
