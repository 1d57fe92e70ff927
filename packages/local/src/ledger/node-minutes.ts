import type { GroupView } from '@drover/cloud-world';
import { groupNames } from '@drover/core/names/search-cluster';
import type { DeployedCluster } from '@drover/stage/cluster';
import { accountNodes, type NodeMinute, type NodeReason, wantedNodes, wastefulNodes } from './node-money.ts';

/** Most undisturbed minutes that an instance may be there for nothing. */
const mostWasted = 30;
/** Beside the longest boot drawn: the hook's timeout and a margin. */
const bootMarginMinutes = 35;

/** The account of a cluster's money: why each instance was there in each minute. */
export class NodeMinutes {
  /** Instance-minutes by reason. */
  readonly minutes: Partial<Record<NodeReason, number>> = {};
  readonly #deployed: DeployedCluster;
  readonly #mostBootMinutes: number;
  readonly #expect: (holds: boolean, violation: string) => void;
  readonly #wasted = new Map<string, number>();
  readonly #booting = new Map<string, number>();

  constructor(
    deployed: DeployedCluster,
    longestBootMinutes: number,
    expect: (holds: boolean, violation: string) => void,
  ) {
    this.#deployed = deployed;
    this.#mostBootMinutes = longestBootMinutes + bootMarginMinutes;
    this.#expect = expect;
  }

  /** One more minute. `good`: nothing was in the way; `spreads`: an attempt to spread the masters is under way. */
  look(good: boolean, spreads: boolean): void {
    const { world, clusterName } = this.#deployed;
    const masters = groupNames.master(clusterName);
    const present = new Set<string>();
    for (const name of this.#deployed.groupNames()) {
      const group = world.observe.group(name);
      if (group === undefined) continue;
      const refresh = world.observe.newestRefresh(name);
      const replaces = (refresh !== undefined && refresh.endTime === undefined) || (spreads && name === masters);
      const nodes = [...this.#members(group, good), ...this.#strays(group)];
      const size = wantedNodes(group, name === masters);
      const reasons = accountNodes({ nodes, size, replaces, mostBootMinutes: this.#mostBootMinutes });
      for (const [id, reason] of reasons) this.#count(id, reason, good);
      for (const { id } of nodes) present.add(id);
    }
    for (const of of [this.#wasted, this.#booting]) for (const id of of.keys()) if (!present.has(id)) of.delete(id);
  }

  #count(id: string, reason: NodeReason, good: boolean): void {
    this.minutes[reason] = (this.minutes[reason] ?? 0) + 1;
    if (!wastefulNodes.has(reason)) return void this.#wasted.delete(id);
    const wasted = (this.#wasted.get(id) ?? -1) + Number(good);
    this.#wasted.set(id, wasted);
    this.#expect(
      !good || wasted !== mostWasted + 1,
      `instance ${id} of the cluster has had no other reason than ${reason} for ${mostWasted} minutes`,
    );
  }

  #members({ members }: GroupView, good: boolean): readonly NodeMinute[] {
    const { observe, machines } = this.#deployed.world;
    return [...members.values()].map(({ instanceId: id, state }) => {
      if (state.startsWith('Pending')) this.#booting.set(id, (this.#booting.get(id) ?? 0) + Number(good));
      return {
        id,
        state,
        dead: machines.get(id)?.state === 'crashed' || observe.instance(id)?.state === 'terminated',
        bootMinutes: this.#booting.get(id) ?? 0,
        wasted: this.#wasted.get(id) ?? -1,
      };
    });
  }

  #strays({ name, members }: GroupView): readonly NodeMinute[] {
    return this.#deployed.world.observe
      .instances()
      .filter(({ id, state, tags }) => {
        const isOurs = tags['aws:autoscaling:groupName'] === name;
        return isOurs && /^(pending|running)$/.test(state) && !members.has(id);
      })
      .map(({ id }) => ({
        id,
        state: undefined,
        dead: false,
        bootMinutes: 0,
        wasted: this.#wasted.get(id) ?? -1,
      }));
  }
}
