import type { Document } from '@drover/formats';
import { emptyStoreBytes } from '../../engine/documents/shard-store.ts';
import type { StoreTotals } from '../../engine/documents/store-totals.ts';
import { illegalArgument } from '../../engine/errors.ts';
import type { Call } from '../call.ts';
import { suggestion } from '../routes/check-params.ts';
import { patched, zeroStatistics } from './statistics.ts';

/** Sections that a request names otherwise than the response. */
const sectionNames: Readonly<Record<string, string>> = { breaker: 'breakers', merge: 'merges', suggest: 'search' };

/** Sections that a request asks for by the names of metrics; undefined for all of them. */
export function namedSections(
  call: Call,
  names: readonly string[],
  template: 'node' | 'shards',
  what = 'metric',
): ReadonlySet<string> | undefined {
  if (names.length === 0 || (names.length === 1 && names[0] === '_all')) return undefined;
  if (names.includes('_all'))
    throw illegalArgument(`request [${call.path}] contains _all and individual ${what}s [${names.join(',')}]`);
  const sections = new Set(Object.keys(zeroStatistics(template, call.version)));
  const known = [...sections, ...Object.keys(sectionNames)].filter((name) => sections.has(sectionNames[name] ?? name));
  const unknown = names.filter((name) => !known.includes(name)).sort();
  if (unknown.length === 0) return new Set(names.map((name) => sectionNames[name] ?? name));
  const list = unknown.map((name) => `[${name}]${suggestion(name, known)}`).join(', ');
  throw illegalArgument(
    `request [${call.path}] contains unrecognized ${what}${unknown.length > 1 ? 's' : ''}: ${list}`,
  );
}

/** The header of a translog file. */
const emptyTranslogBytes = 55;

/** Statistics of shards, by section. An operation is taken to last a millisecond; what the model does not count is zero. */
export function statSections(call: Call, totals: StoreTotals): Document {
  const { docs, deleted, bytes, indexOps, deleteOps, segments, queries, fetches, gets, found, refreshes, flushes } =
    totals;
  const { uncommitted } = totals;
  const translogBytes = totals.shards * emptyTranslogBytes + totals.uncommittedBytes;
  return patched(zeroStatistics('shards', call.version), {
    docs: { count: docs, deleted, total_size_in_bytes: segments > 0 ? bytes : 0 },
    shard_stats: { total_count: totals.shards },
    store: { size_in_bytes: bytes, total_data_set_size_in_bytes: bytes },
    indexing: {
      index_total: indexOps,
      index_time_in_millis: indexOps,
      index_failed: totals.failedOps,
      index_failed_due_to_version_conflict: totals.failedOps,
      delete_total: deleteOps,
      delete_time_in_millis: deleteOps,
    },
    get: {
      total: gets,
      time_in_millis: gets,
      exists_total: found,
      exists_time_in_millis: found,
      missing_total: gets - found,
      missing_time_in_millis: gets - found,
    },
    search: {
      open_contexts: totals.openScrolls,
      query_total: queries,
      query_time_in_millis: queries,
      fetch_total: fetches,
      fetch_time_in_millis: fetches,
      scroll_total: totals.scrolls,
      scroll_time_in_millis: totals.scrolls,
      scroll_current: totals.openScrolls,
    },
    merges: {
      total: totals.merges,
      total_time_in_millis: totals.merges,
      total_docs: totals.mergedDocs,
    },
    refresh: {
      total: refreshes,
      total_time_in_millis: refreshes,
      external_total: refreshes,
      external_total_time_in_millis: refreshes,
    },
    flush: {
      total: flushes,
      periodic: totals.periodicFlushes,
      total_time_in_millis: flushes,
      total_time_excluding_waiting_on_lock_in_millis: flushes,
    },
    segments: { count: segments },
    translog: {
      operations: uncommitted,
      size_in_bytes: translogBytes,
      uncommitted_operations: uncommitted,
      uncommitted_size_in_bytes: translogBytes,
    },
    bulk: {
      total_operations: totals.bulkOps,
      total_time_in_millis: totals.bulkOps,
      total_size_in_bytes: totals.bytes - totals.shards * emptyStoreBytes,
    },
  });
}

/** Only the requested sections. */
export function chooseSections(sections: Document, wanted: ReadonlySet<string> | undefined): Document {
  if (wanted === undefined) return sections;
  return Object.fromEntries(Object.entries(sections).filter(([name]) => wanted.has(name)));
}
