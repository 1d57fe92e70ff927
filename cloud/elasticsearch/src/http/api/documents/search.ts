import type { Document, Value } from '@drover/formats';
import { compileQuery } from '../../../engine/documents/query.ts';
import {
  countDocuments,
  findDocuments,
  type SearchRequest,
  type SortKey,
  searchBody,
} from '../../../engine/documents/search.ts';
import { type ElasticsearchError, illegalArgument, validationFailed } from '../../../engine/errors.ts';
import { fieldType } from '../../../engine/indices/mappings.ts';
import type { IndexMetadata } from '../../../engine/state/index-metadata.ts';
import { isDocument } from '../../../engine/values/value.ts';
import type { Call } from '../../call.ts';
import { chosenIndices } from '../../index-expressions.ts';
import { RestError } from '../../responses/rest-error.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';

const indices = (call: Call) => call.list('index');

export const searchRoutes: readonly Endpoint[] = [
  {
    api: 'search',
    action: 'indices:data/read/search',
    without: ['explain'],
    indices,
    run: search,
  },
  {
    api: 'count',
    action: 'indices:data/read/search',
    indices,
    run: count,
  },
  {
    api: 'scroll',
    action: 'indices:data/read/scroll',
    run: scrollOn,
  },
  {
    api: 'clear_scroll',
    run: clearScroll,
  },
];

const targets = (call: Call): IndexMetadata[] => chosenIndices(call, call.localState(), { refuseClosed: true });

async function search(call: Call): Promise<Reply> {
  const chosen = targets(call);
  const request = readSearch(call, call.object());
  refuseInScroll(call, request);
  refuseTextSort(chosen, request);
  const result = findDocuments(call.cluster, call.node, chosen, request);
  const body = { took: 1, ...searchBody(result, request, call.major) };
  const scroll = call.text('scroll');
  if (scroll === undefined) return { body };
  return {
    body: {
      _scroll_id: call.cluster.scrolls.open({ result, request: { ...request, from: request.from + request.size } }),
      ...body,
    },
  };
}

/** A text field cannot be sorted by ("Text field type", `fielddata`). */
function refuseTextSort(indices: readonly IndexMetadata[], { sort }: SearchRequest): void {
  for (const index of indices)
    for (const { field } of sort)
      if (fieldType(index.mappings, field) === 'text' && !hasFielddata(index, field))
        throw allShardsFailed(
          `Fielddata is disabled on [${field}] in [${index.name}]. Text fields are not optimised for operations that require per-document field data like aggregations and sorting, so these operations are disabled by default. Please use a keyword field instead. Alternatively, set fielddata=true on [${field}] in order to load field data by uninverting the inverted index. Note that this can use significant memory.`,
        );
}

function hasFielddata({ mappings }: IndexMetadata, field: string): boolean {
  const definition = isDocument(mappings.properties) ? mappings.properties[field] : undefined;
  return isDocument(definition) && String(definition.fielddata) === 'true';
}

function refuseInScroll(call: Call, { size }: SearchRequest): void {
  if (call.text('scroll') === undefined) return;
  const problems = [
    ...(size === 0 ? ['[size] cannot be [0] in a scroll context'] : []),
    ...(call.flag('request_cache') ? ['[request_cache] cannot be used in a scroll context'] : []),
  ];
  if (problems.length > 0) throw validationFailed(problems);
}

async function count(call: Call): Promise<Reply> {
  const chosen = targets(call);
  const body = call.object();
  const unknown = Object.keys(body).find((key) => key !== 'query');
  if (unknown !== undefined)
    throw new RestError(400, {
      type: 'parsing_exception',
      reason: `request does not support [${unknown}]`,
      details: { line: 1, col: 2 },
    });
  const { count: found, shards } = countDocuments(call.cluster, call.node, chosen, readSearch(call, body));
  return { body: { count: found, _shards: shards } };
}

function scrollOn(call: Call): Reply {
  const id = String(call.object().scroll_id ?? call.text('scroll_id') ?? '');
  const open = call.cluster.scrolls.next(id);
  if (open === undefined)
    throw new RestError(404, {
      type: 'search_phase_execution_exception',
      reason: 'all shards failed',
      outer: { phase: 'query', grouped: true, failed_shards: [] },
      rootCause: [{ type: 'search_context_missing_exception', reason: `No search context found for id [${id}]` }],
    });
  return { body: { _scroll_id: id, took: 1, ...searchBody(open.result, open.request, call.major) } };
}

function clearScroll(call: Call): Reply {
  const body = call.object().scroll_id ?? call.text('scroll_id');
  const ids = body === undefined ? [] : Array.isArray(body) ? body.map(String) : [String(body)];
  const freed = call.cluster.scrolls.close(ids);
  return { status: freed === 0 && ids.length > 0 ? 404 : 200, body: { succeeded: true, num_freed: freed } };
}

/** Members that are modelled: others are refused as unknown. */
const known = new Set([
  'query',
  'from',
  'size',
  'sort',
  '_source',
  'track_total_hits',
  'version',
  'seq_no_primary_term',
  'timeout',
]);

function readSearch(call: Call, body: Document): SearchRequest {
  const unknown = Object.keys(body).find((key) => !known.has(key));
  if (unknown !== undefined)
    throw new RestError(400, {
      type: 'parsing_exception',
      reason: `Unknown key for a ${tokenOf(body[unknown])} in [${unknown}].`,
      details: { line: 1, col: 8 },
    });
  // Also where there is no index to search in.
  if (body.query !== undefined) compileQuery(body.query, {});
  const from = call.integer('from') ?? Number(body.from ?? 0);
  const size = call.integer('size') ?? Number(body.size ?? 10);
  if (size < 0) throw illegalArgument(`[size] parameter cannot be negative, found [${size}]`);
  if (from < 0) throw illegalArgument(`[from] parameter cannot be negative but was [${from}]`);
  if (from + size > 10_000) throw tooDeep(from + size);
  const track = call.text('track_total_hits') ?? body.track_total_hits;
  return {
    query: body.query,
    from,
    size,
    sort: readSort(call.text('sort')?.split(',') ?? body.sort),
    source: call.text('_source') ?? sourceFilter(call) ?? body._source,
    totalAsInteger: call.flag('rest_total_hits_as_int'),
    allowPartial: call.flag('allow_partial_search_results', true),
    withVersion: body.version === true || call.flag('version'),
    withSeqNo: body.seq_no_primary_term === true || call.flag('seq_no_primary_term'),
    trackTotalHits: String(track ?? 'true') !== 'false',
  };
}

const tokenOf = (value: Value) =>
  typeof value === 'number'
    ? 'VALUE_NUMBER'
    : typeof value === 'string'
      ? 'VALUE_STRING'
      : typeof value === 'boolean'
        ? 'VALUE_BOOLEAN'
        : Array.isArray(value)
          ? 'START_ARRAY'
          : 'START_OBJECT';

function sourceFilter(call: Call): Value {
  const [includes, excludes] = [call.text('_source_includes'), call.text('_source_excludes')];
  return includes === undefined && excludes === undefined ? undefined : { includes, excludes };
}

function tooDeep(window: number): ElasticsearchError {
  const reason = `Result window is too large, from + size must be less than or equal to: [10000] but was [${window}]. See the scroll api for a more efficient way to request large data sets. This limit can be set by changing the [index.max_result_window] index level setting.`;
  return allShardsFailed(reason);
}

function allShardsFailed(reason: string): ElasticsearchError {
  const cause = { type: 'illegal_argument_exception', reason };
  return new RestError(400, {
    type: 'search_phase_execution_exception',
    reason: 'all shards failed',
    outer: { phase: 'query', grouped: true, failed_shards: [] },
    rootCause: [cause],
    causedBy: { ...cause, causedBy: cause },
  });
}

function readSort(sort: Value): SortKey[] {
  if (sort === undefined) return [];
  const list = Array.isArray(sort) ? (sort as readonly Value[]) : [sort];
  return list.map((entry) => {
    if (isDocument(entry)) {
      const [field, how] = Object.entries(entry)[0] as [string, Value];
      const order = isDocument(how) ? how.order : how;
      return { field, descending: order === 'desc' };
    }
    const [field, order] = String(entry).split(':') as [string, string | undefined];
    return { field, descending: order === 'desc' };
  });
}
