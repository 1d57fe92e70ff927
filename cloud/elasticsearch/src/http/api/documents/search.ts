import type { Document, Value } from '@drover/formats';
import { compileQuery } from '../../../engine/documents/query.ts';
import {
  countDocuments,
  findDocuments,
  type SearchRequest,
  type SortKey,
  searchBody,
} from '../../../engine/documents/search.ts';
import published from '../../../engine/documents/search-names.json' with { type: 'json' };
import {
  type ElasticsearchError,
  type Failure,
  fullFailure,
  illegalArgument,
  NotModelled,
  validationFailed,
} from '../../../engine/errors.ts';
import { fieldType } from '../../../engine/indices/mappings.ts';
import type { IndexMetadata } from '../../../engine/state/index-metadata.ts';
import { isActive } from '../../../engine/state/shard.ts';
import { isDocument } from '../../../engine/values/value.ts';
import type { Call } from '../../call.ts';
import { chosenIndices } from '../../index-expressions.ts';
import { RestError } from '../../responses/rest-error.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';
import { readSlice } from './read-slice.ts';

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
  refuseUnmappedSort(call, chosen, request);
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

/** Members of a document that no mapping has. */
const ownFields = new Set(['_doc', '_score', '_id', '_shard_doc', '_seq_no', '_index']);

/** A field that an index does not have cannot be sorted by, unless the request says how. */
function refuseUnmappedSort(call: Call, indices: readonly IndexMetadata[], { sort }: SearchRequest): void {
  const state = call.localState();
  const failed = indices.flatMap((index) => {
    const missing = sort.find(
      ({ field, unmappedType }) =>
        !ownFields.has(field) && unmappedType === undefined && fieldType(index.mappings, field) === undefined,
    );
    return missing === undefined ? [] : [{ index, reason: unmapped(index, missing.field) }];
  });
  if (failed.length === 0) return;
  if (failed.length < indices.length) throw new NotModelled('a sort by a field that only some of the indices have');
  throw new RestError(400, {
    type: 'search_phase_execution_exception',
    reason: 'all shards failed',
    outer: {
      phase: 'query',
      grouped: true,
      failed_shards: failed.map(({ index, reason }) => ({
        shard: 0,
        index: index.name,
        node: state.routing.get(index.name)?.[0]?.find(isActive)?.node ?? null,
        reason: fullFailure(reason),
      })),
    },
    rootCause: failed.map(({ reason }) => reason),
  });
}

const unmapped = (index: IndexMetadata, field: string): Failure => ({
  type: 'query_shard_exception',
  reason: `No mapping found for [${field}] in order to sort on`,
  details: { index_uuid: index.uuid, index: index.name },
});

function hasFielddata({ mappings }: IndexMetadata, field: string): boolean {
  const definition = isDocument(mappings.properties) ? mappings.properties[field] : undefined;
  return isDocument(definition) && String(definition.fielddata) === 'true';
}

function refuseInScroll(call: Call, { size, slice }: SearchRequest): void {
  if (call.text('scroll') === undefined) {
    if (slice === undefined) return;
    throw validationFailed(['[slice] can only be used with [scroll] or [point-in-time] requests']);
  }
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
  refuseScrollId(id);
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

function refuseScrollId(id: string): void {
  if (!/^(_all|[\w-]{20})$/.test(id)) throw illegalArgument('Cannot parse scroll id');
}

function clearScroll(call: Call): Reply {
  const body = call.object().scroll_id ?? call.text('scroll_id');
  const ids = body === undefined ? [] : Array.isArray(body) ? body.map(String) : [String(body)];
  ids.forEach(refuseScrollId);
  const freed = call.cluster.scrolls.close(ids);
  return { status: freed === 0 && ids.length > 0 ? 404 : 200, body: { succeeded: true, num_freed: freed } };
}

/** Members that are modelled. */
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
  'slice',
]);

function readSearch(call: Call, body: Document): SearchRequest {
  const unknown = Object.keys(body).find((key) => !known.has(key));
  if (unknown !== undefined && published.members.includes(unknown)) throw new NotModelled(`[${unknown}] of a search`);
  if (unknown !== undefined)
    throw new RestError(400, {
      type: 'parsing_exception',
      reason: `Unknown key for a ${tokenOf(body[unknown])} in [${unknown}].`,
      details: { line: 1, col: 8 },
    });
  // Also where there is no index to search in.
  if (body.query !== undefined) compileQuery(body.query, {});
  const from = call.integer('from') ?? readInteger(body.from ?? 0);
  const size = call.integer('size') ?? readInteger(body.size ?? 10);
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
    slice: readSlice(body.slice),
    countUpTo: call.text('scroll') === undefined ? readTotal(track) : Number.MAX_SAFE_INTEGER,
  };
}

function readInteger(value: Value): number {
  if (/^[+-]?\d+(\.\d+)?$/.test(String(value))) return Math.trunc(Number(value));
  throw new RestError(400, { type: 'number_format_exception', reason: `For input string: "${String(value)}"` });
}

/** `track_total_hits`: below 0 for not at all. */
function readTotal(value: Value): number {
  if (value === undefined) return 10_000;
  if (String(value) === 'true') return Number.MAX_SAFE_INTEGER;
  if (String(value) === 'false') return -1;
  const limit = readInteger(value);
  if (limit < -1) throw illegalArgument(`[track_total_hits] parameter must be positive or equals to -1, got ${limit}`);
  return limit;
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

function readSortKey(field: string, { order, unmapped_type, ...rest }: Document): SortKey {
  const other = Object.keys(rest).find((name) => name !== 'missing' || rest.missing !== '_last');
  if (other !== undefined) throw new NotModelled(`the option [${other}] of a sort`);
  const way = String(order ?? (field === '_score' ? 'desc' : 'asc')).toLowerCase();
  if (way !== 'asc' && way !== 'desc')
    throw new RestError(400, {
      type: 'x_content_parse_exception',
      reason: '[1:10] [field_sort] failed to parse field [order]',
      causedBy: {
        type: 'illegal_argument_exception',
        reason: `No enum constant org.elasticsearch.search.sort.SortOrder.${way.toUpperCase()}`,
      },
    });
  return {
    field,
    descending: way === 'desc',
    ...(unmapped_type === undefined ? {} : { unmappedType: String(unmapped_type) }),
  };
}

function readSort(sort: Value): SortKey[] {
  if (sort === undefined) return [];
  const list = Array.isArray(sort) ? (sort as readonly Value[]) : [sort];
  return list.map((entry) => {
    if (isDocument(entry)) {
      const [field, how] = Object.entries(entry)[0] as [string, Value];
      return readSortKey(field, isDocument(how) ? how : { order: how });
    }
    const [field, order] = String(entry).split(':') as [string, string | undefined];
    return readSortKey(field, { order });
  });
}
