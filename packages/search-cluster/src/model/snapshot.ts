/** A snapshot lifecycle policy as the API takes it. */
export interface SlmPolicy {
  readonly name: string;
  readonly schedule: string;
  readonly repository: string;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly retention?: Readonly<Record<string, unknown>>;
  readonly unhealthy_if_no_snapshot_within?: string;
}

/** How a policy fares. */
export interface PolicyRuns {
  readonly id: string;
  /** When it was made or last changed. */
  readonly changedAt: number;
  /** When its newest good snapshot ended; undefined when there was none. */
  readonly lastSuccessAt: number | undefined;
}

export type SnapshotState = 'IN_PROGRESS' | 'SUCCESS' | 'PARTIAL' | 'FAILED' | 'INCOMPATIBLE';

export interface SnapshotFacts {
  readonly name: string;
  readonly state: SnapshotState;
  readonly indices: readonly string[];
  readonly failures: readonly string[];
  /** 0 while it is in progress. */
  readonly endedAt: number;
}

/** A snapshot with everything that a restore can choose from. */
export interface SnapshotContent extends SnapshotFacts {
  /** Their backing indices are among the indices. */
  readonly dataStreams: readonly string[];
  /** Features with their system indices, which are among the indices too. */
  readonly featureStates: readonly { readonly feature: string; readonly indices: readonly string[] }[];
  readonly includeGlobalState: boolean;
  readonly startedAt: number;
  /** Indices that the snapshot does not hold completely. */
  readonly failedIndices: readonly string[];
}

/** The result of verifying a repository, node by node. */
export interface RepositoryVerification {
  readonly verifiedBy: readonly string[];
  readonly failures: readonly { readonly node: string; readonly why: string }[];
}
