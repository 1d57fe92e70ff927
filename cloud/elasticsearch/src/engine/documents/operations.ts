import type { Document } from '@drover/formats';
import { ElasticsearchError } from '../errors.ts';
import type { IndexMetadata } from '../state/index-metadata.ts';
import type { ShardStore } from './shard-store.ts';

export interface Operation {
  readonly kind: 'index' | 'create' | 'delete';
  readonly index: string;
  readonly id: string;
  readonly routing?: string;
  readonly source?: Document;
  readonly bytes?: number;
  readonly ifSeqNo?: number;
  readonly ifPrimaryTerm?: number;
  readonly version?: number;
  readonly versionType?: string;
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
  if (operation.kind === 'delete') return applyDelete(store, term, operation, index, shard, nowMs);
  return applyIndex(store, term, operation, index, shard, nowMs);
}

function applyIndex(
  store: ShardStore,
  term: number,
  operation: Operation,
  index: IndexMetadata,
  shard: number,
  nowMs: number,
): OperationResult {
  const { source = {} } = operation;
  const before = store.get(operation.id);
  if (operation.kind === 'create' && before !== undefined)
    throw conflict(operation.id, `document already exists (current version [${before.version}])`, index, shard);
  const version = nextVersion(store, operation, index, shard);
  const seqNo = store.maxSeqNo + 1;
  const bytes = operation.bytes ?? JSON.stringify(source, bigAsText).length;
  store.index(
    {
      id: operation.id,
      source,
      bytes,
      version,
      seqNo,
      term,
      ...(operation.routing === undefined ? {} : { routing: operation.routing }),
    },
    nowMs,
  );
  return { result: before === undefined ? 'created' : 'updated', version, seqNo, term };
}

const bigAsText = (_key: string, value: unknown) => (typeof value === 'bigint' ? value.toString() : value);

function applyDelete(
  store: ShardStore,
  term: number,
  operation: Operation,
  index: IndexMetadata,
  shard: number,
  nowMs: number,
): OperationResult {
  const before = store.get(operation.id);
  const version = nextVersion(store, operation, index, shard);
  const seqNo = store.maxSeqNo + 1;
  store.delete(operation.id, { version, seqNo, term }, nowMs);
  return { result: before === undefined ? 'not_found' : 'deleted', version, seqNo, term };
}

function nextVersion(store: ShardStore, operation: Operation, index: IndexMetadata, shard: number): number {
  checkSequence(store, operation, index, shard);
  const last = store.lastOperation(operation.id)?.version ?? 0;
  const external =
    operation.versionType === 'external' ||
    operation.versionType === 'external_gt' ||
    operation.versionType === 'external_gte';
  if (!external) return last + 1;
  const wanted = operation.version ?? 1;
  if (wanted < last || (wanted === last && operation.versionType !== 'external_gte'))
    throw conflict(
      operation.id,
      `current version [${last}] is higher or equal to the one provided [${wanted}]`,
      index,
      shard,
    );
  return wanted;
}

function checkSequence(store: ShardStore, operation: Operation, index: IndexMetadata, shard: number): void {
  if (operation.ifSeqNo === undefined || operation.ifPrimaryTerm === undefined) return;
  const now = store.get(operation.id);
  if (now?.seqNo === operation.ifSeqNo && now.term === operation.ifPrimaryTerm) return;
  const found =
    now === undefined
      ? 'but no document was found'
      : `current document has seqNo [${now.seqNo}] and primary term [${now.term}]`;
  throw conflict(
    operation.id,
    `required seqNo [${operation.ifSeqNo}], primary term [${operation.ifPrimaryTerm}]${now === undefined ? ' ' : '. '}${found}`,
    index,
    shard,
  );
}

const shardDetails = (index: IndexMetadata, shard: number): Document => ({
  index_uuid: index.uuid,
  shard: String(shard),
  index: index.name,
});

const conflict = (id: string, why: string, index: IndexMetadata, shard: number) =>
  new ElasticsearchError({
    type: 'version_conflict_engine_exception',
    reason: `[${id}]: version conflict, ${why}`,
    details: shardDetails(index, shard),
  });
