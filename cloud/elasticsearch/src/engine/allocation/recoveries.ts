import type { Timer } from '@drover/core';
import type { FormedCluster } from '../coordination/formed-cluster.ts';
import type { SearchNode } from '../coordination/search-node.ts';
import { emptyStoreBytes, ShardStore } from '../documents/shard-store.ts';
import type { ClusterState } from '../state/cluster-state.ts';
import type { ShardRouting } from '../state/shard.ts';
import { newRecovery, type RecoveryState } from './recovery-state.ts';
import { RoutingNodes } from './routing-nodes.ts';

/** Opening a store, handshakes and publishing the new state. Estimated from a real three-node cluster on one machine. */
const setUpMs = { least: 20, most: 120 };

/** `indices.recovery.retry_delay_network` */
const networkRetryMs = 5000;

/** Time to replay one operation. Estimated. */
const replayMs = 0.1;

export interface RecoverySources {
  node(id: string): SearchNode | undefined;
  /** The content of a shard in a snapshot, and how fast its repository lets it be read. */
  snapshotStore(shard: ShardRouting): { readonly store: ShardStore; readonly bytesPerSecond: number } | undefined;
  started(shard: ShardRouting): void;
  failed(shard: ShardRouting, details: string): void;
}

interface Running {
  readonly shard: ShardRouting;
  readonly recovery: RecoveryState;
  readonly source: SearchNode | undefined;
  readonly target: SearchNode;
  /** Content that arrives when everything is copied. */
  readonly arriving: () => ShardStore;
  /** A limit of its own beside those of the nodes. */
  readonly limit: number;
  leftBytes: number;
  rate: number;
  sinceMs: number;
  timer: Timer | undefined;
}

/** Without a limit in the settings. */
const unlimited = 1024 ** 4;

/**
 * Carries out what the master has assigned. Bytes flow at `indices.recovery.max_bytes_per_sec` per node, in and out together
 * ("Index recovery settings"), and no faster than the node's machine can; the recoveries of a node share it.
 */
export class Recoveries {
  #core: FormedCluster;
  #sources: RecoverySources;
  #running = new Map<string, Running>();
  /** Below 1 everything flows slower: a fault. */
  #speed = 1;
  #copiedBytes = 0;

  constructor(core: FormedCluster, sources: RecoverySources) {
    this.#core = core;
    this.#sources = sources;
  }

  /** Bytes that recoveries have copied between nodes, or from snapshots, since the cluster formed. */
  get copiedBytes(): number {
    for (const running of this.#running.values()) this.#account(running);
    return this.#copiedBytes;
  }

  /** Slows all recoveries down, or lets them run at full speed again. */
  setSpeed(factor: number): void {
    this.#speed = factor;
    this.#share();
  }

  /** Starts what was newly assigned and drops what is not wanted any more. */
  sync(state: ClusterState): void {
    const wanted = new Map<string, ShardRouting>();
    for (const shard of new RoutingNodes(state, () => '').all())
      if (shard.state === 'INITIALIZING') wanted.set(shard.allocationId!, shard);
    let changed = false;
    for (const [id, running] of this.#running)
      if (!wanted.has(id) || hasOtherSource(running, state)) {
        running.timer?.cancel();
        this.#running.delete(id);
        changed = true;
      }
    for (const [id, shard] of wanted)
      if (!this.#running.has(id)) {
        this.#begin(shard, state);
        changed = true;
      }
    if (changed) this.#share();
  }

  /** Drops everything that runs: this node is no longer master. */
  stop(): void {
    for (const running of this.#running.values()) running.timer?.cancel();
    this.#running.clear();
  }

  /** Recoveries under way, with their progress up to now. */
  *progress(): Generator<RecoveryState> {
    for (const running of this.#running.values()) {
      this.#account(running);
      yield running.recovery;
    }
  }

  #begin(shard: ShardRouting, state: ClusterState) {
    const target = this.#sources.node(shard.node!);
    if (target === undefined) return;
    if (target.shardFault !== undefined)
      return this.#failLater(shard, `failed to create shard, failure ${target.shardFault}`);
    const plan = this.#plan(shard, target, state);
    if (plan === undefined) return;
    const { clock } = this.#core.engine;
    const recovery = newRecovery(shard, clock.now(), plan.facts);
    const running: Running = {
      shard,
      recovery,
      source: plan.source,
      target,
      arriving: plan.arriving,
      limit: plan.limit ?? Number.POSITIVE_INFINITY,
      leftBytes: recovery.totalBytes - recovery.reusedBytes,
      rate: 0,
      sinceMs: clock.now(),
      timer: undefined,
    };
    target.recoveries.set(shard.allocationId!, recovery);
    this.#running.set(shard.allocationId!, running);
  }

  #plan(
    shard: ShardRouting,
    target: SearchNode,
    state: ClusterState,
  ): { facts: Partial<RecoveryState>; source?: SearchNode; arriving: () => ShardStore; limit?: number } | undefined {
    switch (shard.recoverySource?.type) {
      case 'EMPTY_STORE':
        return { facts: {}, arriving: () => new ShardStore() };
      case 'EXISTING_STORE': {
        const copy = target.copies.get(shard.allocationId!);
        const bytes = copy?.store.sizeBytes ?? 0;
        return {
          facts: { totalBytes: bytes, reusedBytes: bytes, files: 4, reusedFiles: 4 },
          arriving: () => copy?.store ?? new ShardStore(),
        };
      }
      case 'SNAPSHOT': {
        const source = this.#sources.snapshotStore(shard);
        if (source === undefined)
          return this.#failLater(
            shard,
            `failed recovery, failure RecoveryFailedException; nested: IndexShardRestoreFailedException[failed to restore snapshot [${shard.recoverySource.snapshot}/${shard.recoverySource.snapshotUUID}]];`,
          );
        const { repository, snapshot } = shard.recoverySource;
        return {
          facts: { totalBytes: source.store.sizeBytes, files: filesOf(source.store), repository, snapshot },
          arriving: () => source.store.fork(),
          limit: source.bytesPerSecond,
        };
      }
      default:
        return this.#planFromPeer(shard, target, state);
    }
  }

  #planFromPeer(shard: ShardRouting, target: SearchNode, state: ClusterState) {
    const primary = primaryOf(state, shard.index, shard.shard);
    const source = primary?.node === undefined ? undefined : this.#sources.node(primary.node);
    const content = source?.copies.get(primary!.allocationId!);
    if (source === undefined || content === undefined) return undefined;
    const operations = operationsToReplay(target, shard, content.store, this.#core.engine.clock.now());
    // The segments of two copies differ, as each merges by itself: without the history every file is copied.
    const facts =
      operations === undefined
        ? { sourceNode: source.id, totalBytes: content.store.sizeBytes, files: filesOf(content.store) }
        : { sourceNode: source.id, operations };
    return { facts, source, arriving: () => content.store };
  }

  #failLater(shard: ShardRouting, details: string): undefined {
    this.#core.engine.clock.after(setUpMs.least, () => this.#sources.failed(shard, details));
    return undefined;
  }

  /** Settings have changed: recoveries under way go on at the new speed. */
  applySettings(): void {
    if (this.#running.size > 0) this.#share();
  }

  /** Gives every recovery its share of the bandwidth and moves its end. */
  #share(): void {
    const set = this.#core.settings.bytes('indices.recovery.max_bytes_per_sec');
    const limit = set > 0 ? set : unlimited;
    for (const running of this.#running.values()) this.#account(running);
    const rates = fairRates(
      [...this.#running.values()].filter(({ leftBytes }) => leftBytes > 0),
      ({ options }) => Math.min(limit, options.bytesPerSecond ?? unlimited) * this.#speed,
    );
    for (const running of this.#running.values()) {
      running.rate = (rates.get(running) ?? 0) / 1000;
      this.#schedule(running);
    }
  }

  #account(running: Running): void {
    const now = this.#core.engine.clock.now();
    const copied = Math.min(running.leftBytes, (now - running.sinceMs) * running.rate);
    running.leftBytes -= copied;
    running.recovery.recoveredBytes += copied;
    this.#copiedBytes += copied;
    running.sinceMs = now;
  }

  #schedule(running: Running): void {
    const first = running.timer === undefined;
    running.timer?.cancel();
    const set =
      (first ? this.#core.random.int(setUpMs.least, setUpMs.most) : setUpMs.least) +
      running.recovery.operations * replayMs;
    const leftMs =
      running.leftBytes <= 0 ? 0 : running.rate > 0 ? running.leftBytes / running.rate : Number.POSITIVE_INFINITY;
    if (leftMs === Number.POSITIVE_INFINITY) return;
    running.timer = this.#core.engine.clock.after(Math.ceil(leftMs + set), () => this.#finish(running));
  }

  #finish(running: Running): void {
    const { shard, recovery, target } = running;
    if (isInterrupted(running)) {
      running.timer = this.#core.engine.clock.after(networkRetryMs, () => this.#finish(running));
      return;
    }
    this.#account(running);
    this.#copiedBytes += running.leftBytes;
    recovery.recoveredBytes = recovery.totalBytes - recovery.reusedBytes;
    recovery.stage = 'DONE';
    recovery.stopMs = this.#core.engine.clock.now();
    target.putCopy({
      index: shard.index,
      indexUUID: shard.indexUUID,
      shard: shard.shard,
      allocationId: shard.allocationId!,
      store: running.arriving(),
    });
    this.#running.delete(shard.allocationId!);
    this.#sources.started(shard);
    this.#share();
  }
}

type Flow = Pick<Running, 'source' | 'target' | 'limit'>;

/** Raises all rates alike until a node is at its capacity, or a recovery at its own limit; the others go on from there. */
function fairRates<T extends Flow>(flows: readonly T[], capacity: (node: SearchNode) => number): Map<T, number> {
  const rates = new Map<T, number>();
  const free = new Map<SearchNode, number>();
  const freeOf = (node: SearchNode) => free.get(node) ?? capacity(node);
  let open = flows;
  while (open.length > 0) {
    const sharers = new Map<SearchNode, number>();
    for (const node of open.flatMap(endsOf)) sharers.set(node, (sharers.get(node) ?? 0) + 1);
    const level = (flow: T) => Math.min(flow.limit, ...endsOf(flow).map((node) => freeOf(node) / sharers.get(node)!));
    const lowest = Math.min(...open.map(level));
    const full = open.filter((flow) => level(flow) <= lowest * 1.000_001);
    for (const flow of full) rates.set(flow, lowest);
    for (const node of full.flatMap(endsOf)) free.set(node, Math.max(0, freeOf(node) - lowest));
    open = open.filter((flow) => !rates.has(flow));
  }
  return rates;
}

const endsOf = ({ source, target }: Flow): readonly SearchNode[] =>
  source === undefined ? [target] : [source, target];

/** Nothing arrives while one end is down or out of reach; the master ends the recovery once it has noticed. */
const isInterrupted = ({ source, target }: Running) =>
  !target.running || (source !== undefined && !target.canReach(source));

/** The primary has moved, or another copy was promoted: the target cancels its recovery and begins again from the new one. */
const hasOtherSource = ({ shard: { index, shard }, source }: Running, state: ClusterState): boolean =>
  source !== undefined && primaryOf(state, index, shard)?.node !== source.id;

const primaryOf = (state: ClusterState, index: string, shard: number): ShardRouting | undefined =>
  state.routing.get(index)?.[shard]?.find((copy) => copy.primary);

/** The operations that a stale copy has to replay; undefined if no copy can be brought up to date that way. */
function operationsToReplay(
  target: SearchNode,
  shard: ShardRouting,
  content: ShardStore,
  nowMs: number,
): number | undefined {
  const counts = [...target.copies.values()]
    .filter((copy) => copy.indexUUID === shard.indexUUID && copy.shard === shard.shard)
    .flatMap((copy) => content.operationsFor(copy.store, nowMs) ?? []);
  return counts.length === 0 ? undefined : Math.min(...counts);
}

const filesOf = (store: ShardStore) => (store.bytes <= emptyStoreBytes ? 1 : 4);
