import type { Engine } from '@drover/cloud-engine';
import type { Random } from '@drover/core';
import { AllocationService } from '../allocation/allocation-service.ts';
import type { CopyOnDisk, FindCopies } from '../allocation/existing-copies.ts';
import { Recoveries } from '../allocation/recoveries.ts';
import { SlmService } from '../slm/slm-service.ts';
import type { OpenStore } from '../snapshots/object-store.ts';
import { Repositories } from '../snapshots/repositories.ts';
import { RestoreService } from '../snapshots/restore.ts';
import { SnapshotService } from '../snapshots/snapshot-service.ts';
import type { ClusterState } from '../state/cluster-state.ts';
import { isActive, type ShardRouting } from '../state/shard.ts';
import { DiskMonitor } from './disk-monitor.ts';
import { FormedCluster } from './formed-cluster.ts';
import type { SearchNode } from './search-node.ts';
import type { FlatSettings } from './settings.ts';

export interface ServiceOptions {
  readonly engine: Engine;
  readonly random: Random;
  readonly version: string;
  readonly config: FlatSettings;
  readonly openStore: OpenStore;
  nodes(): readonly SearchNode[];
}

/** The services on the master of one formed cluster. */
export class MasterServices {
  readonly core: FormedCluster;
  readonly allocation: AllocationService;
  readonly recoveries: Recoveries;
  readonly disk: DiskMonitor;
  readonly repositories: Repositories;
  readonly snapshots: SnapshotService;
  readonly restores: RestoreService;
  readonly slm: SlmService;
  readonly options: ServiceOptions;

  constructor(options: ServiceOptions) {
    this.options = options;
    this.core = new FormedCluster(options.engine, options.random, options.config);
    this.allocation = new AllocationService(this.core, {
      info: { disk: (id) => this.#diskUsage(id), shardBytes: (shard) => this.shardBytes(shard) },
      findCopies: (indexUUID, shard) => this.findCopies(indexUUID, shard),
      snapshotting: () => this.snapshots.snapshotting(),
      version: options.version,
    });
    this.recoveries = new Recoveries(this.core, {
      node: (id) => this.node(id),
      snapshotStore: (shard) => this.restores.storeFor(shard),
      started: (shard) => this.#change((state) => this.allocation.started(state, shard)),
      failed: (shard, details) => this.#change((state) => this.allocation.failed(state, shard, details)),
    });
    this.disk = new DiskMonitor(this.core, this);
    this.repositories = new Repositories(this.core, options.openStore, () => this.members());
    this.restores = new RestoreService(this);
    this.snapshots = new SnapshotService(this, this.repositories, () => this.restores.inUse());
    this.core.onChange((state, previous) => this.#applied(state, previous));
    this.slm = new SlmService(this);
  }

  /** A member that follows the present master. */
  node(id: string): SearchNode | undefined {
    return this.options.nodes().find((node) => node.id === id && node.attached && node.core === this.core);
  }

  members(): SearchNode[] {
    return this.options.nodes().filter((node) => node.attached && node.core === this.core);
  }

  /** Bytes of a shard, as its primary knows them. */
  shardBytes(shard: Pick<ShardRouting, 'index' | 'shard'>): number {
    return this.primaryCopy(shard)?.store.sizeBytes ?? 0;
  }

  primaryCopy(shard: Pick<ShardRouting, 'index' | 'shard'>) {
    const primary = this.core.state.routing
      .get(shard.index)
      ?.[shard.shard]?.find((copy) => copy.primary && isActive(copy));
    return primary === undefined ? undefined : this.node(primary.node!)?.copies.get(primary.allocationId!);
  }

  #diskUsage(id: string) {
    const node = this.node(id);
    return node === undefined ? undefined : { totalBytes: node.diskBytes, freeBytes: node.freeBytes };
  }

  /** Copies of a shard on the disks of the members. */
  readonly findCopies: FindCopies = (indexUUID, shard) => {
    const found: CopyOnDisk[] = [];
    for (const node of this.members())
      for (const copy of node.copies.values())
        if (copy.indexUUID === indexUUID && copy.shard === shard)
          found.push({ nodeId: node.id, allocationId: copy.allocationId, store: copy.store });
    return found;
  };

  #change(change: (state: ClusterState) => ClusterState): void {
    if (this.core.canCommit) this.core.update(change);
  }

  #applied(state: ClusterState, previous: ClusterState): void {
    if (state.persistent !== previous.persistent || state.transient !== previous.transient)
      this.recoveries.applySettings();
    if (state.routing === previous.routing && state.nodes === previous.nodes && state.indices === previous.indices)
      return;
    this.#tidyCopies(state);
    if (this.core.leader === undefined) this.recoveries.stop();
    else this.recoveries.sync(state);
    this.disk.touch();
  }

  /** Nodes drop copies of deleted indices, and of shards that are complete elsewhere. */
  #tidyCopies(state: ClusterState): void {
    const uuids = new Map([...state.indices.values()].map((index) => [index.uuid, index.name]));
    for (const node of this.members()) {
      for (const [id, copy] of node.copies) {
        const name = uuids.get(copy.indexUUID);
        if (name === undefined || isSuperfluous(state, name, copy.shard, node.id)) {
          node.copies.delete(id);
          node.recoveries.delete(id);
        }
      }
      node.separateCopies(
        this.core.engine.clock.now(),
        (copy) => !isLive(state, uuids.get(copy.indexUUID)!, copy.shard, copy.allocationId),
      );
    }
    this.rejoinCopies();
  }

  /** Copies that were apart follow their primary again: it brings them in line before it goes on ("primary-replica resync"). */
  rejoinCopies(): void {
    for (const node of this.members())
      for (const copy of node.copies.values()) {
        if (!isLive(this.core.state, copy.index, copy.shard, copy.allocationId)) continue;
        const primary = this.primaryCopy(copy);
        if (primary === undefined) continue;
        copy.store = primary.store;
        copy.separate = false;
      }
  }
}

function isSuperfluous(state: ClusterState, index: string, shard: number, nodeId: string): boolean {
  const copies = state.routing.get(index)?.[shard] ?? [];
  return copies.length > 0 && copies.every((copy) => copy.state === 'STARTED' && copy.node !== nodeId);
}

function isLive(state: ClusterState, index: string, shard: number, allocationId: string): boolean {
  return (state.routing.get(index)?.[shard] ?? []).some((copy) => copy.allocationId === allocationId && isActive(copy));
}
