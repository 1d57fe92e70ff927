import type { OpenCluster } from '@drover/operator/cluster/open-cluster';
import type { SnapshotPolicyState } from '../../api.ts';
import { type AskSearch, readSearch, readSnapshots, type SearchReadings } from '../../search-readings.ts';
import type { Source } from '../rota.ts';

export const searchHealth = 'Elasticsearch: health, nodes, shards';

/** Reads the cluster's state from Elasticsearch. */
export function searchSource({ client }: Pick<OpenCluster, 'client'>) {
  const ask: AskSearch = async <T>(path: string) => (await client.json({ method: 'GET', path })) as T;
  /** Nodes by address, also those that have left: their instance may still be there. */
  const byAddress = new Map<string, { readonly id: string; readonly name: string }>();
  let readings: SearchReadings | undefined;
  let snapshots: readonly SnapshotPolicyState[] = [];

  async function read(): Promise<void> {
    readings = await readSearch(ask);
    for (const { ip, id, name } of readings.nodes) byAddress.set(ip, { id, name });
  }
  const readPolicies = async () => {
    snapshots = await readSnapshots(ask);
  };

  const sources: readonly Source[] = [
    { what: searchHealth, everyMs: 5_000, read },
    { what: 'Elasticsearch: snapshots', everyMs: 60_000, read: readPolicies },
  ];
  return {
    sources,
    /** The last that could be read, whatever its age. */
    readings: () => readings,
    snapshots: () => snapshots,
    nodeAt: (privateIp: string | undefined) => (privateIp === undefined ? undefined : byAddress.get(privateIp)),
  };
}
