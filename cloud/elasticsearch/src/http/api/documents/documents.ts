import type { Document, Value } from '@drover/formats';
import { readableShard } from '../../../engine/documents/read-shards.ts';
import { shardOf } from '../../../engine/documents/routing-hash.ts';
import { filterSource } from '../../../engine/documents/search.ts';
import type { StoredDocument } from '../../../engine/documents/shard-store.ts';
import {
  type DocumentWrite,
  type ItemOutcome,
  refreshIntervalMs,
  type Written,
  writeDocuments,
} from '../../../engine/documents/write-documents.ts';
import {
  ElasticsearchError,
  illegalArgument,
  indexNotFound,
  parseError,
  validationFailed,
} from '../../../engine/errors.ts';
import { refuseByIndices } from '../../../engine/indices/blocks.ts';
import { aliasTargets, indexClosed } from '../../../engine/indices/index-expressions.ts';
import { timeBasedId } from '../../../engine/state/ids.ts';
import { type IndexMetadata, numberOfShards } from '../../../engine/state/index-metadata.ts';
import { isDocument } from '../../../engine/values/value.ts';
import type { Call } from '../../call.ts';
import { RestError } from '../../responses/rest-error.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';

const indices = (call: Call) => call.list('index');

export const documentRoutes: readonly Endpoint[] = [
  {
    api: 'index',
    action: 'indices:data/write/index',
    only: ['PUT /{index}/_doc/{id}', 'POST /{index}/_doc/{id}'],
    without: ['version'],
    indices,
    run: (call) => indexDocument(call, call.text('op_type') === 'create' ? 'create' : 'index'),
  },
  {
    api: 'index',
    action: 'indices:data/write/index',
    only: ['POST /{index}/_doc'],
    without: ['version'],
    indices,
    run: (call) => indexDocument(call, call.text('op_type') === 'index' ? 'index' : 'create'),
  },
  {
    api: 'create',
    action: 'indices:data/write/index',
    without: ['version'],
    indices,
    run: (call) => indexDocument(call, 'create'),
  },
  {
    api: 'delete',
    action: 'indices:data/write/delete',
    without: ['version'],
    indices,
    run: deleteDocument,
  },
  {
    api: 'get',
    action: 'indices:data/read/get',
    also: ['HEAD /{index}/_doc/{id}'],
    without: ['refresh', 'version'],
    indices,
    run: getDocument,
  },
];

export async function indexDocument(call: Call, kind: 'index' | 'create'): Promise<Reply> {
  if (call.body === undefined)
    throw call.rawBody.length === 0 ? parseError('request body is required') : parseError('malformed body');
  if (!isDocument(call.body))
    throw new RestError(400, {
      type: call.major >= 8 ? 'document_parsing_exception' : 'mapper_parsing_exception',
      reason: 'failed to parse',
    });
  const id = call.text('id');
  if (id !== undefined) refuseLongId(id);
  const written = one(
    await writeDocuments(documentWrite(call), [
      {
        ...common(call),
        kind,
        id: id ?? timeBasedId(call.cluster.random),
        source: call.body,
        bytes: call.rawBody.length,
      },
    ]),
  );
  const outcome = writtenBody(call, written);
  const location: Record<string, string> =
    written.result === 'created'
      ? { Location: `/${encodeURIComponent(written.index.name)}/_doc/${encodeURIComponent(String(outcome._id))}` }
      : {};
  return { status: written.result === 'created' ? 201 : 200, headers: location, body: outcome };
}

function refuseLongId(id: string): void {
  if (Buffer.byteLength(id) > 512)
    throw validationFailed([
      `id [${id}] is too long, must be no longer than 512 bytes but was: ${Buffer.byteLength(id)}`,
    ]);
}

export async function deleteDocument(call: Call): Promise<Reply> {
  const written = one(
    await writeDocuments(documentWrite(call), [{ ...common(call), kind: 'delete', id: call.text('id')! }]),
  );
  return { status: written.result === 'not_found' ? 404 : 200, body: writtenBody(call, written) };
}

/** Parameters of every write of one document besides the document. */
export function common(call: Call) {
  const routing = call.text('routing');
  return {
    index: call.text('index')!,
    requireAlias: call.flag('require_alias'),
    ...(routing === undefined ? {} : { routing }),
  };
}

/** The write parameters of a request. */
export function documentWrite(call: Call): DocumentWrite {
  call.permit();
  return {
    cluster: call.cluster,
    node: call.node,
    timeoutMs: call.timeMs('timeout', 60_000),
    refresh: call.text('refresh'),
    waitForActiveShards: call.text('wait_for_active_shards'),
    warn: (text) => call.warnings.push(text),
  };
}

/** The outcome of the only operation. */
export function one(outcomes: readonly ItemOutcome[]): Written {
  const [outcome] = outcomes;
  if (outcome instanceof ElasticsearchError) throw outcome;
  return outcome!;
}

export const writtenBody = (call: Call, written: Written): Document => writtenItem(call, written, written.id);

export function writtenItem(call: Call, written: Written, id: string): Document {
  return {
    _index: written.index.name,
    ...(call.major < 8 ? { _type: written.index.mappingType } : {}),
    _id: id,
    _version: written.version,
    result: written.result,
    ...(written.forcedRefresh ? { forced_refresh: true } : {}),
    _shards: { ...written.shards, failed: 0 },
    _seq_no: written.seqNo,
    _primary_term: written.term,
  };
}

/** The one index that a read of one document means. */
export function readTarget(call: Call, name: string): IndexMetadata {
  const state = call.localState();
  const targets = state.indices.has(name) ? [state.indices.get(name)!] : aliasTargets(state, name);
  if (targets.length === 0) throw indexNotFound(name);
  if (targets.length > 1)
    throw illegalArgument(
      `alias [${name}] has more than one index associated with it [${targets.map((target) => target.name).join(', ')}], can't execute a single index op`,
    );
  if (targets[0]!.state === 'close') throw indexClosed(targets[0]!);
  refuseByIndices(state, 'read', targets, call.version);
  return targets[0]!;
}

/** The document as it was written last, refreshed or not. */
export function find(
  call: Call,
  index: IndexMetadata,
  id: string,
  routing: string | undefined,
): StoredDocument | undefined {
  const shard = shardOf(routing ?? id, numberOfShards(index));
  const { store, reads } = readableShard(call.cluster, call.node, call.localState(), index, shard);
  if (store === undefined)
    throw new RestError(503, {
      type: 'no_shard_available_action_exception',
      reason: `No shard available for [get [${index.name}][${id}]: routing [${routing ?? 'null'}]]`,
    });
  store.refreshIfDue(call.now, refreshIntervalMs(index));
  const document = store.get(id);
  if (reads !== undefined) {
    reads.gets += 1;
    reads.found += document === undefined ? 0 : 1;
  }
  return document;
}

export function getDocument(call: Call): Reply {
  const index = readTarget(call, call.text('index')!);
  const document = find(call, index, call.text('id')!, call.text('routing'));
  return {
    status: document === undefined ? 404 : 200,
    body: documentBody(call, index, call.text('id')!, document, sourceWish(call)),
  };
}

/** The source filter of the query parameters. */
export function sourceWish(call: Call): Value {
  const [includes, excludes] = [call.text('_source_includes'), call.text('_source_excludes')];
  if (includes !== undefined || excludes !== undefined) return { includes, excludes };
  return call.text('_source');
}

export function documentBody(
  call: Call,
  index: IndexMetadata,
  id: string,
  document: StoredDocument | undefined,
  wish: Value,
): Document {
  const head = { _index: index.name, ...(call.major < 8 ? { _type: index.mappingType } : {}), _id: id };
  if (document === undefined) return { ...head, found: false };
  const source = filterSource(document.source, wish);
  return {
    ...head,
    _version: document.version,
    _seq_no: document.seqNo,
    _primary_term: document.term,
    ...(document.routing === undefined ? {} : { _routing: document.routing }),
    found: true,
    ...(source === undefined ? {} : { _source: source }),
  };
}
