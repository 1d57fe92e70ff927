import type { SettingsView } from '../engine/coordination/settings.ts';
import { illegalArgument } from '../engine/errors.ts';
import { refuseByIndices } from '../engine/indices/blocks.ts';
import { type ExpressionOptions, resolveIndices, wildcardStates } from '../engine/indices/index-expressions.ts';
import type { ClusterState } from '../engine/state/cluster-state.ts';
import type { IndexMetadata } from '../engine/state/index-metadata.ts';
import type { Call } from './call.ts';

export const expressionParams = [
  'ignore_unavailable',
  'allow_no_indices',
  'expand_wildcards',
  'ignore_throttled',
] as const;

/** Options as the request's parameters change an endpoint's defaults. */
export function expressionOptions(call: Call, defaults: Partial<ExpressionOptions> = {}): ExpressionOptions {
  const base: ExpressionOptions = {
    ignoreUnavailable: false,
    allowNoIndices: true,
    open: true,
    closed: false,
    hidden: false,
    ...defaults,
  };
  const expand = call.text('expand_wildcards');
  const states = expand === undefined ? base : wildcardStates(expand.split(','));
  return {
    ...base,
    ...states,
    ignoreUnavailable: call.flag('ignore_unavailable', base.ignoreUnavailable),
    allowNoIndices: call.flag('allow_no_indices', base.allowNoIndices),
    visible: call.visible,
  };
}

/** The indices that a request names in its path, by its own options and the endpoint's defaults. */
export const chosenIndices = (
  call: Call,
  state: ClusterState,
  defaults: Partial<ExpressionOptions> = {},
): IndexMetadata[] => namedIndices(call, state, call.list('index'), defaults);

/** The same of names that stand elsewhere. A block on one of the indices refuses the request. */
export function namedIndices(
  call: Call,
  state: ClusterState,
  names: readonly string[],
  defaults: Partial<ExpressionOptions> = {},
): IndexMetadata[] {
  const chosen = resolveIndices(state, names, expressionOptions(call, defaults), call.now);
  if (call.blockedAt.indices !== undefined) refuseByIndices(state, call.blockedAt.indices, chosen, call.version);
  return chosen;
}

/** `action.destructive_requires_name`, the default since 8.0: nothing is closed or deleted by a pattern. */
export function refuseWildcards(call: Call, settings: SettingsView): void {
  const names = call.list('index');
  if (!settings.boolean('action.destructive_requires_name') || call.major < 8 || names.join() === '*,-*') return;
  if (names.length === 0 || names.some((name) => name === '_all' || name.includes('*')))
    throw illegalArgument('Wildcard expressions or all indices are not allowed');
}
