import type { Timer } from '@drover/core';
import type { FormedCluster } from '../coordination/formed-cluster.ts';
import { SettingsView } from '../coordination/settings.ts';
import type { ClusterState } from '../state/cluster-state.ts';
import { delayedTimeoutMs } from '../state/index-metadata.ts';
import { isAssigned, type ShardRouting, type UnassignedInfo, type UnassignedReason } from '../state/shard.ts';
import { parseTimeMs } from '../values/units.ts';
import type { AllocationContext, ClusterInfo } from './decision.ts';
import { computeDesiredBalance, type DesiredBalance } from './desired-balance.ts';
import { allocateExistingCopies, type FindCopies } from './existing-copies.ts';
import { reconcile } from './reconcile.ts';
import { adaptReplicaCounts } from './replica-counts.ts';
import { RoutingNodes } from './routing-nodes.ts';

/** Time until a new target of balance is known after nodes or settings changed. Estimated: it is computed in the background. */
const desiredBalanceMs = 1000;

export interface AllocationSources {
  readonly info: ClusterInfo;
  readonly findCopies: FindCopies;
  snapshotting(): ReadonlySet<string>;
  readonly version: string;
}

/** Decides on the master where shards go, and takes shards off nodes that left. */
export class AllocationService {
  #core: FormedCluster;
  #sources: AllocationSources;
  #desired: DesiredBalance = new Map();
  #balance: Timer | undefined;
  #delayed: Timer | undefined;
  #waitsForSnapshot = false;

  constructor(core: FormedCluster, sources: AllocationSources) {
    this.#core = core;
    this.#sources = sources;
  }

  get desired(): DesiredBalance {
    return this.#desired;
  }

  context(
    state: ClusterState,
    routing = this.routing(state),
    options: { ignoreDisable?: boolean } = {},
  ): AllocationContext {
    return {
      state,
      routing,
      settings: this.#settingsOf(state),
      info: this.#sources.info,
      nowMs: this.#core.engine.clock.now(),
      version: this.#sources.version,
      ignoreDisable: options.ignoreDisable ?? false,
      simulating: false,
      snapshotting: this.#sources.snapshotting(),
      waits: { snapshot: false },
    };
  }

  #settingsOf(state: ClusterState): SettingsView {
    const core = this.#core;
    const same = state.persistent === core.state.persistent && state.transient === core.state.transient;
    return same ? core.settings : new SettingsView(state, core.config);
  }

  routing(state: ClusterState): RoutingNodes {
    return new RoutingNodes(state, () => this.#core.newId());
  }

  /** One allocation round on `state`: shards get a place at once, a better balance is looked for in the background. */
  reroute(state: ClusterState): ClusterState {
    const adapted = adaptReplicaCounts(state, this.#core.engine.clock.now());
    const routing = this.routing(adapted);
    const context = this.context(adapted, routing);
    this.#endDelays(adapted, routing);
    allocateExistingCopies(context, this.#sources.findCopies);
    reconcile(context, computeDesiredBalance(context, { balance: false }), this.#desired);
    this.#waitsForSnapshot = context.waits.snapshot;
    this.#scheduleDelayed(adapted, routing);
    this.#scheduleBalance();
    return routing.build();
  }

  /** The result of a round, without any timer. */
  preview(state: ClusterState, routing = this.routing(state)): ClusterState {
    const context = this.context(state, routing);
    allocateExistingCopies(context, this.#sources.findCopies);
    reconcile(context, computeDesiredBalance(context, { balance: false }), this.#desired);
    return routing.build();
  }

  /** The target of balance is computed in the background: until then nothing relocates, though the work is not done. */
  #scheduleBalance(): void {
    this.#balance ??= this.#core.engine.clock.after(desiredBalanceMs, () => {
      this.#balance = undefined;
      if (!this.#core.canCommit) return;
      const before = this.#desired;
      this.#desired = computeDesiredBalance(this.context(this.#core.state), { balance: true });
      if (!equalBalance(before, this.#desired)) this.#core.update((state) => this.reroute(state));
    });
  }

  started(state: ClusterState, shard: ShardRouting): ClusterState {
    const routing = this.routing(state);
    const current = [...routing.all()].find(
      (copy) => copy.allocationId === shard.allocationId && copy.state === 'INITIALIZING',
    );
    if (current === undefined) return state;
    routing.start(current);
    return this.reroute(routing.build());
  }

  /** A copy failed on its node: an attempt counts, the in-sync set shrinks when the copy missed a write. */
  failed(
    state: ClusterState,
    shard: ShardRouting,
    details: string,
    options: { readonly stale?: boolean } = {},
  ): ClusterState {
    const routing = this.routing(state);
    const current = [...routing.all()].find((copy) => copy.allocationId === shard.allocationId);
    if (current === undefined) return state;
    if (options.stale === true) routing.markStale(current, current.allocationId!);
    const before = current.unassignedInfo;
    const initializing = current.state === 'INITIALIZING';
    routing.fail(current, {
      ...this.#info('ALLOCATION_FAILED', current),
      failedAllocations: initializing ? (before?.failedAllocations ?? 0) + 1 : 1,
      failedNodes: initializing ? [...new Set([...(before?.failedNodes ?? []), current.node!])] : [],
      details: `failed shard on node [${current.node}]: ${details}`,
    });
    return this.reroute(routing.build());
  }

  /** Takes shards off nodes that are not members any more. Replicas may be given time to come back. */
  afterNodesLeft(state: ClusterState): ClusterState {
    const routing = this.routing(state);
    const lost = [...routing.all()].filter((shard) => isAssigned(shard) && !state.nodes.has(shard.node!));
    // Replicas first: a lost primary must not hand over to a copy that is lost as well.
    for (const shard of lost.sort((a, b) => Number(a.primary) - Number(b.primary))) {
      const current = routing.assigned(shard).find((copy) => copy.allocationId === shard.allocationId);
      if (current !== undefined) routing.fail(current, this.#nodeLeft(state, current));
    }
    for (const nodeId of [...routing.byNode.keys()]) if (!state.nodes.has(nodeId)) routing.byNode.delete(nodeId);
    return routing.build();
  }

  #nodeLeft(state: ClusterState, shard: ShardRouting): UnassignedInfo {
    const record = state.shutdowns.get(shard.node!);
    const restarting = record?.type === 'RESTART';
    const delayMs = this.#delayMs(state, shard);
    return {
      ...this.#info(restarting ? 'NODE_RESTARTING' : 'NODE_LEFT', shard),
      delayed: delayMs > 0,
      details: restarting ? `node_left [${shard.node}], restarting` : `node_left [${shard.node}]`,
    };
  }

  #delayMs(
    state: ClusterState,
    shard: Pick<ShardRouting, 'index' | 'node'> & { readonly unassignedInfo?: UnassignedInfo },
  ): number {
    const record = state.shutdowns.get(shard.unassignedInfo?.lastNode ?? shard.node ?? '');
    const ofIndex = delayedTimeoutMs(state.indices.get(shard.index)!);
    if (record?.type !== 'RESTART') return ofIndex;
    return Math.max(ofIndex, parseTimeMs(record.allocationDelay ?? '5m') ?? 300_000);
  }

  #info(reason: UnassignedReason, shard: ShardRouting): UnassignedInfo {
    return {
      reason,
      atMs: this.#core.engine.clock.now(),
      failedAllocations: 0,
      failedNodes: [],
      delayed: false,
      lastNode: shard.node!,
      allocationStatus: 'no_attempt',
    };
  }

  /** Milliseconds until a delayed copy may be allocated anywhere. */
  remainingDelayMs(state: ClusterState, shard: ShardRouting): number {
    if (shard.unassignedInfo?.delayed !== true) return 0;
    return Math.max(0, shard.unassignedInfo.atMs + this.#delayMs(state, shard) - this.#core.engine.clock.now());
  }

  #endDelays(state: ClusterState, routing: RoutingNodes): void {
    for (const shard of [...routing.unassigned])
      if (shard.unassignedInfo!.delayed && this.remainingDelayMs(state, shard) === 0)
        routing.updateUnassigned(shard, {
          ...shard,
          unassignedInfo: { ...shard.unassignedInfo!, delayed: false, allocationStatus: 'no_attempt' },
        });
  }

  #scheduleDelayed(state: ClusterState, routing: RoutingNodes): void {
    this.#delayed?.cancel();
    const waits = routing.unassigned
      .filter((shard) => shard.unassignedInfo!.delayed)
      .map((shard) => this.remainingDelayMs(state, shard));
    if (waits.length === 0) return;
    this.#delayed = this.#core.engine.clock.after(Math.min(...waits), () => this.run());
  }

  /** A snapshot has ended: shards that waited for it may move. */
  snapshotEnded(): void {
    if (this.#waitsForSnapshot) this.run();
  }

  /** A round on the committed state. */
  run(): void {
    if (this.#core.canCommit) this.#core.update((state) => this.reroute(state));
  }
}

function equalBalance(a: DesiredBalance, b: DesiredBalance): boolean {
  if (a.size !== b.size) return false;
  for (const [key, nodes] of a) {
    const others = b.get(key);
    if (others === undefined || others.length !== nodes.length || !nodes.every((id) => others.includes(id)))
      return false;
  }
  return true;
}
