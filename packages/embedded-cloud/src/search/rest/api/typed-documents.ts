import { isXObject } from '../../formats/value.ts';
import { changeIndex, type IndexMetadata } from '../../model/index-metadata.ts';
import type { Call } from '../call.ts';
import { illegalArgument, PlainRestError } from '../errors.ts';
import type { Reply, Route } from '../route.ts';
import { deleteDocument, getDocument, getSource, indexDocument } from './documents.ts';
import { updateDocument } from './update-document.ts';

const indices = (call: Call) => call.list('index');
const params = [
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
  'preference',
  'realtime',
  '_source',
  '_source_includes',
  '_source_excludes',
  'stored_fields',
];

/** Documents with a mapping type in the path, as 7.x still took them ("Removal of mapping types"). */
export const typedDocumentRoutes: readonly Route[] = [
  {
    api: 'index',
    action: 'indices:data/write/index',
    methods: ['POST'],
    paths: ['/{index}/{type}'],
    params,
    indices,
    run: (call) => typed(call, () => indexDocument(call, 'create')),
  },
  {
    api: 'index',
    action: 'indices:data/write/index',
    methods: ['PUT', 'POST'],
    paths: ['/{index}/{type}/{id}'],
    params,
    indices,
    below: '8.0.0',
    run: (call) => typed(call, () => indexDocument(call, 'index')),
  },
  {
    api: 'get',
    action: 'indices:data/read/get',
    methods: ['GET', 'HEAD'],
    paths: ['/{index}/{type}/{id}'],
    params,
    indices,
    below: '8.0.0',
    run: (call) => typed(call, () => getDocument(call)),
  },
  {
    api: 'delete',
    action: 'indices:data/write/delete',
    methods: ['DELETE'],
    paths: ['/{index}/{type}/{id}'],
    params,
    indices,
    below: '8.0.0',
    run: (call) => typed(call, () => deleteDocument(call)),
  },
  {
    api: 'create',
    action: 'indices:data/write/index',
    methods: ['PUT', 'POST'],
    paths: ['/{index}/{type}/{id}/_create'],
    params,
    indices,
    below: '8.0.0',
    run: (call) => typed(call, () => indexDocument(call, 'create')),
  },
  {
    api: 'update',
    action: 'indices:data/write/update',
    methods: ['POST'],
    paths: ['/{index}/{type}/{id}/_update'],
    params: [...params, 'retry_on_conflict', 'lang'],
    indices,
    below: '8.0.0',
    run: (call) => typed(call, () => updateDocument(call)),
  },
  {
    api: 'get_source',
    action: 'indices:data/read/get',
    methods: ['GET', 'HEAD'],
    paths: ['/{index}/{type}/{id}/_source'],
    params,
    indices,
    below: '8.0.0',
    run: (call) => typed(call, () => getSource(call)),
  },
];

/** From 8.0 on the path is known and refused. An index has one type only. */
async function typed(call: Call, run: () => Promise<Reply> | Reply): Promise<Reply> {
  const type = call.text('type')!;
  const name = call.text('index')!;
  if (call.major >= 8 || name.startsWith('_') || (type.startsWith('_') && type !== '_doc'))
    throw new PlainRestError(400, { error: `no handler found for uri [${call.path}] and method [${call.method}]` });
  call.warnings.push(
    '[types removal] Specifying types in document index requests is deprecated, use the typeless endpoints instead (/{index}/_doc/{id}, /{index}/_doc, or /{index}/_create/{id}).',
  );
  const index = call.localState().indices.get(name);
  const present = index === undefined ? templateType(call, name) : hasMapping(index) ? index.mappingType : undefined;
  const writes = call.method !== 'GET' && call.method !== 'HEAD' && call.method !== 'DELETE';
  if (writes && present !== undefined && type !== '_doc' && present !== type)
    throw illegalArgument(
      `Rejecting mapping update to [${name}] as the final mapping would have more than 1 type: [${[present, type].sort().join(', ')}]`,
    );
  const reply = await run();
  return writes && present === undefined ? await adoptType(call, name, type, reply) : reply;
}

const hasMapping = (index: IndexMetadata) => index.mappingType !== '_doc' || Object.keys(index.mappings).length > 0;

/** The first document gives its type to an index that has no mapping yet. */
async function adoptType(call: Call, name: string, type: string, reply: Reply): Promise<Reply> {
  const { core } = await call.master();
  core.update((state) => {
    const index = state.indices.get(name);
    if (index === undefined || index.mappingType === type) return state;
    return { ...state, indices: new Map(state.indices).set(name, changeIndex(index, { mappingType: type })) };
  });
  return isXObject(reply.body) && '_type' in reply.body ? { ...reply, body: { ...reply.body, _type: type } } : reply;
}

/** A template without types makes an index of the type `_doc`. */
function templateType(call: Call, name: string): string | undefined {
  const matching = [...call.localState().legacyTemplates.values()].filter(
    ({ body }) =>
      Array.isArray(body.index_patterns) &&
      body.index_patterns.some((pattern) => new RegExp(`^${String(pattern).replaceAll('*', '.*')}$`).test(name)),
  );
  const mappings = matching
    .map(({ body }) => body.mappings)
    .find((value) => value !== undefined && Object.keys(value as object).length > 0) as
    | Record<string, unknown>
    | undefined;
  return mappings === undefined ? undefined : 'properties' in mappings ? '_doc' : Object.keys(mappings)[0];
}
