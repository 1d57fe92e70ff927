import { groupNames } from '@drover/core/names/search-cluster';
import { type MajorityZone, majorityZone } from '@drover/search-cluster';
import type { DeployedCluster } from '@drover/stage/cluster';
import type { DeployedFleet } from '@drover/stage/fleet';

/** How things stand in the world, past all faults. */
export class Situation {
  readonly fleet: DeployedFleet;
  readonly cluster: DeployedCluster;
  readonly lostZones = new Set<string>();
  /** Instances whose search node no other reaches. */
  readonly cutOff = new Set<string>();
  /** Names of the faults that are on. */
  readonly faults = new Set<string>();
  /** The newest change of inputs. */
  stackUpdate: { readonly state: 'under way' | 'done' | 'failed'; readonly reason: string } | undefined;
  readonly #groups = new Map<string, string>();

  constructor(fleet: DeployedFleet, cluster: DeployedCluster) {
    this.fleet = fleet;
    this.cluster = cluster;
    this.world.observe.onInstanceState(({ id }) => this.groupOf(id));
  }

  get world() {
    return this.fleet.world;
  }

  get clock() {
    return this.fleet.clock;
  }

  get clusterGroups(): readonly string[] {
    return this.cluster.groupNames();
  }

  isFaulty(name: string): boolean {
    return this.faults.has(name);
  }

  /** The group of an instance, also once it is gone. */
  groupOf(instanceId: string): string | undefined {
    const group = this.world.observe.member(instanceId)?.group.name;
    if (group !== undefined) this.#groups.set(instanceId, group);
    return group ?? this.#groups.get(instanceId);
  }

  /** As many instances are in service as are desired, and none comes or goes. */
  isAtRest(groupName: string): boolean {
    const group = this.world.observe.group(groupName);
    if (group === undefined) return false;
    const members = [...group.members.values()].filter(({ state }) => !state.startsWith('Warmed:'));
    return members.length === group.desiredCapacity && members.every(({ state }) => state === 'InService');
  }

  /** GitHub does not know yet that the machine of a running job is gone: only then does it say whether the job is lost. */
  hasJobWithoutMachine(): boolean {
    const { jobs } = this.fleet.codeHost.registry.queue;
    return jobs.some(
      ({ endedAt, runnerName }) =>
        endedAt === undefined && runnerName !== undefined && this.world.observe.member(runnerName) === undefined,
    );
  }

  /**
   * GitHub did not respond to its runner, which gave it up or asks again: only the next response or the end of its
   * lease decides.
   */
  hasJobWithoutAnswer(): boolean {
    return this.fleet.codeHost.registry.queue.jobs.some(
      ({ endedAt, unanswered = 0 }) => endedAt === undefined && unanswered > 0,
    );
  }

  /** Fleet and cluster are complete, and every shard has its copies. */
  isWell(): boolean {
    return (
      this.colour() === 'green' &&
      [...this.fleet.groupNames, ...this.clusterGroups].every((group) => this.isAtRest(group))
    );
  }

  /** Of the masters that vote, how many run. */
  voters(): { readonly alive: number; readonly all: number } {
    const { core, nodes } = this.cluster;
    const running = new Set([...nodes.values()].filter((node) => node.running).map(({ id }) => id));
    const { votingConfig } = core.state;
    return { alive: votingConfig.filter((id) => running.has(id)).length, all: votingConfig.length };
  }

  /** The zone that has a majority of the masters, though they could be spread. */
  mastersInOneZone(): MajorityZone | undefined {
    const group = this.world.observe.group(groupNames.master(this.cluster.clusterName));
    if (group === undefined) return undefined;
    const members = [...group.members.values()].map(({ zone, state }) => ({ zone, lifecycleState: state }));
    const found = majorityZone({ zones: group.zones, minSize: group.minSize, members });
    return found?.avoidable === true ? found : undefined;
  }

  /** So many voting masters are gone that no master can be elected. */
  hasLostMajority(): boolean {
    const { alive, all } = this.voters();
    return all > 0 && alive * 2 <= all;
  }

  /** Of the cluster; `none` without an elected master. */
  colour(): 'green' | 'yellow' | 'red' | 'none' {
    const { leader } = this.cluster.core;
    return leader === undefined ? 'none' : this.cluster.colour();
  }
}
