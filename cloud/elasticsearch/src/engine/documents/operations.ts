import type { Document } from '@drover/formats';
import { ElasticsearchError } from '../errors.ts';
import type { IndexMetadata } from '../state/index-metadata.ts';
import type { ShardStore } from './shard-store.ts';

export interface Operation {
  readonly kind: 'index' | 'create' | 'delete';
  readonly index: string;
  readonly id: string;
  readonly routing?: string;
  /** Whether `index` must be the name of an alias. */
  readonly requireAlias?: boolean;
  readonly source?: Document;
  readonly bytes?: number;
}

export interface OperationResult {
  readonly result: 'created' | 'updated' | 'deleted' | 'not_found';
  readonly version: number;
  readonly seqNo: number;
  readonly term: number;
}

/** Carries out one operation on a primary's store. Throws what the item's error is. */
export function applyOperation(
  store: ShardStore,
  term: number,
  operation: Operation,
  index: IndexMetadata,
  shard: number,
  nowMs: number,
): OperationResult {
  const { kind, id, source = {}, routing } = operation;
  const before = store.get(id);
  const version = (store.lastOperation(id)?.version ?? 0) + 1;
  const seqNo = store.maxSeqNo + 1;
  if (kind === 'delete') {
    store.delete(id, { version, seqNo, term }, nowMs);
    return { result: before === undefined ? 'not_found' : 'deleted', version, seqNo, term };
  }
  if (kind === 'create' && before !== undefined)
    throw new ElasticsearchError({
      type: 'version_conflict_engine_exception',
      reason: `[${id}]: version conflict, document already exists (current version [${before.version}])`,
      details: { index_uuid: index.uuid, shard: String(shard), index: index.name },
    });
  const bytes = operation.bytes ?? JSON.stringify(source, bigAsText).length;
  store.index({ id, source, bytes, version, seqNo, term, ...(routing === undefined ? {} : { routing }) }, nowMs);
  return { result: before === undefined ? 'created' : 'updated', version, seqNo, term };
}

const bigAsText = (_key: string, value: unknown) => (typeof value === 'bigint' ? value.toString() : value);
