import type { SearchNode } from '@drover/cloud-elasticsearch';
import type { FaultRule } from '@drover/cloud-engine';
import type { Random } from '@drover/core';
import { groupNames } from '@drover/core/names/search-cluster';
import type { Excuses } from '@drover/local/checkers/cluster-checkers';
import type { DeployedCluster } from '@drover/stage/cluster';
import { scheduledDrain } from '@drover/stage/cluster';
import type { Mortality } from './cluster-mortality.ts';

const minute = 60_000;
const hour = 60 * minute;
const gib = 1024 ** 3;

/** Index whose only copy is pinned to its node when a drain is to be impossible. */
export const loneIndex = 'solo';

/**
 * Draws faults and injects them; knows what is going on, so that checkers can distinguish the fleet's faults from
 * injected ones.
 */
export class Misfortunes implements Excuses {
  /** The faults that struck, with their times. */
  readonly told: string[] = [];
  readonly #deployed: DeployedCluster;
  readonly #random: Random;
  readonly #mortality: Mortality;
  readonly #dead = new Set<string>();
  readonly #full = new Set<SearchNode>();
  /** Undo of what is going on now. */
  readonly #ongoing = new Set<() => void>();
  /** The newest value of what is set, by its path. */
  readonly #wanted = new Map<string, object>();
  readonly #searchTrouble: { readonly from: number; until: number }[] = [];
  #struckNow = 0;
  #hindrances = 0;
  #struckLast = Number.NEGATIVE_INFINITY;
  #metadataStaysUntil = 0;
  #over = false;

  constructor(deployed: DeployedCluster, random: Random, mortality: Mortality) {
    this.#deployed = deployed;
    this.#random = random;
    this.#mortality = mortality;
  }

  // ---- What checkers ask ---------------------------------------------------------------------------------------------

  nodesStruck(withinMs: number): boolean {
    return this.#struckNow > 0 || this.#deployed.clock.now() - this.#struckLast <= withinMs;
  }

  /**
   * Also while a disk is full, which doctor names for as long; copies are rebuilt at 200 kB a second, an hour for a shard;
   * the second copy that a restart gives an index has no node that may take it; or no node has the metadata of its
   * instance, without which none may ask AWS for anything.
   */
  troubled(): boolean {
    return this.nodesStruck(0) || this.#hindrances > 0 || this.#mortality.metadataIsGone;
  }

  searchTroubleMs(since: number): number {
    const now = this.#deployed.clock.now();
    return this.#searchTrouble
      .map(({ from, until }) => Math.max(0, Math.min(until + 6 * minute, now) - Math.max(from, since)))
      .reduce((sum, ms) => sum + ms, 0);
  }

  /**
   * Also one that never came up: nothing on it keeps its hook open, and a yellow cluster may keep it for longer than
   * the hook waits.
   */
  isDead(instanceId: string): boolean {
    return this.#dead.has(instanceId) || this.#deployed.world.machines.get(instanceId)?.state === 'crashed';
  }

  // ---- Fate ----------------------------------------------------------------------------------------------------------

  /** Spreads `count` misfortunes over the time. */
  schedule(count: number, forMs: number): void {
    const kinds = Object.entries(this.#kinds);
    for (let drawn = 0; drawn < count; drawn++) {
      const [kind, strike] = this.#random.pick(kinds);
      this.#deployed.clock.after(this.#random.int(0, forMs), () => {
        if (!this.#over && strike()) this.#tell(kind);
      });
    }
  }

  /** From now on everything goes well; what lasts is undone. */
  end(): void {
    this.#over = true;
    for (const undo of [...this.#ongoing]) undo();
    this.#deployed.world.engine.faults.clear();
    this.#mortality.end();
  }

  /** Each returns whether it could strike: faults alone never take data or a majority. */
  readonly #kinds: Readonly<Record<string, () => boolean>> = {
    'node crash': () => this.#crash(this.#pickData()),
    'lost master': () => this.#crash(this.#pickMaster(true)),
    'dead machine': () => this.#killMachine(this.#pickLosable(), 'crash'),
    'lost hardware': () => this.#killMachine(this.#pickLosable(), 'kill'),
    partition: () => this.#partition(),
    'slow recovery': () => this.#slowRecovery(),
    'full disk': () => this.#fillDisk(),
    'cannot drain': () => this.#pin(),
    '503': () =>
      this.#search({ kind: 'error', status: 503, phase: this.#random.pick(['before', 'after']) }, 20 * minute),
    '429': () => this.#search({ kind: 'throttle' }, 20 * minute),
    'slow responses': () => this.#search({ kind: 'slow', ms: this.#random.int(1_000, 20_000) }, hour),
    'no responses': () => this.#search({ kind: 'timeout', phase: this.#random.pick(['before', 'after']) }, 15 * minute),
    'AWS error': () => this.#aws({ kind: 'error', phase: this.#random.pick(['before', 'after']) }),
    'AWS throttle': () => this.#aws({ kind: 'throttle' }),
    'AWS slow': () => this.#aws({ kind: 'slow', ms: this.#random.int(1_000, 30_000) }),
    'AWS late': () => this.#delayed(),
    'AWS kill': () => this.#aws({ kind: 'kill', phase: this.#random.pick(['before', 'after']) }),
    'dying runs': () => this.#die(),
    'no metadata': () => this.#metadata(),
    'overlapping run': () => this.#overlap(),
    'failing boots': () => this.#boots(),
  };

  #crash(node: SearchNode | undefined): boolean {
    if (node === undefined) return false;
    node.crash({ silently: this.#random.chance(0.3) });
    this.#during(this.#random.int(1, 20) * minute, true, () => {
      if (this.#deployed.cluster.nodes.includes(node)) node.start();
    });
    return true;
  }

  /** It never comes back: the group replaces the instance, and no process on it can complete the hook. */
  #killMachine(node: SearchNode | undefined, how: 'crash' | 'kill'): boolean {
    if (node === undefined) return false;
    const id = this.#instanceOf(node);
    this.#dead.add(id);
    this.#strike();
    node.crash({ silently: true });
    this.#deployed.world.machines[how](id);
    return true;
  }

  #partition(): boolean {
    const lonely = this.#random.chance(0.4) ? this.#pickMaster(false) : this.#pickData();
    if (lonely === undefined) return false;
    this.#deployed.cluster.partition([lonely]);
    this.#during(this.#random.int(1, 20) * minute, true, () => this.#deployed.cluster.heal());
    return true;
  }

  #slowRecovery(): boolean {
    const speed = `${this.#random.pick([200, 500, 2_000])}kb`;
    this.#setting('/_cluster/settings', { persistent: { 'indices.recovery.max_bytes_per_sec': speed } });
    this.#hindrances += 1;
    this.#during(this.#random.int(20, 120) * minute, false, () => {
      this.#hindrances -= 1;
      this.#setting('/_cluster/settings', { persistent: { 'indices.recovery.max_bytes_per_sec': null } });
    });
    return true;
  }

  /** A disk that is full is not filled again: the second fault would restore what the first one has put there. */
  #fillDisk(): boolean {
    const node = this.#pickData();
    if (node === undefined || this.#full.has(node)) return false;
    const before = node.otherBytes;
    node.setFreeBytes(this.#random.int(1, 14) * gib);
    this.#full.add(node);
    this.#hindrances += 1;
    this.#during(this.#random.int(10, 120) * minute, false, () => {
      this.#hindrances -= 1;
      this.#full.delete(node);
      node.otherBytes = before;
      node.setFreeBytes(node.freeBytes);
    });
    return true;
  }

  #pin(): boolean {
    const holder = this.#holderOfLone();
    if (holder === undefined) return false;
    const name = 'index.routing.allocation.require._name';
    this.#setting(`/${loneIndex}/_settings`, { [name]: holder.name });
    this.#hindrances += 1;
    this.#during(this.#random.int(30, 180) * minute, false, () => {
      this.#hindrances -= 1;
      this.#setting(`/${loneIndex}/_settings`, { [name]: null });
    });
    return true;
  }

  #search(effect: FaultRule['effect'], longestMs: number): boolean {
    const node = this.#random.chance(0.5) ? this.#random.pick([...this.#deployed.nodes.values()]) : undefined;
    const subject = node === undefined ? {} : { subject: node.name };
    const { untilMs } = this.#rule(
      { service: 'search', ...subject, chance: this.#random.pick([0.1, 0.3, 1]), effect },
      longestMs,
    );
    this.#searchTrouble.push({ from: this.#deployed.clock.now(), until: untilMs });
    return true;
  }

  /** Only what the nodes' own role asks is struck. */
  #aws(effect: FaultRule['effect']): boolean {
    const service = this.#random.pick(['autoscaling', 'ec2', 'secretsmanager']);
    const chance = effect.kind === 'kill' ? 0.2 : this.#random.pick([0.1, 0.3, 1]);
    this.#rule({ service, subject: 'assumed-role', chance, effect }, 30 * minute);
    return true;
  }

  #delayed(): boolean {
    const operation = this.#random.pick(['DescribeAutoScalingGroups', 'DescribeAutoScalingInstances']);
    this.#rule(
      { service: 'autoscaling', operation, effect: { kind: 'delayed', ms: this.#random.int(5, 90) * 1_000 } },
      hour,
    );
    return true;
  }

  #die(): boolean {
    this.#mortality.callsKillWith(this.#random.pick([0.01, 0.03, 0.1]));
    this.#during(this.#random.int(10, 30) * minute, false, () => this.#mortality.callsKillWith(0));
    return true;
  }

  /** Ten minutes apart, which is two scheduled runs: no hook runs out because nodes may not call AWS for an hour. */
  #metadata(): boolean {
    const now = this.#deployed.clock.now();
    if (now < this.#metadataStaysUntil) return false;
    this.#mortality.metadataFails(this.#random.pick(['silent', 'error']), this.#random.pick([0.3, 1]));
    const forMs = this.#random.int(5, 30) * minute;
    this.#metadataStaysUntil = now + forMs + 10 * minute;
    this.#during(forMs, false, () => this.#mortality.metadataFails(undefined, 0));
    return true;
  }

  /** An operator starts the scheduled command by hand as well. */
  #overlap(): boolean {
    const waiting = this.#deployed
      .members()
      .filter(({ state, id }) => state === 'Terminating:Wait' && !this.isDead(id));
    if (waiting.length === 0) return false;
    const machine = this.#deployed.world.machines.get(this.#random.pick(waiting).id);
    if (machine === undefined) return false;
    for (const delayMs of [0, 700, 5_000])
      this.#deployed.clock.after(delayMs, () => void machine.runCommand(scheduledDrain).catch(() => {}));
    return true;
  }

  #boots(): boolean {
    const effect = this.#random.pick([{ kind: 'boot-failure' }, { kind: 'slow-boot', ms: 10 * minute }] as const);
    this.#rule({ service: 'machine', operation: 'boot', chance: 0.4, effect }, hour);
    return true;
  }

  // ---- Whom it may strike --------------------------------------------------------------------------------------------

  /** A data node of a green cluster. */
  #pickData(): SearchNode | undefined {
    const nodes = this.#calm() ? this.#present(groupNames.data(this.#deployed.clusterName)) : [];
    return nodes.length === 0 ? undefined : this.#random.pick(nodes);
  }

  /** A master without which more than half of the votes remain, whichever are leaving already. */
  #pickMaster(elected: boolean): SearchNode | undefined {
    const { core } = this.#deployed;
    const masters = this.#present(groupNames.master(this.#deployed.clusterName));
    const staying = masters.filter(({ id }) => !core.state.shutdowns.has(id));
    const candidates = elected ? masters.filter((node) => node === core.leader) : masters;
    const safe = candidates.filter((node) => {
      const left = staying.filter(({ id }) => id !== node.id && core.state.votingConfig.includes(id)).length;
      return 2 * left > core.state.votingConfig.length;
    });
    return this.#calm() && safe.length > 0 ? this.#random.pick(safe) : undefined;
  }

  /** A node that takes no last copy along. */
  #pickLosable(): SearchNode | undefined {
    const node = this.#random.chance(0.3) ? this.#pickMaster(false) : this.#pickData();
    return node === undefined || node === this.#holderOfLone() ? undefined : node;
  }

  /** One thing at a time: the cluster is green and whole. */
  #calm(): boolean {
    const { core } = this.#deployed;
    const { members, nodes } = this.#deployed;
    const whole = [...nodes.values()].every((node) => !node.running || node.attached);
    const running = new Set([...nodes.values()].filter((node) => node.running).map(({ id }) => id));
    // A node that vanished is in the cluster, and everything looks green, until the others have noticed.
    const noticed = [...core.state.nodes.keys()].every((id) => running.has(id));
    const going = members.call(this.#deployed).some(({ state }) => state === 'Terminating:Proceed');
    return this.#struckNow === 0 && core.leader !== undefined && whole && noticed && !going && this.#isGreen();
  }

  #isGreen(): boolean {
    const { routing } = this.#deployed.core.state;
    return [...routing.values()].flat(2).every(({ state }) => state === 'STARTED' || state === 'RELOCATING');
  }

  #present(group: string): readonly SearchNode[] {
    const { state } = this.#deployed.core;
    return this.#deployed
      .members()
      .filter((member) => member.group === group)
      .flatMap(({ id }) => this.#deployed.nodes.get(id) ?? [])
      .filter((node) => node.running && state.nodes.has(node.id));
  }

  /** Where the lone index is, or is going. */
  #holderOfLone(): SearchNode | undefined {
    const copy = this.#deployed.core.state.routing.get(loneIndex)?.[0]?.[0];
    return this.#deployed.cluster.nodes.find(({ id }) => id === copy?.node);
  }

  #instanceOf(node: SearchNode): string {
    return [...this.#deployed.nodes].find(([, other]) => other === node)![0];
  }

  // ---- How long ------------------------------------------------------------------------------------------------------

  #during(forMs: number, takesNode: boolean, undo: () => void): void {
    if (takesNode) this.#struckNow += 1;
    const end = () => {
      if (!this.#ongoing.delete(end)) return;
      if (takesNode) this.#struckNow -= 1;
      if (takesNode) this.#strike();
      undo();
    };
    this.#ongoing.add(end);
    this.#deployed.clock.after(forMs, end);
  }

  #strike(): void {
    this.#struckLast = this.#deployed.clock.now();
  }

  #rule(rule: FaultRule, longestMs: number): { readonly untilMs: number } {
    const untilMs = this.#deployed.clock.now() + this.#random.int(minute, longestMs);
    this.#deployed.world.engine.faults.add({ ...rule, untilMs });
    return { untilMs };
  }

  /** As often as it takes: a fault may strike the operator too. What was wanted last is what arrives last. */
  #setting(path: string, body: object): void {
    this.#wanted.set(path, body);
    this.#send(path, body, 0);
  }

  #send(path: string, body: object, attempt: number): void {
    const isWanted = () => this.#wanted.get(path) === body;
    const again = () => isWanted() && this.#send(path, body, attempt + 1);
    const received = (acknowledged: boolean) => {
      if (!isWanted()) this.#send(path, this.#wanted.get(path)!, 0);
      else if (!acknowledged && attempt < 100) this.#deployed.clock.after(30_000, again);
    };
    const asked = this.#deployed.ask<{ acknowledged?: boolean }>('PUT', path, body);
    // A node that goes down with the request never responds.
    Promise.race([asked, this.#deployed.clock.sleep(minute).then(() => ({ acknowledged: false }))]).then(
      ({ acknowledged }) => received(acknowledged === true),
      () => received(false),
    );
  }

  #tell(kind: string): void {
    this.told.push(`${new Date(this.#deployed.clock.now()).toISOString()} ${kind}`);
  }
}
