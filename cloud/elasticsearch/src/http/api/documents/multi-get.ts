import type { Document } from '@drover/formats';
import { ElasticsearchError, validationFailed } from '../../../engine/errors.ts';
import type { Call } from '../../call.ts';
import { errorBody } from '../../responses/rest-error.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';
import { documentBody, find, readTarget, sourceWish } from './documents.ts';

export const multiGetRoutes: readonly Endpoint[] = [
  {
    api: 'mget',
    action: 'indices:data/read/mget',
    without: ['refresh'],
    indices: (call) => call.list('index'),
    run: getMany,
  },
];

function getMany(call: Call): Reply {
  const body = call.object();
  const ids = Array.isArray(body.ids) ? body.ids.map((id) => ({ _id: String(id) })) : [];
  const docs: readonly Document[] = Array.isArray(body.docs) ? (body.docs as readonly Document[]) : ids;
  if (docs.length === 0) throw validationFailed(['no documents to get']);
  const problems = docs.flatMap((doc, at) => [
    ...(doc._index === undefined && call.text('index') === undefined ? [`index is missing for doc ${at}`] : []),
    ...(doc._id === undefined ? [`id is missing for doc ${at}`] : []),
  ]);
  if (problems.length > 0) throw validationFailed(problems);
  return { body: { docs: docs.map((doc) => getOne(call, doc)) } };
}

function getOne(call: Call, doc: Document): Document {
  const name = String(doc._index ?? call.text('index'));
  const id = String(doc._id);
  const routing = doc.routing ?? call.text('routing');
  try {
    const index = readTarget(call, name);
    const document = find(call, index, id, routing === undefined ? undefined : String(routing));
    return documentBody(call, index, id, document, doc._source ?? sourceWish(call));
  } catch (error) {
    if (!(error instanceof ElasticsearchError)) throw error;
    return { _index: name, ...(call.major < 8 ? { _type: null } : {}), _id: id, error: errorBody(error).error };
  }
}
