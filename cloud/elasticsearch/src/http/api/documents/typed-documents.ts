import { illegalArgument } from '../../../engine/errors.ts';
import { changeIndex, type IndexMetadata } from '../../../engine/state/index-metadata.ts';
import { isXObject } from '../../../engine/values/value.ts';
import type { Call } from '../../call.ts';
import { PlainRestError } from '../../responses/rest-error.ts';
import type { Reply, Route } from '../../routes/route.ts';
import { deleteDocument, getDocument, getSource, indexDocument, readParams, typedWriteParams } from './documents.ts';
import { updateDocument } from './update-document.ts';

const params = [...new Set([...typedWriteParams, ...readParams])];

type TypedRoute = Pick<Route, 'api' | 'methods' | 'run'> & {
  readonly does: 'write/index' | 'write/delete' | 'write/update' | 'read/get';
  readonly path: string;
  readonly more?: readonly string[];
};

/** All but the shortest path are known below 8.0 only. */
const route = ({ api, does, methods, path, more = [], run }: TypedRoute): Route => ({
  api,
  action: `indices:data/${does}`,
  methods,
  paths: [path],
  params: [...params, ...more],
  indices: (call) => call.list('index'),
  ...(path === shortest ? {} : { below: '8.0.0' }),
  run: (call) => typed(call, () => run(call)),
});

const shortest = '/{index}/{type}';
const one = `${shortest}/{id}`;
const create: Route['run'] = (call) => indexDocument(call, 'create');
const index: Route['run'] = (call) => indexDocument(call, 'index');

/** Documents with a mapping type in the path, as 7.x still took them ("Removal of mapping types"). */
export const typedDocumentRoutes: readonly Route[] = [
  route({ api: 'index', does: 'write/index', methods: ['POST'], path: shortest, run: create }),
  route({ api: 'index', does: 'write/index', methods: ['PUT', 'POST'], path: one, run: index }),
  route({ api: 'get', does: 'read/get', methods: ['GET', 'HEAD'], path: one, run: getDocument }),
  route({ api: 'delete', does: 'write/delete', methods: ['DELETE'], path: one, run: deleteDocument }),
  route({ api: 'create', does: 'write/index', methods: ['PUT', 'POST'], path: `${one}/_create`, run: create }),
  route({
    api: 'update',
    does: 'write/update',
    methods: ['POST'],
    path: `${one}/_update`,
    more: ['retry_on_conflict', 'lang'],
    run: updateDocument,
  }),
  route({ api: 'get_source', does: 'read/get', methods: ['GET', 'HEAD'], path: `${one}/_source`, run: getSource }),
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
