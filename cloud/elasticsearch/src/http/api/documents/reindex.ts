import { type Document, Double, type Value } from '@drover/formats';
import type { Operation } from '../../../engine/documents/operations.ts';
import { findDocuments } from '../../../engine/documents/search.ts';
import type { Slice } from '../../../engine/documents/slice.ts';
import { type ItemOutcome, type Written, writeDocuments } from '../../../engine/documents/write-documents.ts';
import { ElasticsearchError, fullFailure, NotModelled, parseError, validationFailed } from '../../../engine/errors.ts';
import { dataStreams } from '../../../engine/state/data-stream.ts';
import { isDocument } from '../../../engine/values/value.ts';
import type { Call } from '../../call.ts';
import { namedIndices } from '../../index-expressions.ts';
import { RestError, statusOf } from '../../responses/rest-error.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';
import { documentWrite } from './documents.ts';
import { readSlice } from './read-slice.ts';

/** Copies documents from one index into another ("Reindex documents"); read and written as often as `size`, 1000 by default, asks for. */
export const reindexRoutes: readonly Endpoint[] = [
  {
    api: 'reindex',
    action: 'indices:data/write/reindex',
    without: ['requests_per_second', 'scroll', 'slices', 'max_docs', 'require_alias'],
    run: reindex,
  },
];

const batchSize = 1000;

/** Members that the published description has; the others are unknown to a server, too. */
const members = {
  reindex: { known: ['conflicts', 'source', 'dest'], unmodelled: ['max_docs', 'script', 'size'] },
  source: {
    known: ['index', 'slice'],
    unmodelled: ['_source', 'query', 'remote', 'runtime_mappings', 'size', 'sort'],
  },
  dest: { known: ['index', 'op_type'], unmodelled: ['pipeline', 'routing', 'version_type'] },
} as const;

interface Wanted {
  readonly from: readonly string[];
  readonly slice: Slice | undefined;
  readonly to: string;
  readonly kind: 'index' | 'create';
  readonly proceed: boolean;
}

async function reindex(call: Call): Promise<Reply> {
  const startedAt = call.now;
  const { from, slice, to, kind, proceed } = readBody(call);
  const state = call.localState();
  const refusal = [...from.map((name) => call.refusal('indices:data/read/search', name)), call.refusal(writing, to)];
  for (const error of refusal) if (error !== undefined) throw error;
  const chosen = namedIndices(call, state, from, { refuseClosed: true });
  const target = dataStreams(state).get(to)?.indices.at(-1) ?? to;
  if (chosen.some(({ name }) => name === target))
    throw validationFailed([`reindex cannot write into an index its reading from [${target}]`]);
  const { hits } = findDocuments(call.cluster, call.node, chosen, { ...everything, slice });
  const counts = { created: 0, updated: 0, conflicts: 0, batches: 0 };
  let failures: Document[] = [];
  for (let at = 0; at < hits.length && failures.length === 0; at += batchSize) {
    const batch = hits.slice(at, at + batchSize).map(({ document }): Operation => {
      const { id, source, routing, bytes } = document;
      return { kind, index: to, id, source, bytes, ...(routing === undefined ? {} : { routing }) };
    });
    const outcomes = await writeDocuments(documentWrite(call), batch);
    counts.batches += 1;
    counts.created += outcomes.filter((one) => isWritten(one) && one.result === 'created').length;
    counts.updated += outcomes.filter((one) => isWritten(one) && one.result === 'updated').length;
    counts.conflicts += outcomes.filter(isConflict).length;
    failures = outcomes.flatMap((one, item) =>
      isWritten(one) || (proceed && isConflict(one)) ? [] : [failureOf(target, batch[item]!, one)],
    );
  }
  return {
    ...(failures.length === 0 ? {} : { status: Math.max(...failures.map(({ status }) => status as number)) }),
    body: {
      took: Math.round(call.now - startedAt),
      timed_out: false,
      total: hits.length,
      updated: counts.updated,
      created: counts.created,
      deleted: 0,
      batches: counts.batches,
      version_conflicts: counts.conflicts,
      noops: 0,
      retries: { bulk: 0, search: 0 },
      throttled_millis: 0,
      requests_per_second: new Double(-1),
      throttled_until_millis: 0,
      failures,
    },
  };
}

const writing = 'indices:data/write/index';

/** A shard that cannot be read ends it: nothing is left out in silence. */
const everything = {
  query: undefined,
  from: 0,
  size: batchSize,
  sort: [],
  source: true,
  totalAsInteger: false,
  allowPartial: false,
  withVersion: false,
  withSeqNo: false,
  countUpTo: Number.MAX_SAFE_INTEGER,
} as const;

const isWritten = (outcome: ItemOutcome): outcome is Written => !(outcome instanceof ElasticsearchError);

const isConflict = (outcome: ItemOutcome) =>
  outcome instanceof ElasticsearchError && outcome.failure.type === 'version_conflict_engine_exception';

const failureOf = (index: string, { id }: Operation, error: ElasticsearchError): Document => ({
  index,
  id,
  cause: fullFailure(error.failure),
  status: statusOf(error),
});

function readBody(call: Call): Wanted {
  if (!isDocument(call.body)) throw parseError('request body is required');
  if (!call.flag('wait_for_completion', true)) throw new NotModelled('[wait_for_completion=false] of reindex');
  refuseMembers('reindex', call.body);
  const { conflicts = 'abort' } = call.body;
  if (conflicts !== 'abort' && conflicts !== 'proceed')
    throw badField('reindex', 'conflicts', `conflicts may only be "proceed" or "abort" but was [${String(conflicts)}]`);
  const source = part(call.body, 'source');
  const dest = part(call.body, 'dest');
  const kind = dest.op_type ?? 'index';
  if (kind !== 'index' && kind !== 'create')
    throw badField('dest', 'op_type', `opType must be 'create' or 'index', found: [${String(kind)}]`);
  const from = (Array.isArray(source.index) ? source.index : String(source.index ?? '').split(',')).map(String);
  const to = String(dest.index ?? '');
  const problems = [
    ...(from.join('') === '' ? ['use _all if you really want to copy from all existing indexes'] : []),
    ...(to === '' ? ['index is missing'] : []),
  ];
  if (problems.length > 0) throw validationFailed(problems);
  return { from, slice: readSlice(source.slice), to, kind, proceed: conflicts === 'proceed' };
}

const badField = (parser: string, field: string, reason: string) =>
  new RestError(400, {
    type: 'x_content_parse_exception',
    reason: `[1:2] [${parser}] failed to parse field [${field}]`,
    causedBy: { type: 'illegal_argument_exception', reason },
  });

function part(body: Document, name: 'source' | 'dest'): Document {
  const value: Value = body[name];
  const found = isDocument(value) ? value : {};
  refuseMembers(name, found);
  return found;
}

function refuseMembers(name: keyof typeof members, body: Document): void {
  const { known, unmodelled } = members[name];
  const other = Object.keys(body).find((key) => !(known as readonly string[]).includes(key));
  if (other === undefined) return;
  if ((unmodelled as readonly string[]).includes(other)) throw new NotModelled(`[${other}] of ${name} in a reindex`);
  throw new RestError(400, { type: 'x_content_parse_exception', reason: `[1:2] [${name}] unknown field [${other}]` });
}
