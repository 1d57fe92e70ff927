import type { ClusterState, SnapshotPolicyState } from '@drover/observation/api';
import {
  type AskSearch,
  readSearch,
  readSnapshots,
  SearchNodes,
  type SearchReadings,
  searchFacts,
} from '@drover/observation/search-readings';
import type { DeployedCluster } from '@drover/stage/cluster';
import { refreshOf } from './fleet-view.ts';
import { machineFault } from './machine-fault.ts';

/** The page's view of the search cluster, read from one of its nodes as an operator would. */
export class ClusterView {
  readonly #deployed: DeployedCluster;
  readonly #nodes: SearchNodes;
  #snapshots: readonly SnapshotPolicyState[] = [];
  #readings: SearchReadings | undefined;
  #asking = false;

  constructor(deployed: DeployedCluster) {
    this.#deployed = deployed;
    this.#nodes = new SearchNodes(deployed.clusterName);
  }

  /** Reads again, unless the last reading still waits for its response. */
  async refresh(withSnapshots: boolean): Promise<void> {
    if (this.#asking) return;
    this.#asking = true;
    const ask: AskSearch = (path) => this.#deployed.ask('GET', path);
    try {
      this.#readings = await readSearch(ask);
      if (withSnapshots) this.#snapshots = await readSnapshots(ask);
    } catch {
      // A cluster without a master does not respond: the page says so.
      this.#readings = undefined;
    } finally {
      this.#asking = false;
    }
  }

  state(): ClusterState {
    const { clusterName, world, nodes, clock } = this.#deployed;
    const names = this.#deployed.groupNames();
    const groups = names.flatMap((name) => {
      const group = world.observe.group(name);
      return group === undefined ? [] : [group];
    });
    const members = world.observe.members().filter(({ group }) => names.includes(group.name));
    const asMembers = members.map(({ instanceId, zone, group, state }) => ({
      instanceId,
      zone,
      group: group.name,
      lifecycleState: state,
      machine: machineFault(world, instanceId, state, nodes.get(instanceId), [...nodes.values()]),
      node: nodes.get(instanceId),
    }));
    return {
      name: clusterName,
      ...searchFacts(this.#readings),
      nodes: this.#nodes.states(asMembers, this.#readings, clock.now()),
      snapshots: this.#snapshots,
      refreshes: names.flatMap((name) => refreshOf(world, name) ?? []),
      groups: groups.map(({ name, desiredCapacity, minSize, maxSize }) => ({
        name,
        desiredCapacity,
        minSize,
        maxSize,
      })),
    };
  }
}
