import type { Operation } from '../../../engine/documents/operations.ts';
import { filterSource } from '../../../engine/documents/search.ts';
import { type Written, writeDocuments } from '../../../engine/documents/write-documents.ts';
import { type ElasticsearchError, illegalArgument, validationFailed } from '../../../engine/errors.ts';
import { similar } from '../../../engine/values/similar.ts';
import { isXObject, type XObject, type XValue } from '../../../engine/values/value.ts';
import type { Call } from '../../call.ts';
import { RestError } from '../../responses/rest-error.ts';
import type { Reply, Route } from '../../routes/route.ts';
import { common, documentWrite, one, sourceWish, writeParams, writtenBody } from './documents.ts';

export const updateRoutes: readonly Route[] = [
  {
    api: 'update',
    action: 'indices:data/write/update',
    methods: ['POST'],
    paths: ['/{index}/_update/{id}'],
    params: [...writeParams, 'retry_on_conflict', 'lang', '_source', '_source_includes', '_source_excludes'],
    indices: (call) => call.list('index'),
    run: updateDocument,
  },
];

const members = [
  'script',
  'scripted_upsert',
  'upsert',
  'doc',
  'doc_as_upsert',
  'detect_noop',
  '_source',
  'if_seq_no',
  'if_primary_term',
];

export async function updateDocument(call: Call): Promise<Reply> {
  const body = call.object();
  const operation = { ...common(call), kind: 'update' as const, id: call.text('id')!, ...readUpdate(body) };
  if (operation.doc === undefined && operation.upsert === undefined)
    throw validationFailed(['script or doc is missing']);
  const written = one(await writeDocuments(documentWrite(call), [operation]));
  return {
    status: written.result === 'created' ? 201 : 200,
    body: { ...writtenBody(call, written), ...updatedSource(written, body._source ?? sourceWish(call)) },
  };
}

/** The body of an update. Scripts are not modelled: no language is known, as on a server without one. */
export function readUpdate(body: XObject): Pick<Operation, 'doc' | 'upsert' | 'docAsUpsert' | 'detectNoop'> {
  const unknown = Object.keys(body).find((key) => !members.includes(key));
  if (unknown !== undefined) throw unknownMember(unknown);
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

function unknownMember(name: string): ElasticsearchError {
  const [meant] = similar(name, members);
  const hint = meant === undefined ? '' : ` did you mean [${meant}]?`;
  return new RestError(400, {
    type: 'x_content_parse_exception',
    reason: `[1:2] [UpdateRequest] unknown field [${name}]${hint}`,
  });
}

/** `get` of an update's answer, when the source was asked for ("Update API", `_source`). */
export function updatedSource({ source, seqNo, term }: Written, wish: XValue): XObject {
  if (wish === undefined || wish === false || wish === 'false' || source === undefined) return {};
  return { get: { _seq_no: seqNo, _primary_term: term, found: true, _source: filterSource(source, wish) } };
}
