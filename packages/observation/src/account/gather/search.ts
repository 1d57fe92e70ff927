import type { OpenCluster } from '@drover/operator/cluster/open-cluster';
import type { SnapshotPolicyState } from '../../api.ts';
import { type AskSearch, readSearch, readSnapshots, type SearchReadings } from '../../search-readings.ts';
import type { Source } from '../rota.ts';

/** Reads the cluster's state from Elasticsearch. */
export class SearchSource {
  readonly #ask: AskSearch;
  #readings: SearchReadings | undefined;
  #snapshots: readonly SnapshotPolicyState[] = [];
  /** Nodes by address, also those that have left: their instance may still be there. */
  readonly #byAddress = new Map<string, { readonly id: string; readonly name: string }>();

  constructor({ client }: Pick<OpenCluster, 'client'>) {
    this.#ask = async <T>(path: string) => (await client.json({ method: 'GET', path })) as T;
  }

  get sources(): readonly Source[] {
    return [
      { what: 'Elasticsearch: health, nodes, shards', everyMs: 5_000, read: () => this.#read() },
      { what: 'Elasticsearch: snapshots', everyMs: 60_000, read: () => this.#readSnapshots() },
    ];
  }

  /** Undefined while it does not respond. */
  get readings(): SearchReadings | undefined {
    return this.#readings;
  }

  get snapshots(): readonly SnapshotPolicyState[] {
    return this.#snapshots;
  }

  nodeAt(privateIp: string | undefined): { readonly id: string; readonly name: string } | undefined {
    return privateIp === undefined ? undefined : this.#byAddress.get(privateIp);
  }

  async #read(): Promise<void> {
    try {
      this.#readings = await readSearch(this.#ask);
      for (const { ip, id, name } of this.#readings.nodes) this.#byAddress.set(ip, { id, name });
    } catch (error) {
      this.#readings = undefined;
      throw error;
    }
  }

  async #readSnapshots(): Promise<void> {
    this.#snapshots = await readSnapshots(this.#ask);
  }
}
