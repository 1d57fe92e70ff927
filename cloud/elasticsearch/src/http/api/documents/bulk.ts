import type { Document, Value } from '@drover/formats';
import type { Operation } from '../../../engine/documents/operations.ts';
import { writeDocuments } from '../../../engine/documents/write-documents.ts';
import {
  ElasticsearchError,
  fullFailure,
  illegalArgument,
  NotModelled,
  parseError,
  validationFailed,
} from '../../../engine/errors.ts';
import { timeBasedId } from '../../../engine/state/ids.ts';
import { isDocument } from '../../../engine/values/value.ts';
import type { Call } from '../../call.ts';
import { statusOf } from '../../responses/rest-error.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';
import { documentWrite, writtenItem } from './documents.ts';

export const bulkRoutes: readonly Endpoint[] = [
  {
    api: 'bulk',
    action: 'indices:data/write/bulk',
    without: ['_source', '_source_excludes', '_source_includes'],
    lines: true,
    run: bulk,
  },
];

const kinds = ['create', 'delete', 'index'] as const;
type Kind = (typeof kinds)[number];

/** Each item needs its own privilege. */
const actions: Readonly<Record<Kind, string>> = {
  create: 'indices:data/write/index',
  index: 'indices:data/write/index',
  delete: 'indices:data/write/delete',
};

async function bulk(call: Call): Promise<Reply> {
  const startedAt = call.now;
  const items = readItems(call);
  const outcomes = await writeDocuments(
    documentWrite(call),
    items.map(({ kind, operation, problem }) => call.refusal(actions[kind], operation.index) ?? problem ?? operation),
  );
  const bodies = items.map((item, at) => ({ [item.kind]: itemBody(call, item, outcomes[at]!) }));
  const errors = outcomes.some((outcome) => outcome instanceof ElasticsearchError);
  return { body: { errors, took: Math.round(call.now - startedAt), items: bodies } };
}

function itemBody(
  call: Call,
  { operation }: Item,
  outcome: Awaited<ReturnType<typeof writeDocuments>>[number],
): Document {
  if (outcome instanceof ElasticsearchError)
    return {
      _index: operation.index,
      ...(call.major < 8 ? { _type: '_doc' } : {}),
      _id: operation.id,
      status: statusOf(outcome),
      error: fullFailure(outcome.failure),
    };
  const status = outcome.result === 'created' ? 201 : outcome.result === 'not_found' ? 404 : 200;
  return { ...writtenItem(call, outcome, operation.id), status };
}

interface Item {
  readonly kind: Kind;
  readonly operation: Operation;
  /** Why the item is not even tried. */
  readonly problem?: ElasticsearchError;
}

/** Reads the lines of a bulk body ("Bulk API"). */
function readItems(call: Call): Item[] {
  if (call.lines === undefined) throw parseError('request body is required');
  if (call.rawBody.at(-1) !== 0x0a) throw illegalArgument('The bulk request must be terminated by a newline [\\n]');
  const items: Item[] = [];
  const problems: string[] = [];
  for (let at = 0; at < call.lines.length; ) {
    const line = call.lines[at];
    at += 1;
    if (line === undefined) continue;
    const { kind, metadata } = readAction(line, at);
    refuseUnknown(call, metadata, at);
    const source = kind === 'delete' ? undefined : call.lines[at];
    // The body ends with a line break: what stands after it is no line.
    if (kind !== 'delete' && at >= call.lines.length - 1) break;
    if (kind !== 'delete') at += 1;
    const index = String(metadata._index ?? call.text('index') ?? '');
    if (index === '') problems.push('index is missing');
    if (kind === 'delete' && (metadata._id === undefined || metadata._id === null)) problems.push('id is missing');
    const problem = metadata._id === '' ? illegalArgument('if _id is specified it must not be empty') : undefined;
    items.push({
      kind,
      operation: readOperation(call, kind, index, metadata, source),
      ...(problem === undefined ? {} : { problem }),
    });
  }
  if (problems.length > 0) throw validationFailed(problems);
  if (items.length === 0) throw validationFailed(['no requests added']);
  return items;
}

const metadataMembers = new Set(['_index', '_id', 'routing', 'require_alias']);

function refuseUnknown(call: Call, metadata: Document, line: number): void {
  const typed = call.major < 8;
  const unknown = Object.keys(metadata).find((key) => !metadataMembers.has(key) && !(typed && key === '_type'));
  if (unknown !== undefined)
    throw illegalArgument(`Action/metadata line [${line}] contains an unknown parameter [${unknown}]`);
}

function readAction(line: Value, number: number): { kind: Kind; metadata: Document } {
  if (!isDocument(line))
    throw illegalArgument(`Malformed action/metadata line [${number}], expected START_OBJECT but found [VALUE_STRING]`);
  const [kind] = Object.keys(line);
  if (kind === undefined)
    throw illegalArgument(`Malformed action/metadata line [${number}], expected FIELD_NAME but found [END_OBJECT]`);
  if (kind === 'update') throw new NotModelled(`the action [update] in line [${number}]`);
  if (!kinds.includes(kind as Kind))
    throw illegalArgument(
      `Malformed action/metadata line [${number}], expected field [create], [delete], [index] or [update] but found [${kind}]`,
    );
  const metadata = line[kind!];
  if (!isDocument(metadata))
    throw illegalArgument(
      `Malformed action/metadata line [${number}], expected START_OBJECT or END_OBJECT but found [VALUE_STRING]`,
    );
  return { kind: kind as Kind, metadata };
}

function readOperation(call: Call, kind: Kind, index: string, metadata: Document, source: Value): Operation {
  const id =
    metadata._id === undefined || metadata._id === null ? timeBasedId(call.cluster.random) : String(metadata._id);
  const routing = metadata.routing ?? call.text('routing');
  const base = {
    kind,
    index,
    id,
    ...(routing === undefined || routing === null ? {} : { routing: String(routing) }),
    requireAlias: metadata.require_alias === undefined ? call.flag('require_alias') : metadata.require_alias === true,
  };
  if (kind === 'delete') return base;
  return { ...base, source: isDocument(source) ? source : {} };
}
