/** How far the recovery of a cluster has come where the cluster itself does not show it; in the state bucket. */
export interface RecoveryNote {
  readonly repository: string;
  readonly snapshot: string;
  readonly startedAt: string;
  readonly done: readonly RecoveryMark[];
}
export type RecoveryMark = 'state' | 'security' | 'passwords' | 'finished';

/** Of index and snapshot lifecycle management: `RUNNING`, `STOPPING` or `STOPPED`. */
export interface LifecycleState {
  readonly ilm: string;
  readonly slm: string;
}

/** State of restore drills; in the state bucket. */
export interface DrillState {
  /** When drills were first thought of. */
  readonly since: number;
  readonly runs: number;
  readonly okAt?: number;
  readonly failedAt?: number;
  readonly failure?: string;
  /** Since when a drill that is due waits, and for what it waits now. */
  readonly postponed?: { readonly since: number; readonly because: string };
  /** Of the last one. */
  readonly snapshot?: string;
  readonly index?: string;
}

/** An index of a snapshot. */
export interface DrillSize {
  readonly bytes: number;
  readonly shards: number;
}

/** The compared parts of an index and its restored copy. */
export interface DrillContent {
  readonly documents: number;
  /** Sum of the newest sequence numbers: the same as long as nothing is written. */
  readonly operations: number;
}
