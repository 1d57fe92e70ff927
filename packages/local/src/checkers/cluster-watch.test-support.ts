import { clusterHealth } from '@drover/cloud-elasticsearch';
import type { DeployedCluster } from '@drover/stage/cluster';

const everyMs = 5_000;

/** Looks at a cluster every few seconds from outside, past all faults, and remembers the worst. */
export class ClusterWatch {
  redMs = 0;
  masterlessMs = 0;
  /** Most nodes of both groups with a shutdown record that is carried out, at one moment. */
  mostDraining = 0;
  /** Ids of all nodes that were ever drained. */
  readonly drained = new Set<string>();
  readonly #deployed: DeployedCluster;
  #stopped = false;

  constructor(deployed: DeployedCluster) {
    this.#deployed = deployed;
    this.#tick();
  }

  stop(): void {
    this.#stopped = true;
  }

  get colour(): string {
    const { state } = this.#core();
    return clusterHealth(state, [...state.indices.values()]).status;
  }

  #core() {
    return this.#deployed.core;
  }

  #tick(): void {
    if (this.#stopped) return;
    this.#look();
    this.#deployed.clock.after(everyMs, () => this.#tick());
  }

  #look(): void {
    const { state, leader } = this.#core();
    if (this.colour === 'red') this.redMs += everyMs;
    if (leader === undefined) this.masterlessMs += everyMs;
    const draining = [...state.shutdowns.values()].filter(
      ({ nodeId, reason }) => state.nodes.has(nodeId) && !/\[(gave up|node is absent)/.test(reason),
    );
    for (const { nodeId } of draining) this.drained.add(nodeId);
    this.mostDraining = Math.max(this.mostDraining, draining.length);
  }
}
