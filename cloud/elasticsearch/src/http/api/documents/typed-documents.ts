import { illegalArgument } from '../../../engine/errors.ts';
import { changeIndex, type IndexMetadata } from '../../../engine/state/index-metadata.ts';
import { isDocument } from '../../../engine/values/value.ts';
import type { Call } from '../../call.ts';
import { PlainRestError } from '../../responses/rest-error.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';
import { indexDocument } from './documents.ts';

/** Documents with a mapping type in the path, as 7.x still took them ("Removal of mapping types"). */
export const typedDocumentRoutes: readonly Endpoint[] = [
  {
    api: 'index',
    action: 'indices:data/write/index',
    only: ['POST /{index}/{type}'],
    indices: (call) => call.list('index'),
    run: (call) => typed(call, 'create'),
  },
  {
    api: 'index',
    action: 'indices:data/write/index',
    only: ['PUT /{index}/{type}/{id}', 'POST /{index}/{type}/{id}'],
    indices: (call) => call.list('index'),
    below: '8.0.0',
    run: (call) => typed(call, 'index'),
  },
];

/** From 8.0 on the path is known and refused. An index has one type only. */
async function typed(call: Call, kind: 'index' | 'create'): Promise<Reply> {
  const type = call.text('type')!;
  const name = call.text('index')!;
  if (call.major >= 8 || name.startsWith('_') || (type.startsWith('_') && type !== '_doc'))
    throw new PlainRestError(400, { error: `no handler found for uri [${call.path}] and method [${call.method}]` });
  call.warnings.push(
    '[types removal] Specifying types in document index requests is deprecated, use the typeless endpoints instead (/{index}/_doc/{id}, /{index}/_doc, or /{index}/_create/{id}).',
  );
  const index = call.localState().indices.get(name);
  const present = index === undefined ? templateType(call, name) : hasMapping(index) ? index.mappingType : undefined;
  if (present !== undefined && type !== '_doc' && present !== type)
    throw illegalArgument(
      `Rejecting mapping update to [${name}] as the final mapping would have more than 1 type: [${[present, type].sort().join(', ')}]`,
    );
  const reply = await indexDocument(call, kind);
  return present === undefined ? await adoptType(call, name, type, reply) : reply;
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
  return isDocument(reply.body) && '_type' in reply.body ? { ...reply, body: { ...reply.body, _type: type } } : reply;
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
