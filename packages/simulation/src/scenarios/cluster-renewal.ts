import type { Random } from '@drover/core';
import { groupNames, snapshotRepository } from '@drover/core/names/search-cluster';
import type { CheckVerdict } from '@drover/search-cluster';
import type { DeployedCluster } from '@drover/stage/cluster';
import { loneIndex } from './cluster-misfortunes.ts';
import { upgradePath } from './cluster-upgrade.ts';
import { UpgradeDriver } from './upgrade-driver.ts';

const minute = 60_000;
/** After a refusal, or a death, the operator comes back. */
const laterMs = 10 * minute;

/** Further acts of an operator, by their names; `upgraded` follows an upgrade. */
export interface OperatorActs {
  readonly [name: string]: (version: string) => Promise<unknown>;
  readonly upgraded: (version: string) => Promise<unknown>;
}

/** The operator's other works in a day of a cluster: nodes restarted in place, upgrades and more; each is taken up again until it has ended. */
export class ClusterRenewal {
  /** The operations that were begun, with their outcomes. */
  readonly told: string[] = [];
  readonly #deployed: DeployedCluster;
  readonly #random: Random;
  readonly #acts: OperatorActs | undefined;
  #version = 0;
  #busy = false;

  constructor(deployed: DeployedCluster, random: Random, acts?: OperatorActs) {
    this.#deployed = deployed;
    this.#random = random;
    this.#acts = acts;
  }

  /** Nothing of it is under way. */
  get idle(): boolean {
    return !this.#busy;
  }

  /** The version that every node has in the end. */
  get version(): string {
    return upgradePath[this.#version]!;
  }

  /** Begins one of them unless one is under way. */
  begin(): void {
    if (this.#busy) return;
    const upgrade = this.#random.chance(this.#acts === undefined ? 0.4 : 0.2) && this.#version + 1 < upgradePath.length;
    this.#busy = true;
    void (upgrade ? this.#upgrade() : this.#other()).finally(() => {
      this.#busy = false;
    });
  }

  async #other(): Promise<void> {
    const acts = Object.entries(this.#acts ?? {}).filter(([name]) => name !== 'upgraded');
    if (acts.length === 0 || this.#random.chance(0.25)) return await this.#restart();
    const [name, act] = this.#random.pick(acts);
    await this.#replicas(1);
    const end = await act(this.version).then(
      () => 'ended',
      (error: Error) => error.message,
    );
    await this.#replicas(0);
    this.#tell(`${name}: ${end}`);
  }

  /** Both commands on one node. The first may die in between; the second is given until the node is back, or its instance gone. */
  async #restart(): Promise<void> {
    const { clusterName, clock } = this.#deployed;
    const group = this.#random.pick([groupNames.master(clusterName), groupNames.data(clusterName)]);
    const hosts = this.#deployed.inService(group).filter((id) => this.#isUp(id));
    if (hosts.length === 0) return;
    const host = this.#random.pick(hosts);
    const prepared = await this.#run(host, 'prepare-restart --reason renewal --wait-until-complete 1800');
    await clock.sleep(this.#random.int(0, 5) * minute);
    // A run that was refused, or died before the stop, leaves nothing to finish; one that died later may have stopped the node.
    let finished = await this.#run(host, 'finish-restart --wait-until-complete 1800');
    for (let round = 0; finished !== 0 && finished !== undefined && round < 60; round++) {
      await clock.sleep(laterMs);
      finished = await this.#run(host, 'finish-restart --wait-until-complete 1800');
    }
    this.#tell(`restart of ${host}: ${prepared ?? 'gone'}, ${finished ?? 'gone'}`);
  }

  async #upgrade(): Promise<void> {
    const to = upgradePath[this.#version + 1]!;
    this.#version += 1;
    await this.#replicas(1);
    const driver = new UpgradeDriver(this.#deployed);
    for (let round = 0; ; round++) {
      const end = await driver.run(to, this.#random.int(1, 60) * minute).catch((error: Error) => error.message);
      if (typeof end !== 'string' && end.kind === 'upgraded') break;
      if (typeof end !== 'string' && end.kind === 'blocked') await this.#replaceAbsent(end.blockers);
      if (round >= 200) return this.#tell(`upgrade to ${to} given up: ${JSON.stringify(end)}`);
      await this.#deployed.clock.sleep(laterMs);
    }
    await this.#acts?.upgraded(to);
    await this.#replicas(0);
    this.#tell(`upgrade to ${to} ended`);
  }

  /** As the upgrade says: a node that may not join any more is replaced. */
  async #replaceAbsent(blockers: readonly CheckVerdict[]): Promise<void> {
    const stuck = blockers.flatMap(
      ({ because = '' }) => /^(i-\w+) \(InService\): no node in the cluster/.exec(because)?.[1] ?? [],
    );
    for (const InstanceId of stuck)
      await this.#deployed
        .aws('autoscaling', 'TerminateInstanceInAutoScalingGroup', {
          InstanceId,
          ShouldDecrementDesiredCapacity: false,
        })
        // It is gone already, or AWS has a bad moment: the next round does it.
        .catch(() => {});
  }

  /**
   * An upgrade stops at a shard with a single copy: its index gets another one for the time. As every client's, the operator's request has
   * a time limit: a node that goes down with it never responds.
   */
  async #replicas(count: number): Promise<void> {
    for (let attempt = 0; attempt < 100; attempt++) {
      const body = { 'index.number_of_replicas': count };
      const asked = this.#deployed.ask<{ acknowledged?: boolean }>('PUT', `/${loneIndex}/_settings`, body);
      const limit = this.#deployed.clock.sleep(minute).then(() => undefined);
      const set = await Promise.race([asked.catch(() => undefined), limit]);
      if (set?.acknowledged === true) return;
      await this.#deployed.clock.sleep(minute);
    }
  }

  /** Its exit code; undefined when the machine is gone. A command that dies returns another code than 0. */
  async #run(host: string, words: string): Promise<number | undefined> {
    if (!this.#isUp(host)) return undefined;
    const gone = this.#deployed.clock.sleep(2 * 60 * minute).then(() => undefined);
    const result = this.#deployed.world.machines.get(host)!.runCommand(`cluster-cli cluster ${words}`);
    return await Promise.race([result.then(({ exitCode }) => exitCode).catch(() => 1), gone]);
  }

  #isUp(host: string): boolean {
    return this.#deployed.stateOf(host) === 'InService' && this.#deployed.world.machines.get(host)?.state === 'up';
  }

  #tell(what: string): void {
    this.told.push(`${new Date(this.#deployed.clock.now()).toISOString()} ${what}`);
  }
}

/** Creates the repository for the snapshots of upgrades. */
export const createRepository = (deployed: DeployedCluster): Promise<unknown> =>
  deployed.search('PUT', `/_snapshot/${snapshotRepository}`, { type: 'fs', settings: { location: '/snapshots' } });
