import { ElasticsearchError, illegalArgument, indexNotFound } from '../errors.ts';
import type { ClusterState } from '../state/cluster-state.ts';
import { type DataStream, dataStreams } from '../state/data-stream.ts';
import { type IndexMetadata, isHidden } from '../state/index-metadata.ts';
import { resolveDateMath } from '../values/date-math.ts';
import { wildcardToRegExp } from '../values/filter-path.ts';
import { invalidIndexName } from './index-name.ts';

/** How a list of names, aliases and patterns is read ("Multi-target syntax"). */
export interface ExpressionOptions {
  readonly ignoreUnavailable: boolean;
  readonly allowNoIndices: boolean;
  readonly open: boolean;
  readonly closed: boolean;
  readonly hidden: boolean;
  /** Aliases are refused, as by the delete index API. */
  readonly refuseAliases?: boolean;
  /** A closed index named as such is an error, as for searches. */
  readonly refuseClosed?: boolean;
  /** Indices that wildcards may stand for. */
  readonly visible?: (name: string) => boolean;
}

/** The index states that wildcards match, by the words of `expand_wildcards`. */
export function wildcardStates(words: readonly string[]): Pick<ExpressionOptions, 'open' | 'closed' | 'hidden'> {
  const states = { open: false, closed: false, hidden: false };
  for (const word of words.map((part) => part.trim().toLowerCase())) {
    if (word === 'open' || word === 'closed' || word === 'hidden') states[word] = true;
    else if (word === 'all') Object.assign(states, { open: true, closed: true, hidden: true });
    else if (word !== 'none') throw illegalArgument(`No valid expand wildcard value [${word}]`);
  }
  return states;
}

/** Indices that an expression means, in the order of the cluster state. */
export function resolveIndices(
  state: ClusterState,
  expression: readonly string[],
  options: ExpressionOptions,
  nowMs = 0,
): IndexMetadata[] {
  const names = expression.length === 0 ? ['_all'] : expression;
  const chosen = new Set<string>();
  let afterWildcard = false;
  for (const part of names) {
    const name = part.startsWith('<') && part.endsWith('>') ? resolveDateMath(part, nowMs) : part;
    if (name.startsWith('-') && afterWildcard) {
      for (const found of matching(state, name.slice(1), { ...options, hidden: true })) chosen.delete(found);
    } else if (name === '_all' || name.includes('*')) {
      afterWildcard = true;
      addWildcard(state, name, options, chosen);
    } else addName(state, name, options, chosen);
  }
  if (chosen.size === 0 && !options.allowNoIndices) throw indexNotFound(names.join(','), false);
  return [...state.indices.values()].filter((index) => chosen.has(index.name));
}

function addWildcard(state: ClusterState, pattern: string, options: ExpressionOptions, chosen: Set<string>): void {
  const found = matching(state, pattern === '_all' ? '*' : pattern, options);
  if (found.length === 0 && !options.allowNoIndices) throw indexNotFound(pattern, false);
  for (const name of found) chosen.add(name);
}

function addName(state: ClusterState, name: string, options: ExpressionOptions, chosen: Set<string>): void {
  if (name.startsWith('_')) throw invalidIndexName(name, "must not start with '_'.");
  const stream = options.refuseAliases === true ? undefined : dataStreams(state).get(name);
  const targets = stream === undefined ? aliasTargets(state, name) : backingIndices(state, stream);
  if (targets.length > 0 && options.refuseAliases === true) {
    if (options.ignoreUnavailable) return;
    throw illegalArgument(
      `The provided expression [${name}] matches an alias, specify the corresponding concrete indices instead.`,
    );
  }
  const index = state.indices.get(name);
  if (index === undefined && targets.length === 0) {
    if (!options.ignoreUnavailable) throw indexNotFound(name);
    return;
  }
  for (const target of index === undefined ? targets : [index]) {
    if (target.state === 'close' && options.refuseClosed === true) {
      if (options.ignoreUnavailable) continue;
      throw indexClosed(target);
    }
    chosen.add(target.name);
  }
}

export const indexClosed = (index: IndexMetadata) =>
  new ElasticsearchError({
    type: 'index_closed_exception',
    reason: 'closed',
    details: { index_uuid: index.uuid, index: index.name },
  });

function matching(state: ClusterState, pattern: string, options: ExpressionOptions): string[] {
  const regExp = wildcardToRegExp(pattern);
  const found: string[] = [];
  const inStreams = options.refuseAliases === true ? new Set<string>() : indicesOfStreams(state, regExp, options);
  for (const index of state.indices.values()) {
    if (index.state === 'open' ? !options.open : !options.closed) continue;
    if (inStreams.has(index.name)) {
      found.push(index.name);
      continue;
    }
    if (options.visible?.(index.name) === false) continue;
    const dotted = pattern.startsWith('.');
    const byName =
      regExp.test(index.name) && (options.hidden || !isHidden(index) || (dotted && index.name.startsWith('.')));
    if (byName || (options.refuseAliases !== true && byAlias(index, regExp, options, dotted))) found.push(index.name);
  }
  return found;
}

/** Backing indices of the data streams that a pattern stands for, hidden as they are. */
function indicesOfStreams(state: ClusterState, pattern: RegExp, options: ExpressionOptions): Set<string> {
  const streams = [...dataStreams(state).values()].filter(
    ({ name, hidden }) => pattern.test(name) && (options.hidden || !hidden) && options.visible?.(name) !== false,
  );
  return new Set(streams.flatMap(({ indices }) => indices));
}

export const backingIndices = (state: ClusterState, stream: Pick<DataStream, 'indices'>): IndexMetadata[] =>
  stream.indices.flatMap((name) => state.indices.get(name) ?? []);

/** A visible alias makes a hidden index found by the alias's name; a bare `*` stands for indices only. */
function byAlias(index: IndexMetadata, regExp: RegExp, options: ExpressionOptions, dotted: boolean): boolean {
  if (regExp.source === '^.*$') return false;
  for (const [alias, metadata] of index.aliases)
    if (regExp.test(alias) && (options.hidden || metadata.is_hidden !== true || (dotted && alias.startsWith('.'))))
      return true;
  return false;
}

export function aliasTargets(state: ClusterState, alias: string): IndexMetadata[] {
  return [...state.indices.values()].filter((index) => index.aliases.has(alias));
}
