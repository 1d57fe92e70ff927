import type { SearchNode } from '@drover/cloud-elasticsearch';
import { allShards, type ClusterState, isActive, type ShutdownRecord } from '@drover/cloud-elasticsearch';
import type { Instance } from '@drover/cloud-machines';
import type { Finding } from '@drover/operator/doctor/findings';
import type { DeployedCluster } from '@drover/stage/cluster';
import { ClusterLedger } from '../ledger/cluster-ledger.ts';
import { ClusterTruth } from '../truth/cluster-truth.ts';
import { disagreements } from '../truth/disagreements.ts';

const minute = 60_000;
const hour = 60 * minute;

/** The faults under way, as far as they excuse what the checkers see. */
export interface Excuses {
  /** Whether a node was taken away by a fault, now or within the last `withinMs`. */
  nodesStruck(withinMs: number): boolean;
  /** Time for which commands could not reach Elasticsearch since `since`. */
  searchTroubleMs(since: number): number;
  /** Whether the machine of an instance has died. */
  isDead(instanceId: string): boolean;
  /** Whether faults took so many masters that none can be elected. @default never: faults alone do not */
  majorityStruck?(): boolean;
  /** Whether a fault lasts that keeps the cluster from coming back, or from capacity. @default while nodes are struck */
  troubled?(): boolean;
  /** The longest boot that the world draws. @default 20 minutes */
  readonly longestBootMs?: number;
}

/** How often the checkers look. */
const everyMs = 15_000;
/** Electing takes seconds; a silent master is given up after half a minute. */
const electionMs = 3 * minute;
/** After the end of a fault nodes come back, join and open their shards. */
const recoveryMs = 15 * minute;
/** Two that register at once sort it out at their next reading; one that died meanwhile at its next scheduled run. */
const overlapMs = 7 * minute;
/** AWS ends any hook after this. */
const longestWaitMs = 48 * hour;

/** Watches a cluster from outside, past all faults, and writes down every broken promise. */
export class ClusterCheckers {
  readonly violations: string[] = [];
  checks = 0;
  readonly ledger: ClusterLedger;
  readonly truth: ClusterTruth;
  readonly #deployed: DeployedCluster;
  readonly #excuses: Excuses;
  readonly #waits = new Map<string, number>();
  readonly #named = new Set<string>();
  readonly #joined = new Set<string>();
  #withoutMasterSince: number | undefined;
  #overlapSince: number | undefined;
  #stopped = false;

  constructor(deployed: DeployedCluster, excuses: Excuses) {
    this.#deployed = deployed;
    this.#excuses = excuses;
    const troubled = () => excuses.troubled?.() ?? excuses.nodesStruck(0);
    const { longestBootMs } = excuses;
    const boot = longestBootMs === undefined ? {} : { longestBootMs };
    const expect = (holds: boolean, violation: string) => this.expect(holds, violation);
    this.ledger = new ClusterLedger(deployed, { troubled, ...boot }, expect);
    this.truth = new ClusterTruth(deployed, { troubled, dangers: () => this.ledger.dangers() }, expect);
    deployed.onLeaving((node, instance) => this.#checkLeaving(node, instance));
  }

  start(): void {
    this.ledger.start();
    this.truth.start();
    const tick = () => {
      if (this.#stopped) return;
      this.#look();
      this.#deployed.clock.after(everyMs, tick);
    };
    tick();
  }

  stop(): void {
    this.#stopped = true;
    this.ledger.stop();
    this.truth.stop();
  }

  /** Checks what must hold once faults have ended, everything was replaced and two reaps have passed. */
  checkAtRest(): void {
    const { state } = this.#core();
    this.expect(this.colour() === 'green', `the cluster is ${this.colour()} at the end`);
    for (const id of state.shutdowns.keys())
      this.expect(false, `the shutdown record of node ${id} (${state.nodes.has(id) ? 'present' : 'gone'}) is left`);
    for (const { nodeName } of state.votingExclusions)
      this.expect(false, `the voting exclusion of ${nodeName} is left`);
    const strangers = [...state.nodes.values()].filter(({ id }) => !this.#nodes().some((node) => node.id === id));
    this.expect(strangers.length === 0, `${strangers.length} nodes of the cluster have no instance`);
    this.expect(
      state.nodes.size === this.#nodes().length,
      `${state.nodes.size} of ${this.#nodes().length} nodes joined`,
    );
  }

  /** The real command, and its pure part on facts of the world at the same moment, agree. */
  checkDoctor(real: readonly Finding[]): void {
    const ofWorld = this.truth.findings() ?? [];
    for (const disagreement of disagreements('cluster', real, ofWorld)) this.expect(false, disagreement);
  }

  colour(): string {
    return this.#deployed.colour();
  }

  expect(holds: boolean, violation: string): void {
    this.checks += 1;
    if (holds || this.violations.length >= 20) return;
    if (this.#named.has(violation)) return;
    this.#named.add(violation);
    this.violations.push(`${new Date(this.#deployed.clock.now()).toISOString()} ${violation}`);
  }

  #core() {
    return this.#deployed.core;
  }

  #nodes(): readonly SearchNode[] {
    return [...this.#deployed.nodes.values()];
  }

  #look(): void {
    this.#checkMaster();
    this.#checkRed();
    this.#checkLeases();
    this.#checkAway();
    this.#checkWaits();
  }

  /** Nodes that were in the cluster, whose instance lives, and that are not in it: restarts take one at a time. */
  #checkAway(): void {
    const { state, leader } = this.#core();
    for (const id of state.nodes.keys()) this.#joined.add(id);
    if (leader === undefined) return;
    const away = [...this.#deployed.nodes].filter(
      ([host, { id }]) => this.#joined.has(id) && !state.nodes.has(id) && !this.#excuses.isDead(host),
    );
    const names = away.map(([, { name }]) => name).join(', ');
    this.expect(
      away.length <= 1 || this.#excuses.nodesStruck(recoveryMs),
      `${away.length} nodes are away, and no fault took one: ${names}`,
    );
  }

  /** Faults alone never take more than a minority of the masters. */
  #checkMaster(): void {
    const now = this.#deployed.clock.now();
    if (this.#core().leader !== undefined) this.#withoutMasterSince = undefined;
    else this.#withoutMasterSince ??= now;
    const forMs = now - (this.#withoutMasterSince ?? now);
    const excused = this.#excuses.majorityStruck?.() ?? false;
    this.expect(
      forMs <= electionMs || excused,
      `no master for over ${electionMs / minute} minutes: ${this.#describeMasters()}`,
    );
  }

  #describeMasters(): string {
    const { votingConfig } = this.#core().state;
    const voters = votingConfig.map((id) => this.#nodes().find((node) => node.id === id));
    return voters
      .map((node) => (node === undefined ? 'gone' : node.running ? node.name : `${node.name} (down)`))
      .join(', ');
  }

  #checkRed(): void {
    const { state, leader } = this.#core();
    if (leader === undefined) return;
    const red = this.colour() === 'red';
    this.expect(!red || this.#excuses.nodesStruck(recoveryMs), `red, and no fault took a node: ${describeRed(state)}`);
  }

  #checkLeases(): void {
    const now = this.#deployed.clock.now();
    const { state } = this.#core();
    const holders = [...state.shutdowns.values()].filter((record) => this.#isLease(state, record));
    if (holders.length <= 1) this.#overlapSince = undefined;
    else this.#overlapSince ??= now;
    const since = this.#overlapSince ?? now;
    const forMs = now - since - (since === now ? 0 : this.#excuses.searchTroubleMs(since));
    const names = holders.map(({ nodeId, reason }) => `${state.nodes.get(nodeId)?.name ?? nodeId} (${reason})`);
    this.expect(forMs <= overlapMs, `${holders.length} nodes drain at the same time: ${names.join(', ')}`);
  }

  /** As the lease is defined: of a present node that has not given up, or of one that restarts. A dead machine drives no drain. */
  #isLease(state: ClusterState, { nodeId, reason, type, startedAtMs }: ShutdownRecord): boolean {
    const host = [...this.#deployed.nodes].find(([, node]) => node.id === nodeId)?.[0];
    if (type === 'RESTART') return this.#deployed.clock.now() - startedAtMs < hour;
    return (
      state.nodes.has(nodeId) &&
      !/\[(gave up|node is absent)/.test(reason) &&
      host !== undefined &&
      !this.#excuses.isDead(host)
    );
  }

  #checkWaits(): void {
    const now = this.#deployed.clock.now();
    const waiting = this.#deployed.members().filter(({ state }) => state.endsWith(':Wait'));
    for (const id of [...this.#waits.keys()]) if (!waiting.some((member) => member.id === id)) this.#waits.delete(id);
    for (const { id, state } of waiting) {
      const since = this.#waits.get(id) ?? now;
      this.#waits.set(id, since);
      this.expect(now - since <= longestWaitMs, `${id} waits in ${state} for longer than AWS allows`);
    }
    // One that never became a node holds nothing: no command drains it, and it is released once its hook has run out.
    for (const { id, state } of this.#deployed.members())
      this.expect(
        !state.endsWith(':Retained') || this.#excuses.isDead(id) || !this.#deployed.nodes.has(id),
        `${id} was retained: its hook was not kept open`,
      );
  }

  /** A node that is let go holds no shard copy that no other node has. */
  #checkLeaving(node: SearchNode, instance: Instance): void {
    if (this.#excuses.isDead(instance.id)) return;
    const { state } = this.#core();
    if (!state.nodes.has(node.id)) return;
    for (const copy of allShards(state)) {
      if (copy.node !== node.id || !isActive(copy)) continue;
      const others = state.routing
        .get(copy.index)!
        [copy.shard]!.filter((other) => other.node !== node.id && isActive(other));
      this.expect(others.length > 0, `${node.name} was let go with the last copy of [${copy.index}][${copy.shard}]`);
    }
  }
}

const describeRed = (state: ClusterState) =>
  [...allShards(state)]
    .filter((copy) => copy.primary && !isActive(copy))
    .map(
      (copy) =>
        `[${copy.index}][${copy.shard}] ${copy.state} ${copy.unassignedInfo?.reason ?? ''} last on ${copy.unassignedInfo?.lastNode ?? '?'}`,
    )
    .join('; ');
