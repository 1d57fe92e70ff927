import type { Journal } from '@drover/cloud-engine';
import type { Clock, Random } from '@drover/core';
import type { ClusterState } from '../state/cluster-state.ts';
import { isMasterEligible, isVotingOnly } from '../state/node-info.ts';
import type { FormedCluster } from './formed-cluster.ts';
import { recoverFromDisk } from './full-restart.ts';
import { joinProblem } from './join-versions.ts';
import type { SearchNode } from './search-node.ts';
import { decideVotingConfig, hasQuorum } from './voting-config.ts';

/** A broken connection is noticed and its removal published. Estimated. */
const disconnectMs = 50;
/** Three checks of 10 s each fail before a silent node or master is given up ("Cluster fault detection"). */
const faultDetectionMs = 30_000;
/** `discovery.find_peers_interval` */
const joinMs = 1000;
/** How long a node that was refused waits before it asks again. Slower than a real one, which asks every second. */
const refusedJoinMs = 60_000;
/** `discovery.unconfigured_bootstrap_timeout` */
const bootstrapMs = 3000;

export interface MembershipSources {
  readonly clock: Clock;
  readonly random: Random;
  readonly journal: Journal;
  /** Whether nodes without any bootstrap setting form a cluster by themselves, as in development mode. */
  readonly autoBootstrap: boolean;
  nodes(): readonly SearchNode[];
  connected(a: SearchNode, b: SearchNode): boolean;
  newCore(): FormedCluster;
  /** Members follow their master again without having been removed. */
  rejoined(core: FormedCluster): void;
  reroute(core: FormedCluster, state: ClusterState): ClusterState;
  afterNodesLeft(core: FormedCluster, state: ClusterState): ClusterState;
}

/**
 * The members and the master of each cluster: bootstrap, joins, elections, removals ("Discovery and cluster
 * formation").
 */
export class Membership {
  #sources: MembershipSources;

  constructor(sources: MembershipSources) {
    this.#sources = sources;
  }

  /** A process has started: it looks for a cluster. */
  started(node: SearchNode): void {
    const { clock } = this.#sources;
    clock.after(joinMs / 5, () => this.#seekCluster(node));
    clock.after(bootstrapMs, () => this.#bootstrap(node));
  }

  /** A process has ended, or the network changed. */
  connectivityChanged(how: 'noticed' | 'silent'): void {
    for (const core of this.#cores()) this.#review(core, how);
    this.#welcomeWaiting();
  }

  #cores(): Set<FormedCluster> {
    return new Set(this.#sources.nodes().flatMap((node) => node.core ?? []));
  }

  #running(): SearchNode[] {
    return this.#sources.nodes().filter((node) => node.running);
  }

  #review(core: FormedCluster, how: 'noticed' | 'silent') {
    const { leader } = core;
    const delayMs = how === 'noticed' ? disconnectMs : faultDetectionMs;
    if (leader === undefined) return this.#reinstate(core) ? undefined : this.#electSoon(core);
    if (!leader.running) return this.#leaderLost(core, delayMs);
    if (!core.canCommit) return this.#quorumLost(core, delayMs);
    for (const node of this.#sources.nodes())
      if (node.attached && node.core === core && node.running && !leader.canReach(node))
        this.#cutOff(node, core, delayMs);
    this.#sources.clock.after(delayMs, () => this.#removeAbsent(core));
  }

  #leaderLost(core: FormedCluster, delayMs: number): void {
    core.lead(undefined);
    for (const node of this.#running()) if (node.attached && node.core === core) this.#cutOff(node, core, delayMs);
    this.#sources.clock.after(delayMs, () => this.#electSoon(core));
  }

  /** A master that was cut off only for a moment goes on with those that have not given it up. */
  #reinstate(core: FormedCluster): boolean {
    const believers = this.#running().filter(
      (node) => node.core === core && node.view()?.masterId === core.state.masterId,
    );
    const former = believers.find((node) => node.id === core.state.masterId);
    if (former === undefined) return false;
    core.lead(former);
    if (!core.canCommit) core.lead(undefined);
    else {
      for (const node of believers) if (former.canReach(node)) this.#attach(node, core);
      this.#sources.rejoined(core);
      this.#welcomeWaiting();
    }
    return core.leader !== undefined;
  }

  /** The master goes on believing in itself until its checks fail; it can change nothing meanwhile. */
  #quorumLost(core: FormedCluster, delayMs: number): void {
    this.#leaderLost(core, delayMs);
  }

  /** Keeps what the node last saw; after `delayMs` it knows that it has no master. */
  #cutOff(node: SearchNode, core: FormedCluster, delayMs: number): void {
    node.attached = false;
    node.separateCopies(this.#sources.clock.now());
    const view = { state: core.state, masterId: core.state.masterId };
    node.stale = view;
    this.#sources.clock.after(delayMs, () => {
      if (!node.attached && node.stale === view) node.stale = { state: view.state, masterId: undefined };
    });
  }

  /** The master removes members that it has not been able to reach. */
  #removeAbsent(core: FormedCluster) {
    const { leader } = core;
    if (leader === undefined || !leader.running) return;
    const reachable = leader.reachableIds();
    const absent = [...core.state.nodes.keys()].filter((id) => !reachable.has(id));
    if (absent.length === 0) return;
    if (!core.canCommit) return this.#quorumLost(core, disconnectMs);
    for (const id of absent) this.#note(`node-left ${core.state.nodes.get(id)!.name}`, id);
    core.update((state) => {
      const nodes = new Map([...state.nodes].filter(([id]) => !absent.includes(id)));
      const left = this.#sources.afterNodesLeft(core, { ...state, nodes });
      return this.#sources.reroute(core, this.#reconfigure(left));
    });
  }

  #electSoon(core: FormedCluster): void {
    this.#sources.clock.after(this.#sources.random.int(100, 600), () => this.#elect(core));
  }

  #elect(core: FormedCluster) {
    if (core.leader !== undefined) return;
    const members = this.#running().filter((node) => node.core === core && node.view()?.masterId === undefined);
    for (const candidate of this.#shuffled(members.filter((node) => isMasterEligible(node) && !isVotingOnly(node)))) {
      const group = members.filter((node) => this.#sources.connected(candidate, node));
      const voters = new Set(group.filter(isMasterEligible).map((node) => node.id));
      if (hasQuorum(core.state.votingConfig, voters)) return this.#becomeMaster(candidate, group, core);
    }
  }

  #shuffled(nodes: readonly SearchNode[]): SearchNode[] {
    const left = [...nodes];
    const order: SearchNode[] = [];
    while (left.length > 0) order.push(left.splice(this.#sources.random.int(0, left.length - 1), 1)[0]!);
    return order;
  }

  #becomeMaster(master: SearchNode, group: readonly SearchNode[], core: FormedCluster): void {
    const fromDisk = !group.some((node) => isMasterEligible(node) && node.hasState);
    core.lead(master);
    for (const node of group) this.#attach(node, core);
    this.#note(`elected master ${master.name}`, master.id);
    const { state } = core;
    const nodes = new Map(group.map((node) => [node.id, node.discovery()]));
    const base: ClusterState = { ...state, term: state.term + 1, masterId: master.id, nodes };
    const recovered = fromDisk ? recoverFromDisk(base, this.#sources.clock.now()) : this.#withoutLost(base, core);
    core.replace(this.#sources.reroute(core, this.#reconfigure(markSeen(recovered))));
    this.#welcomeWaiting();
  }

  /** Nodes that found no master go on asking around every second ("Discovery"): they find this one. */
  #welcomeWaiting(): void {
    for (const node of this.#running())
      if (!node.attached) this.#sources.clock.after(joinMs, () => this.#seekCluster(node));
  }

  /** Unassigns shards of nodes that have left, and of those that were restarted since. */
  #withoutLost(state: ClusterState, core: FormedCluster): ClusterState {
    const before = core.state.nodes;
    const stayed = [...state.nodes].filter(([id, node]) => before.get(id)?.ephemeralId === node.ephemeralId);
    return { ...this.#sources.afterNodesLeft(core, { ...state, nodes: new Map(stayed) }), nodes: state.nodes };
  }

  /** A running node without a master joins the cluster it can see, if it is the one in its data directory. */
  #seekCluster(node: SearchNode): void {
    if (!node.running || node.attached) return;
    const leader = this.#visibleLeader(node);
    if (leader === undefined) {
      if (node.core !== undefined && node.core.leader === undefined) this.#electSoon(node.core);
      return;
    }
    const core = leader.core!;
    if (!core.canCommit) return;
    const problem = joinProblem(node.version, core.state);
    if (problem !== undefined) {
      this.#note(`join of ${node.name} refused: ${problem}`, node.id);
      this.#seekLater(node);
      return;
    }
    this.#attach(node, core);
    this.#note(`node-join ${node.name}`, node.id);
    core.update((state) => {
      const base = this.#withoutFormerProcess(state, node, core);
      const nodes = new Map(base.nodes).set(node.id, node.discovery());
      return this.#sources.reroute(core, this.#reconfigure(markSeen({ ...base, nodes })));
    });
  }

  /** A node that is refused goes on asking. */
  #seekLater(node: SearchNode): void {
    this.#sources.clock.after(refusedJoinMs, () => this.#seekCluster(node));
  }

  /** A process that died unnoticed takes its shards with it when the next one joins under the same id. */
  #withoutFormerProcess(state: ClusterState, node: SearchNode, core: FormedCluster): ClusterState {
    const former = state.nodes.get(node.id);
    if (former === undefined || former.ephemeralId === node.ephemeralId) return state;
    const nodes = new Map(state.nodes);
    nodes.delete(node.id);
    return this.#sources.afterNodesLeft(core, { ...state, nodes });
  }

  #visibleLeader(node: SearchNode): SearchNode | undefined {
    return this.#running().find(
      (other) =>
        other.core?.leader === other &&
        this.#sources.connected(node, other) &&
        (node.core === undefined || node.core === other.core),
    );
  }

  #attach(node: SearchNode, core: FormedCluster): void {
    node.core = core;
    node.attached = true;
    node.hasState = true;
    node.stale = undefined;
  }

  /** Forms a new cluster, once, when enough of the named initial masters see each other ("Bootstrapping a cluster"). */
  #bootstrap(node: SearchNode): void {
    if (!node.running || node.core !== undefined || !isMasterEligible(node) || this.#visibleLeader(node) !== undefined)
      return;
    const peers = this.#running().filter(
      (other) => isMasterEligible(other) && other.core === undefined && this.#sources.connected(node, other),
    );
    const named = node.options.initialMasterNodes;
    if (named === undefined && (!this.#sources.autoBootstrap || this.#someoneHasCluster(node))) return;
    const found = named === undefined ? peers : peers.filter((peer) => named.includes(peer.name));
    if (named !== undefined && found.length * 2 <= named.length) return;
    if (!found.includes(node)) return;
    const missing = (named ?? []).filter((name) => !found.some((peer) => peer.name === name));
    this.#form(found, missing);
  }

  #someoneHasCluster(node: SearchNode): boolean {
    return this.#running().some((other) => other.core !== undefined && this.#sources.connected(node, other));
  }

  #form(founders: readonly SearchNode[], missing: readonly string[]): void {
    const core = this.#sources.newCore();
    const placeholders = missing.map((name) => `{bootstrap-placeholder}-${name}`);
    for (const node of founders) {
      node.core = core;
      node.hasState = true;
    }
    core.replace({ ...core.state, votingConfig: [...founders.map((node) => node.id), ...placeholders] });
    this.#elect(core);
    for (const node of this.#running()) if (!node.attached) this.#seekCluster(node);
  }

  /** A master that is excluded from voting hands over to one that is not. */
  abdicateIfExcluded(core: FormedCluster): void {
    const { leader } = core;
    const excluded = core.state.votingExclusions.some(({ nodeId }) => nodeId === leader?.id);
    if (leader === undefined || !excluded) return;
    const heir = this.#running().find(
      (node) =>
        node.attached && node.core === core && core.state.votingConfig.includes(node.id) && leader.canReach(node),
    );
    if (heir === undefined) return;
    const group = this.#running().filter((node) => node.attached && node.core === core);
    this.#becomeMaster(heir, group, core);
  }

  /** The voting configuration follows the members, one step at a time, until it stays. */
  reconfigure(state: ClusterState, autoShrink: boolean): ClusterState {
    const live = [...state.nodes.values()].filter(isMasterEligible).map((node) => node.id);
    const excluded = new Set(state.votingExclusions.map((exclusion) => exclusion.nodeId));
    const master = this.#sources.nodes().find(({ id }) => id === state.masterId)!;
    const reachable = master.reachableIds();
    let current = state.votingConfig;
    for (let step = 0; step < 10; step++) {
      const next = decideVotingConfig({ live, reachable, excluded, master: master.id, current, autoShrink });
      if (next.length === current.length && next.every((id) => current.includes(id))) break;
      current = next;
    }
    return current === state.votingConfig ? state : { ...state, votingConfig: current };
  }

  #reconfigure(state: ClusterState): ClusterState {
    const shrink =
      state.transient['cluster.auto_shrink_voting_configuration'] ??
      state.persistent['cluster.auto_shrink_voting_configuration'];
    return this.reconfigure(state, shrink !== 'false');
  }

  #note(name: string, subject: string): void {
    this.#sources.journal.record({ kind: 'transition', source: 'search', name, subject });
  }
}

/** Shutdown records remember whether their node has been a member. */
function markSeen(state: ClusterState): ClusterState {
  const unseen = [...state.shutdowns.values()].filter((record) => !record.nodeSeen && state.nodes.has(record.nodeId));
  if (unseen.length === 0) return state;
  const shutdowns = new Map(state.shutdowns);
  for (const record of unseen) shutdowns.set(record.nodeId, { ...record, nodeSeen: true });
  return { ...state, shutdowns };
}
