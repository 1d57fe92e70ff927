import type { Document } from '@drover/formats';
import type { ClusterState } from '../state/cluster-state.ts';

export interface SlmPolicy {
  readonly name: string;
  readonly schedule: string;
  readonly repository: string;
  readonly config: Document;
  readonly retention?: Document;
  readonly unhealthyIfNoSnapshotWithin?: string;
}

export interface SlmOutcome {
  readonly snapshotName: string;
  readonly startMs?: number;
  readonly timeMs: number;
  readonly details?: string;
}

export interface SlmCounts {
  readonly taken: number;
  readonly failed: number;
  readonly deleted: number;
  readonly deletionFailures: number;
}

export interface SlmEntry {
  readonly id: string;
  readonly policy: SlmPolicy;
  readonly version: number;
  readonly modifiedMs: number;
  readonly lastSuccess?: SlmOutcome;
  readonly lastFailure?: SlmOutcome;
  readonly runsSinceSuccess: number;
  readonly counts: SlmCounts;
}

/** Everything about snapshot policies that the cluster state keeps. */
export interface SlmState {
  readonly mode: 'RUNNING' | 'STOPPED';
  readonly policies: ReadonlyMap<string, SlmEntry>;
  readonly retentionRuns: number;
  readonly retentionFailed: number;
  readonly retentionTimedOut: number;
  readonly retentionMs: number;
}

export const noCounts: SlmCounts = { taken: 0, failed: 0, deleted: 0, deletionFailures: 0 };

const initial: SlmState = {
  mode: 'RUNNING',
  policies: new Map(),
  retentionRuns: 0,
  retentionFailed: 0,
  retentionTimedOut: 0,
  retentionMs: 0,
};

export const slmState = (state: ClusterState): SlmState => (state.customs.slm as SlmState | undefined) ?? initial;

export function withSlm(state: ClusterState, change: Partial<SlmState>): ClusterState {
  return { ...state, customs: { ...state.customs, slm: { ...slmState(state), ...change } } };
}

export function withEntry(state: ClusterState, entry: SlmEntry): ClusterState {
  return withSlm(state, { policies: new Map(slmState(state).policies).set(entry.id, entry) });
}

export function addCounts(entry: SlmEntry, change: Partial<SlmCounts>): SlmEntry {
  const { counts } = entry;
  return {
    ...entry,
    counts: {
      taken: counts.taken + (change.taken ?? 0),
      failed: counts.failed + (change.failed ?? 0),
      deleted: counts.deleted + (change.deleted ?? 0),
      deletionFailures: counts.deletionFailures + (change.deletionFailures ?? 0),
    },
  };
}
