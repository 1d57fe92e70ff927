import type { Document } from '@drover/formats';
import { PersistentMap } from './persistent-map.ts';

export interface StoredDocument {
  readonly id: string;
  readonly source: Document;
  readonly bytes: number;
  readonly version: number;
  readonly seqNo: number;
  readonly term: number;
  readonly routing?: string;
}

/** The remains of a deleted document: its version goes on from here. */
interface Tombstone {
  readonly deleted: true;
  readonly version: number;
  readonly seqNo: number;
  readonly term: number;
}

type Entry = StoredDocument | Tombstone;

/** Bytes that an empty shard takes on disk, as a real server reports it. */
export const emptyStoreBytes = 227;
/** Size of an indexed document besides its source; an estimate. */
const documentOverheadBytes = 40;

/** `index.soft_deletes.retention_lease.sync_interval`: how often the leases of the copies follow what was written. */
const leaseSyncMs = 30_000;
/** `index.translog.flush_threshold_size` */
const flushThresholdBytes = 512 * 1024 ** 2;
/** `index.recovery.file_based_threshold`: replaying more than this share of the documents is dearer than copying files. */
const fileBasedThreshold = 0.1;
/** `index.soft_deletes.retention_lease.period` */
const leasePeriodMs = 12 * 3_600_000;

/** The state on disk after a flush. */
interface SafeCommit {
  readonly seqNo: number;
  readonly docs: number;
  readonly writtenBytes: number;
}

/** Up to where the primary keeps the history for a copy. */
interface RetentionLease {
  readonly seqNo: number;
  /** Number of the interval in which it was last renewed. */
  readonly interval: number;
}

/**
 * The documents of one shard copy. Copies that hold the same share one store; a copy that goes its own way forks.
 * Written once per operation however many copies hold it.
 */
export class ShardStore {
  #entries: PersistentMap<Entry>;
  #searchable: PersistentMap<Entry>;
  #searchableCount: number;
  #searchableDeleted: number;
  #dirtySinceMs: number | undefined;
  count: number;
  deletedCount = 0;
  /** Number of deleted documents that remain until a merge. */
  #tombstones: number;
  /** Bytes of the live and the deleted documents. */
  bytes: number;
  /** Bytes ever written: what a recovery that starts from an older state has to copy is a difference of these. */
  writtenBytes: number;
  /** Bytes that were put there by no document, to make a shard as large as an experiment needs. */
  ballastBytes: number;
  maxSeqNo: number;
  indexOps = 0;
  deleteOps = 0;
  /** Writes that a condition refused, and requests that brought writes. */
  failedOps = 0;
  bulkOps = 0;
  refreshes = 0;
  flushes = 0;
  /** Flushes of the shard itself, for the size of what was written. */
  periodicFlushes = 0;
  merges = 0;
  mergedDocs = 0;
  #liveBytes: number;
  #commit: SafeCommit;
  #lease: RetentionLease;
  /** When this copy stopped following the others. */
  #apartSinceMs: number | undefined;

  constructor(from?: ShardStore) {
    this.#entries = from === undefined ? PersistentMap.empty() : from.#entries.fork();
    this.#searchable = from === undefined ? this.#entries : from.#searchable;
    this.#searchableCount = from === undefined ? 0 : from.#searchableCount;
    this.#searchableDeleted = from === undefined ? 0 : from.#searchableDeleted;
    this.#tombstones = from === undefined ? 0 : from.#tombstones;
    this.#dirtySinceMs = from === undefined ? undefined : from.#dirtySinceMs;
    this.count = from?.count ?? 0;
    this.deletedCount = from?.deletedCount ?? 0;
    this.bytes = from?.bytes ?? emptyStoreBytes;
    this.writtenBytes = from?.writtenBytes ?? emptyStoreBytes;
    this.ballastBytes = from?.ballastBytes ?? 0;
    this.maxSeqNo = from?.maxSeqNo ?? -1;
    this.indexOps = from?.indexOps ?? 0;
    this.deleteOps = from?.deleteOps ?? 0;
    this.bulkOps = from?.bulkOps ?? 0;
    this.#liveBytes = from === undefined ? emptyStoreBytes : from.#liveBytes;
    this.#commit = from !== undefined ? from.#commit : { seqNo: -1, docs: 0, writtenBytes: emptyStoreBytes };
    this.#lease = from !== undefined ? from.#lease : { seqNo: -1, interval: 0 };
  }

  /** The same content, free to change alone. Costs nothing until one of the two is written. */
  fork(apartSinceMs?: number): ShardStore {
    if (apartSinceMs !== undefined) this.#renewLease(apartSinceMs);
    const copy = new ShardStore(this);
    copy.#apartSinceMs = apartSinceMs;
    return copy;
  }

  /** A flush: what was written is on disk for good, and the history before it is kept for leases only. */
  flush(): void {
    this.flushes += 1;
    this.#commit = { seqNo: this.maxSeqNo, docs: this.count, writtenBytes: this.writtenBytes };
  }

  get committedSeqNo(): number {
    return this.#commit.seqNo;
  }

  get uncommittedBytes(): number {
    return this.writtenBytes - this.#commit.writtenBytes;
  }

  /** The first operation that the primary keeps for a copy which is in sync now. */
  retainedSeqNo(nowMs: number): number {
    this.#renewLease(nowMs);
    return this.#lease.seqNo + 1;
  }

  /**
   * Operations that a copy which was away has to replay; undefined when the history is gone and its files have to be copied: the
   * lease was too far behind the last flush of the primary, or it has expired (`ReplicationTracker.getRetentionLeases`).
   */
  operationsFor(copy: ShardStore, nowMs: number): number | undefined {
    if (copy.maxSeqNo > this.maxSeqNo || copy.#apartSinceMs === undefined) return undefined;
    if (nowMs - copy.#apartSinceMs > leasePeriodMs) return undefined;
    const leastReasonable = this.#commit.seqNo + 1 - Math.ceil(this.#commit.docs * fileBasedThreshold);
    if (copy.#lease.seqNo + 1 < leastReasonable) return undefined;
    return this.maxSeqNo - Math.min(copy.#lease.seqNo, copy.maxSeqNo);
  }

  /** Leases follow on a timer: at the beginning of an interval they stand where the last operation before it was. */
  #renewLease(nowMs: number): void {
    const interval = Math.floor(nowMs / leaseSyncMs);
    if (interval > this.#lease.interval) this.#lease = { seqNo: this.maxSeqNo, interval };
  }

  get sizeBytes(): number {
    return this.bytes + this.ballastBytes;
  }

  get(id: string): StoredDocument | undefined {
    const entry = this.#entries.get(id);
    return entry === undefined || 'deleted' in entry ? undefined : entry;
  }

  /** Version, sequence number and term of the last operation on this id, also after a delete. */
  lastOperation(id: string): { readonly version: number; readonly seqNo: number; readonly term: number } | undefined {
    return this.#entries.get(id);
  }

  index(document: StoredDocument, nowMs: number): void {
    this.#beforeWrite(nowMs);
    this.#retire(this.get(document.id));
    const weight = document.bytes + documentOverheadBytes;
    this.count += 1;
    this.#liveBytes += weight;
    this.bytes += weight;
    this.writtenBytes += weight;
    this.indexOps += 1;
    this.maxSeqNo = Math.max(this.maxSeqNo, document.seqNo);
    this.#entries.set(document.id, document);
  }

  delete(id: string, operation: Omit<Tombstone, 'deleted'>, nowMs: number): void {
    this.#beforeWrite(nowMs);
    this.#retire(this.get(id));
    this.bytes += documentOverheadBytes;
    this.writtenBytes += documentOverheadBytes;
    this.deleteOps += 1;
    this.#tombstones += 1;
    this.maxSeqNo = Math.max(this.maxSeqNo, operation.seqNo);
    this.#entries.set(id, { deleted: true, ...operation });
  }

  /** Makes everything written searchable. */
  refresh(): void {
    this.refreshes += 1;
    if (this.#dirtySinceMs === undefined) return;
    this.#dirtySinceMs = undefined;
    this.#show();
  }

  /** Refreshes when the index's refresh interval has passed since the first write that is not searchable yet. */
  refreshIfDue(nowMs: number, intervalMs: number): void {
    if (this.#dirtySinceMs !== undefined && intervalMs >= 0 && nowMs - this.#dirtySinceMs >= intervalMs) this.refresh();
  }

  get searchableCount(): number {
    return this.#searchableCount;
  }

  /** Deleted documents, and what remains of deletes, beside those that a search sees. */
  get searchableDeleted(): number {
    return this.#searchableDeleted;
  }

  /** Documents that a search sees. */
  *searchable(): Generator<StoredDocument> {
    for (const entry of this.#searchable.values()) if (!('deleted' in entry)) yield entry;
  }

  /** Removes what deleted documents still weigh, as a merge does. */
  merge(): void {
    this.merges += 1;
    this.mergedDocs += this.count + this.deletedCount;
    this.bytes = this.#liveBytes;
    this.deletedCount = 0;
    this.#tombstones = 0;
  }

  /** Merges run by themselves once a third of the documents are deleted ones (tiered merge policy, simplified). */
  #retire(before: StoredDocument | undefined): void {
    if (before === undefined) return;
    this.count -= 1;
    this.deletedCount += 1;
    this.#liveBytes -= before.bytes + documentOverheadBytes;
    if (this.deletedCount > 1000 && this.deletedCount > this.count / 2) this.merge();
  }

  #beforeWrite(nowMs: number): void {
    this.#renewLease(nowMs);
    if (this.uncommittedBytes > flushThresholdBytes) {
      this.periodicFlushes += 1;
      this.flush();
    }
    this.#markDirty(nowMs);
  }

  #markDirty(nowMs: number): void {
    if (this.#dirtySinceMs !== undefined) return;
    this.#dirtySinceMs = nowMs;
    this.#show();
    this.#entries = this.#entries.fork();
  }

  #show(): void {
    this.#searchable = this.#entries;
    this.#searchableCount = this.count;
    this.#searchableDeleted = this.deletedCount + this.#tombstones;
  }
}
