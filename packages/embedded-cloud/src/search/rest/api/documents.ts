import type { Operation } from '../../documents/operations.ts';
import { readableShard } from '../../documents/read-shards.ts';
import { shardOf } from '../../documents/routing-hash.ts';
import { filterSource } from '../../documents/search.ts';
import type { StoredDocument } from '../../documents/shard-store.ts';
import { type ItemOutcome, type Written, writeDocuments } from '../../documents/write-documents.ts';
import { isXObject, type XObject, type XValue } from '../../formats/value.ts';
import { timeBasedId } from '../../model/ids.ts';
import { type IndexMetadata, numberOfShards } from '../../model/index-metadata.ts';
import type { Call } from '../call.ts';
import {
  errorBody,
  illegalArgument,
  indexNotFound,
  parseError,
  RestError,
  resourceNotFound,
  validationFailed,
} from '../errors.ts';
import { aliasTargets, indexClosed } from '../index-expressions.ts';
import type { Reply, Route } from '../route.ts';

const writeParams = [
  'routing',
  'refresh',
  'timeout',
  'wait_for_active_shards',
  'if_seq_no',
  'if_primary_term',
  'version',
  'version_type',
  'op_type',
  'pipeline',
  'require_alias',
  'require_data_stream',
  'include_source_on_error',
];
const readParams = [
  'routing',
  'preference',
  'realtime',
  'refresh',
  '_source',
  '_source_includes',
  '_source_excludes',
  'stored_fields',
  'version',
  'version_type',
];
const indices = (call: Call) => call.list('index');

export const documentRoutes: readonly Route[] = [
  {
    api: 'index',
    action: 'indices:data/write/index',
    methods: ['PUT', 'POST'],
    paths: ['/{index}/_doc/{id}'],
    params: writeParams,
    indices,
    run: (call) => indexDocument(call, call.text('op_type') === 'create' ? 'create' : 'index'),
  },
  {
    api: 'index',
    action: 'indices:data/write/index',
    methods: ['POST'],
    paths: ['/{index}/_doc'],
    params: writeParams,
    indices,
    run: (call) => indexDocument(call, call.text('op_type') === 'index' ? 'index' : 'create'),
  },
  {
    api: 'create',
    action: 'indices:data/write/index',
    methods: ['PUT', 'POST'],
    paths: ['/{index}/_create/{id}'],
    params: writeParams,
    indices,
    run: (call) => indexDocument(call, 'create'),
  },
  {
    api: 'delete',
    action: 'indices:data/write/delete',
    methods: ['DELETE'],
    paths: ['/{index}/_doc/{id}'],
    params: writeParams,
    indices,
    run: deleteDocument,
  },
  {
    api: 'update',
    action: 'indices:data/write/update',
    methods: ['POST'],
    paths: ['/{index}/_update/{id}'],
    params: [...writeParams, 'retry_on_conflict', 'lang', '_source', '_source_includes', '_source_excludes'],
    indices,
    run: updateDocument,
  },
  {
    api: 'get',
    action: 'indices:data/read/get',
    methods: ['GET', 'HEAD'],
    paths: ['/{index}/_doc/{id}'],
    params: readParams,
    indices,
    run: getDocument,
  },
  {
    api: 'get_source',
    action: 'indices:data/read/get',
    methods: ['GET', 'HEAD'],
    paths: ['/{index}/_source/{id}'],
    params: readParams,
    indices,
    run: getSource,
  },
  {
    api: 'mget',
    action: 'indices:data/read/mget',
    methods: ['GET', 'POST'],
    paths: ['/_mget', '/{index}/_mget'],
    params: readParams,
    indices,
    run: getMany,
  },
];

export async function indexDocument(call: Call, kind: 'index' | 'create'): Promise<Reply> {
  if (call.body === undefined)
    throw call.rawBody.length === 0 ? parseError('request body is required') : parseError('malformed body');
  if (!isXObject(call.body))
    throw new RestError(400, {
      type: call.major >= 8 ? 'document_parsing_exception' : 'mapper_parsing_exception',
      reason: 'failed to parse',
    });
  const id = call.text('id');
  if (id !== undefined) refuseLongId(id);
  const written = one(
    await writeDocuments(call, [
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
      ? { Location: `/${written.index.name}/_doc/${encodeURIComponent(String(outcome._id))}` }
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
  const written = one(await writeDocuments(call, [{ ...common(call), kind: 'delete', id: call.text('id')! }]));
  return { status: written.result === 'not_found' ? 404 : 200, body: writtenBody(call, written) };
}

async function updateDocument(call: Call): Promise<Reply> {
  const operation = { ...common(call), kind: 'update' as const, id: call.text('id')!, ...readUpdate(call.object()) };
  if (operation.doc === undefined && operation.upsert === undefined)
    throw validationFailed(['script or doc is missing']);
  const written = one(await writeDocuments(call, [operation]));
  return { status: written.result === 'created' ? 201 : 200, body: writtenBody(call, written) };
}

/** The body of an update. Scripts are not modelled: no language is known, as on a server without one. */
export function readUpdate(body: XObject): Pick<Operation, 'doc' | 'upsert' | 'docAsUpsert' | 'detectNoop'> {
  if (body.script !== undefined)
    throw illegalArgument('failed to execute script', {
      type: 'illegal_argument_exception',
      reason: 'script_lang not supported [painless]',
    });
  return {
    ...(isXObject(body.doc) ? { doc: body.doc } : {}),
    ...(isXObject(body.upsert) ? { upsert: body.upsert } : {}),
    ...(body.doc_as_upsert === true ? { docAsUpsert: true } : {}),
    ...(body.detect_noop === false ? { detectNoop: false } : {}),
  };
}

function common(call: Call) {
  const [seqNo, term, version] = [call.integer('if_seq_no'), call.integer('if_primary_term'), call.integer('version')];
  const [routing, versionType] = [call.text('routing'), call.text('version_type')];
  return {
    index: call.text('index')!,
    ...(routing === undefined ? {} : { routing }),
    ...(seqNo === undefined ? {} : { ifSeqNo: seqNo }),
    ...(term === undefined ? {} : { ifPrimaryTerm: term }),
    ...(version === undefined ? {} : { version }),
    ...(versionType === undefined ? {} : { versionType }),
  };
}

function one(outcomes: readonly ItemOutcome[]): Written {
  const [outcome] = outcomes;
  if (outcome instanceof RestError) throw outcome;
  return outcome!;
}

const writtenBody = (call: Call, written: Written): XObject => writtenItem(call, written, written.id);

export function writtenItem(call: Call, written: Written, id: string): XObject {
  return {
    _index: written.index.name,
    ...(call.major < 8 ? { _type: written.index.mappingType } : {}),
    _id: id,
    _version: written.version,
    result: written.result,
    ...(written.forcedRefresh && written.result !== 'noop' ? { forced_refresh: true } : {}),
    _shards: written.result === 'noop' ? { total: 0, successful: 0, failed: 0 } : { ...written.shards, failed: 0 },
    _seq_no: written.seqNo,
    _primary_term: written.term,
  };
}

/** The one index that a read of one document means. */
function readTarget(call: Call, name: string): IndexMetadata {
  const state = call.localState();
  const targets = state.indices.has(name) ? [state.indices.get(name)!] : aliasTargets(state, name);
  if (targets.length === 0) throw indexNotFound(name);
  if (targets.length > 1)
    throw illegalArgument(
      `alias [${name}] has more than one index associated with it [${targets.map((target) => target.name).join(', ')}], can't execute a single index op`,
    );
  if (targets[0]!.state === 'close') throw indexClosed(targets[0]!);
  return targets[0]!;
}

function find(call: Call, index: IndexMetadata, id: string, routing: string | undefined): StoredDocument | undefined {
  const shard = shardOf(routing ?? id, numberOfShards(index));
  const { store } = readableShard(call.cluster, call.node, call.localState(), index, shard);
  if (store === undefined)
    throw new RestError(503, {
      type: 'no_shard_available_action_exception',
      reason: `No shard available for [get [${index.name}][${id}]: routing [${routing ?? 'null'}]]`,
    });
  return store.get(id);
}

export function getDocument(call: Call): Reply {
  const index = readTarget(call, call.text('index')!);
  const document = find(call, index, call.text('id')!, call.text('routing'));
  return {
    status: document === undefined ? 404 : 200,
    body: documentBody(call, index, call.text('id')!, document, sourceWish(call)),
  };
}

function sourceWish(call: Call): XValue {
  const [includes, excludes] = [call.text('_source_includes'), call.text('_source_excludes')];
  if (includes !== undefined || excludes !== undefined) return { includes, excludes };
  return call.text('_source');
}

function documentBody(
  call: Call,
  index: IndexMetadata,
  id: string,
  document: StoredDocument | undefined,
  wish: XValue,
): XObject {
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

function getSource(call: Call): Reply {
  const index = readTarget(call, call.text('index')!);
  const document = find(call, index, call.text('id')!, call.text('routing'));
  if (document === undefined) throw resourceNotFound(`Document not found [${index.name}]/[${call.text('id')}]`);
  return { body: filterSource(document.source, sourceWish(call)) ?? {} };
}

function getMany(call: Call): Reply {
  const body = call.object();
  const ids = Array.isArray(body.ids) ? body.ids.map((id) => ({ _id: String(id) })) : [];
  const docs = Array.isArray(body.docs) ? (body.docs as readonly XObject[]) : ids;
  if (docs.length === 0) throw validationFailed(['no documents to get']);
  return { body: { docs: docs.map((doc) => getOne(call, doc)) } };
}

function getOne(call: Call, doc: XObject): XObject {
  const name = String(doc._index ?? call.text('index') ?? '');
  const id = String(doc._id);
  try {
    const index = readTarget(call, name);
    return documentBody(
      call,
      index,
      id,
      find(call, index, id, doc.routing === undefined ? undefined : String(doc.routing)),
      doc._source ?? sourceWish(call),
    );
  } catch (error) {
    if (!(error instanceof RestError)) throw error;
    return { _index: name, ...(call.major < 8 ? { _type: '_doc' } : {}), _id: id, error: errorBody(error).error };
  }
}
