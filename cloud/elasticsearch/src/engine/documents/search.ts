import { type Document, Double, type Value } from '@drover/formats';
import { type ClusterAccess, localState } from '../coordination/cluster-access.ts';
import type { SearchNode } from '../coordination/search-node.ts';
import { ElasticsearchError, type Failure, fullFailure } from '../errors.ts';
import type { IndexMetadata } from '../state/index-metadata.ts';
import { filterByPath } from '../values/filter-path.ts';
import { isDocument } from '../values/value.ts';
import { compareValues, compileQuery, valuesAt } from './query.ts';
import type { ReadCounts } from './read-counts.ts';
import { readableShards, refreshForSearch, type ShardSource } from './read-shards.ts';
import type { StoredDocument } from './shard-store.ts';
import { type Slice, takesShard } from './slice.ts';

export interface SearchRequest {
  readonly query: Value;
  readonly from: number;
  readonly size: number;
  readonly sort: readonly SortKey[];
  readonly source: Value;
  readonly totalAsInteger: boolean;
  readonly allowPartial: boolean;
  readonly withVersion: boolean;
  readonly withSeqNo: boolean;
  /** Up to how many hits are counted exactly. */
  readonly countUpTo: number;
  /** The part of the documents that is wanted. @default all of them */
  readonly slice?: Slice | undefined;
}

export interface SortKey {
  readonly field: string;
  readonly descending: boolean;
  /** How a field is sorted where the mapping does not have it. */
  readonly unmappedType?: string;
}

interface Hit {
  readonly index: IndexMetadata;
  readonly document: StoredDocument;
  readonly score: number;
}

export interface SearchResult {
  readonly hits: readonly Hit[];
  /** Counters of the copies that were read. */
  readonly reads: readonly ReadCounts[];
  readonly shards: Document;
}

const shardFailure: Failure = { type: 'no_shard_available_action_exception', reason: null };

/** Matching documents of all readable shards. Shards without a readable copy count as failed. */
export function findDocuments(
  cluster: ClusterAccess,
  node: SearchNode,
  indices: readonly IndexMetadata[],
  request: SearchRequest,
): SearchResult {
  const nowMs = cluster.engine.clock.now();
  const shards = readableShards(cluster, node, localState(node), indices);
  const failed = shards.filter(({ store }) => store === undefined);
  if (failed.length > 0) refuseMissing(failed, shards.length, request.allowPartial);
  const hits = shards.flatMap((shard) => {
    const taken = request.slice === undefined || takesShard(request.slice, shard.index, shard.shard);
    const found = taken ? matching(shard, request, nowMs) : [];
    countRead(shard, shards.length === 1 || found.length > 0);
    return found;
  });
  const reads = shards.flatMap((shard) => shard.reads ?? []);
  return { hits, reads, shards: shardSummary(shards.length, failed) };
}

/** One shard alone is searched and read in one step. */
function countRead({ reads }: ShardSource, fetched: boolean): void {
  if (reads === undefined) return;
  reads.queries += 1;
  reads.fetches += fetched ? 1 : 0;
}

function matching(shard: ShardSource, request: SearchRequest, nowMs: number): Hit[] {
  const store = refreshForSearch(shard, nowMs);
  if (store === undefined) return [];
  const matches = compileQuery(request.query, shard.index.mappings);
  const hits: Hit[] = [];
  for (const document of store.searchable()) {
    const score = matches(document);
    if (score !== undefined) hits.push({ index: shard.index, document, score });
  }
  return hits;
}

/** Counts without looking at each document when everything matches. */
export function countDocuments(
  cluster: ClusterAccess,
  node: SearchNode,
  indices: readonly IndexMetadata[],
  request: SearchRequest,
): { count: number; shards: Document } {
  if (request.query !== undefined) {
    const { hits, shards } = findDocuments(cluster, node, indices, request);
    return { count: hits.length, shards };
  }
  const nowMs = cluster.engine.clock.now();
  const shards = readableShards(cluster, node, localState(node), indices);
  const failed = shards.filter(({ store }) => store === undefined);
  if (failed.length > 0) refuseMissing(failed, shards.length, request.allowPartial);
  for (const shard of shards) countRead(shard, shards.length === 1);
  const count = shards.reduce((total, shard) => total + (refreshForSearch(shard, nowMs)?.searchableCount ?? 0), 0);
  return { count, shards: shardSummary(shards.length, failed) };
}

function refuseMissing(failed: readonly ShardSource[], total: number, allowPartial: boolean): void {
  if (!allowPartial) {
    const names = failed.map(({ index, shard }) => `[${index.name}][${shard}]`).join(', ');
    const outer = { phase: 'query', grouped: true, failed_shards: [] };
    throw new ElasticsearchError({
      type: 'search_phase_execution_exception',
      reason: '',
      outer,
      rootCause: [],
      causedBy: {
        type: 'search_phase_execution_exception',
        reason: `Search rejected due to missing shards [${names}]. Consider using \`allow_partial_search_results\` setting to bypass this error.`,
        outer,
      },
    });
  }
  if (failed.length < total) return;
  throw new ElasticsearchError({
    type: 'search_phase_execution_exception',
    reason: 'all shards failed',
    outer: { phase: 'query', grouped: true, failed_shards: failed.map(failureOf) },
    rootCause: [shardFailure],
  });
}

const failureOf = ({ index, shard }: ShardSource): Document => ({
  shard,
  index: index.name,
  node: null,
  reason: fullFailure(shardFailure),
});

function shardSummary(total: number, failed: readonly ShardSource[]): Document {
  return {
    total,
    successful: total - failed.length,
    skipped: 0,
    failed: failed.length,
    ...(failed.length === 0 ? {} : { failures: failed.map(failureOf) }),
  };
}

export function searchBody(result: SearchResult, request: SearchRequest, major: number): Document {
  const ordered = request.sort.length === 0 ? byScore(result.hits) : bySort(result.hits, request.sort);
  const page = ordered.slice(request.from, request.from + request.size);
  const total = result.hits.length;
  const scored = request.sort.length === 0 || request.sort.some(({ field }) => field === '_score');
  const most =
    scored && page.length > 0 ? new Double(result.hits.reduce((best, { score }) => Math.max(best, score), 0)) : null;
  return {
    timed_out: false,
    _shards: result.shards,
    hits: {
      ...totalBody(total, request),
      max_score: (result.shards.total as number) === 0 ? new Double(0) : most,
      hits: page.map((hit) => hitBody(hit, request, scored, major)),
    },
  };
}

/** Beyond what was asked for, the total is only known to be at least that. */
function totalBody(total: number, { countUpTo, totalAsInteger }: SearchRequest): Document {
  if (countUpTo < 0) return {};
  if (totalAsInteger) return { total };
  return { total: total > countUpTo ? { value: countUpTo, relation: 'gte' } : { value: total, relation: 'eq' } };
}

const byScore = (hits: readonly Hit[]) =>
  [...hits].sort((a, b) => b.score - a.score || a.document.seqNo - b.document.seqNo);

function bySort(hits: readonly Hit[], sort: readonly SortKey[]): Hit[] {
  return [...hits].sort((a, b) => {
    for (const key of sort) {
      const [x, y] = [sortValue(a, key.field), sortValue(b, key.field)];
      if (x === undefined || y === undefined) {
        if (x !== y) return x === undefined ? 1 : -1;
        continue;
      }
      const order = compareValues(x, y);
      if (order !== 0) return key.descending ? -order : order;
    }
    return a.document.seqNo - b.document.seqNo;
  });
}

function sortValue({ document, score }: Hit, field: string): Value {
  if (field === '_id') return document.id;
  if (field === '_score') return score;
  if (field === '_doc' || field === '_shard_doc' || field === '_seq_no') return document.seqNo;
  return valuesAt(document.source, field.replace(/\.keyword$/, ''))[0];
}

/** Numbers that are missing sort last, whichever way. */
function missingValue({ unmappedType, descending }: SortKey): Value {
  if (unmappedType !== 'long') return null;
  return descending ? -9223372036854775808n : 9223372036854775807n;
}

const byScoreAlone = ({ sort }: SearchRequest) =>
  sort.length === 0 || (sort.length === 1 && sort[0]!.field === '_score' && sort[0]!.descending);

function hitBody(hit: Hit, request: SearchRequest, scored: boolean, major: number): Document {
  const { document, index } = hit;
  const source = filterSource(document.source, request.source);
  return {
    _index: index.name,
    ...(major < 8 ? { _type: index.mappingType } : {}),
    _id: document.id,
    ...(request.withVersion ? { _version: document.version } : {}),
    ...(request.withSeqNo ? { _seq_no: document.seqNo, _primary_term: document.term } : {}),
    _score: scored ? new Double(hit.score) : null,
    ...(document.routing === undefined ? {} : { _routing: document.routing }),
    ...(source === undefined ? {} : { _source: source }),
    ...(byScoreAlone(request)
      ? {}
      : { sort: request.sort.map((key) => sortValue(hit, key.field) ?? missingValue(key)) }),
  };
}

/** `_source`: true, false, a pattern, patterns, or includes and excludes. */
export function filterSource(source: Document, wanted: Value): Document | undefined {
  if (wanted === undefined || wanted === true || wanted === 'true') return source;
  if (wanted === false || wanted === 'false') return undefined;
  const list = (value: Value) =>
    value === undefined ? [] : Array.isArray(value) ? value.map(String) : String(value).split(',');
  const includes = isDocument(wanted) ? list(wanted.includes ?? wanted.include) : list(wanted);
  const excludes = isDocument(wanted) ? list(wanted.excludes ?? wanted.exclude) : [];
  const expression = [...includes, ...excludes.map((path) => `-${path}`)].join(',');
  return expression === '' ? source : (filterByPath(source, expression) as Document);
}
