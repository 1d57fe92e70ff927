import type { Document } from '@drover/formats';
import type { ClusterState } from './cluster-state.ts';

/** An index lifecycle policy as it was put. Its phases are not carried out. */
export interface IlmPolicy {
  readonly version: number;
  readonly modifiedMs: number;
  readonly policy: Document;
}

/** Index lifecycle management as the cluster state keeps it. */
export interface IlmState {
  readonly mode: 'RUNNING' | 'STOPPED';
  readonly policies: ReadonlyMap<string, IlmPolicy>;
}

const initial: IlmState = { mode: 'RUNNING', policies: new Map() };

export const ilmState = (state: ClusterState): IlmState => (state.customs.ilm as IlmState | undefined) ?? initial;

export const withIlm = (state: ClusterState, change: Partial<IlmState>): ClusterState => ({
  ...state,
  customs: { ...state.customs, ilm: { ...ilmState(state), ...change } },
});
