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

/** What remains of a deleted document: its version goes on from here. */
interface Tombstone {
  readonly deleted: true;
  readonly version: number;
  readonly seqNo: number;
  readonly term: number;
}

type Entry = StoredDocument | Tombstone;

/** Bytes that an empty shard takes on disk, as a real server reports it. */
export const emptyStoreBytes = 227;
/** What an indexed document weighs beside its source; an estimate. */
const documentOverheadBytes = 40;

/**
 * The documents of one shard copy. Copies that hold the same share one store; a copy that goes its own way forks.
 * Written once per operation however many copies hold it.
 */
export class ShardStore {
  #entries: PersistentMap<Entry>;
  #searchable: PersistentMap<Entry>;
  #searchableCount: number;
  #dirtySinceMs: number | undefined;
  count: number;
  deletedCount = 0;
  /** Bytes of the live and the deleted documents. */
  bytes: number;
  /** Bytes ever written: what a recovery that starts from an older state has to copy is a difference of these. */
  writtenBytes: number;
  /** Bytes that were put there by no document, to make a shard as large as an experiment needs. */
  ballastBytes: number;
  maxSeqNo: number;
  indexOps = 0;
  deleteOps = 0;
  #liveBytes: number;

  constructor(from?: ShardStore) {
    this.#entries = from === undefined ? PersistentMap.empty() : from.#entries.fork();
    this.#searchable = from === undefined ? this.#entries : from.#searchable;
    this.#searchableCount = from === undefined ? 0 : from.#searchableCount;
    this.#dirtySinceMs = from === undefined ? undefined : from.#dirtySinceMs;
    this.count = from?.count ?? 0;
    this.deletedCount = from?.deletedCount ?? 0;
    this.bytes = from?.bytes ?? emptyStoreBytes;
    this.writtenBytes = from?.writtenBytes ?? emptyStoreBytes;
    this.ballastBytes = from?.ballastBytes ?? 0;
    this.maxSeqNo = from?.maxSeqNo ?? -1;
    this.indexOps = from?.indexOps ?? 0;
    this.deleteOps = from?.deleteOps ?? 0;
    this.#liveBytes = from === undefined ? emptyStoreBytes : from.#liveBytes;
  }

  /** The same content, free to change alone. Costs nothing until one of the two is written. */
  fork(): ShardStore {
    return new ShardStore(this);
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
    this.#markDirty(nowMs);
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
    this.#markDirty(nowMs);
    this.#retire(this.get(id));
    this.bytes += documentOverheadBytes;
    this.writtenBytes += documentOverheadBytes;
    this.deleteOps += 1;
    this.maxSeqNo = Math.max(this.maxSeqNo, operation.seqNo);
    this.#entries.set(id, { deleted: true, ...operation });
  }

  /** Makes everything written searchable. */
  refresh(): void {
    if (this.#dirtySinceMs === undefined) return;
    this.#dirtySinceMs = undefined;
    this.#searchable = this.#entries;
    this.#searchableCount = this.count;
  }

  /** Refreshes when the index's refresh interval has passed since the first write that is not searchable yet. */
  refreshIfDue(nowMs: number, intervalMs: number): void {
    if (this.#dirtySinceMs !== undefined && intervalMs >= 0 && nowMs - this.#dirtySinceMs >= intervalMs) this.refresh();
  }

  get searchableCount(): number {
    return this.#searchableCount;
  }

  /** Documents that a search sees. */
  *searchable(): Generator<StoredDocument> {
    for (const entry of this.#searchable.values()) if (!('deleted' in entry)) yield entry;
  }

  /** Removes what deleted documents still weigh, as a merge does. */
  merge(): void {
    this.bytes = this.#liveBytes;
    this.deletedCount = 0;
  }

  /** Merges run by themselves once a third of the documents are deleted ones (tiered merge policy, simplified). */
  #retire(before: StoredDocument | undefined): void {
    if (before === undefined) return;
    this.count -= 1;
    this.deletedCount += 1;
    this.#liveBytes -= before.bytes + documentOverheadBytes;
    if (this.deletedCount > 1000 && this.deletedCount > this.count / 2) this.merge();
  }

  #markDirty(nowMs: number): void {
    if (this.#dirtySinceMs !== undefined) return;
    this.#dirtySinceMs = nowMs;
    this.#searchable = this.#entries;
    this.#searchableCount = this.count;
    this.#entries = this.#entries.fork();
  }
}
