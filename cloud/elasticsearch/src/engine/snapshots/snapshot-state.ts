import { type SecurityState, securityState, withSecurity } from '../security/security-state.ts';
import { type SlmEntry, slmState, withSlm } from '../slm/slm-state.ts';
import type { ClusterState } from '../state/cluster-state.ts';
import { type IlmPolicy, ilmState, withIlm } from '../state/ilm-state.ts';

type Entries<V> = readonly (readonly [string, V])[];
type Entry<M> = M extends ReadonlyMap<string, infer V> ? Entries<V> : never;

/** The cluster state in a snapshot, as its objects keep it: what a restore of the global state brings back. */
export interface GlobalState {
  readonly persistent: ClusterState['persistent'];
  readonly indexTemplates: Entry<ClusterState['indexTemplates']>;
  readonly legacyTemplates: Entry<ClusterState['legacyTemplates']>;
  readonly ilm: { readonly mode: 'RUNNING' | 'STOPPED'; readonly policies: Entries<IlmPolicy> };
  readonly slm: { readonly mode: 'RUNNING' | 'STOPPED'; readonly policies: Entries<SlmEntry> };
  /** Records of nodes that may be long gone when they come back. */
  readonly shutdowns: Entry<ClusterState['shutdowns']>;
}

export function captureGlobal(state: ClusterState): GlobalState {
  const [ilm, slm] = [ilmState(state), slmState(state)];
  return {
    persistent: state.persistent,
    indexTemplates: [...state.indexTemplates],
    legacyTemplates: [...state.legacyTemplates],
    ilm: { mode: ilm.mode, policies: [...ilm.policies] },
    slm: { mode: slm.mode, policies: [...slm.policies] },
    shutdowns: [...state.shutdowns],
  };
}

/**
 * Everything of the snapshot replaces what the cluster has, with two exceptions: legacy templates are added, and repositories are
 * not in it.
 */
export function restoreGlobal(state: ClusterState, global: GlobalState): ClusterState {
  const replaced: ClusterState = {
    ...state,
    persistent: global.persistent,
    indexTemplates: new Map(global.indexTemplates),
    legacyTemplates: new Map([...state.legacyTemplates, ...global.legacyTemplates]),
    shutdowns: new Map(global.shutdowns),
  };
  const { ilm, slm } = global;
  return withSlm(withIlm(replaced, { mode: ilm.mode, policies: new Map(ilm.policies) }), {
    mode: slm.mode,
    policies: new Map(slm.policies),
  });
}

/** The contents of the security index, as a snapshot's objects keep it. */
export type SecurityContent = { readonly [Name in keyof SecurityState]: Entry<SecurityState[Name]> };

export const captureSecurity = (state: ClusterState): SecurityContent =>
  Object.fromEntries(
    Object.entries(securityState(state)).map(([name, map]) => [name, [...(map as ReadonlyMap<string, unknown>)]]),
  ) as unknown as SecurityContent;

/** Users, passwords, roles and keys become those of the snapshot. */
export const restoreSecurity = (state: ClusterState, content: SecurityContent): ClusterState =>
  withSecurity(
    state,
    Object.fromEntries(
      Object.entries(content).map(([name, entries]) => [name, new Map(entries as Entries<unknown>)]),
    ) as unknown as SecurityState,
  );
