import type { Document, Value } from '@drover/formats';
import { splitList } from '../coordination/settings.ts';
import { illegalArgument, indexNotFound } from '../errors.ts';
import { type ExpressionOptions, resolveIndices, wildcardStates } from '../indices/index-expressions.ts';
import type { ClusterState } from '../state/cluster-state.ts';
import type { IndexMetadata } from '../state/index-metadata.ts';

export const listOf = (value: Value): string[] =>
  value === undefined || value === null ? [] : Array.isArray(value) ? value.map(String) : splitList(String(value));

/** A yes or no in the body of a snapshot or restore request: also as text, but nothing else. */
export function snapshotFlag(body: Document, name: string, otherwise: boolean): boolean {
  const value = body[name];
  if (value === undefined || value === null) return otherwise;
  const text = String(value);
  if (text === 'true' || text === 'false') return text === 'true';
  throw illegalArgument(`Could not convert [${name}] to boolean`, {
    type: 'illegal_argument_exception',
    reason: `Failed to parse value [${text}] as only [true] or [false] are allowed.`,
  });
}

/**
 * The indices that a create request or a policy wants in its snapshot. Patterns stand for open, closed and hidden indices, unless
 * `expand_wildcards` says otherwise; a name stands for its index, open or closed (recorded from 8.19.21).
 */
export function requestedIndices(state: ClusterState, body: Document, nowMs: number): IndexMetadata[] {
  const expand = listOf(body.expand_wildcards);
  const options: ExpressionOptions = {
    ...(expand.length === 0 ? { open: true, closed: true, hidden: true } : wildcardStates(expand)),
    ignoreUnavailable: snapshotFlag(body, 'ignore_unavailable', false),
    allowNoIndices: true,
  };
  const named = listOf(body.indices);
  const taken = options.open || options.closed ? undefined : named.find((name) => name.includes('*'));
  // Wildcards that stand for nothing are read as the name of an index.
  if (taken !== undefined && !options.ignoreUnavailable) throw indexNotFound(taken);
  const found = resolveIndices(state, named, options, nowMs);
  if (found.length === 0 && !snapshotFlag(body, 'allow_no_indices', true)) throw indexNotFound(named.join(','));
  return found;
}
