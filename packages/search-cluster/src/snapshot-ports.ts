/** The ports of snapshots, restores and restore drills, one narrow role each. */
import type { DrillContent, DrillSize, DrillState, LifecycleState, RecoveryNote } from './model/recovery.ts';
import type {
  PolicyRuns,
  RepositoryVerification,
  SlmPolicy,
  SnapshotContent,
  SnapshotFacts,
} from './model/snapshot.ts';

export interface SnapshotRepositories {
  exists(repository: string): Promise<boolean>;
  register(repository: string, place: RepositoryPlace): Promise<void>;
  verify(repository: string): Promise<RepositoryVerification>;
  /** Undefined when there is no such repository. */
  placeOf(repository: string): Promise<RepositoryPlace | undefined>;
  /** Its snapshots stay where they are. */
  forget(repository: string): Promise<void>;
}

export interface RepositoryPlace {
  readonly bucket: string;
  /** Of the settings `s3.client.*` of the nodes. @default default */
  readonly client?: string;
  readonly readOnly?: boolean;
}

/** Snapshots that are being taken now. */
export interface RunningSnapshots {
  names(): Promise<readonly string[]>;
}

export interface Snapshots {
  start(repository: string, snapshot: string): Promise<void>;
  get(repository: string, snapshot: string): Promise<SnapshotFacts>;
}

export interface SnapshotCatalog {
  content(repository: string, snapshot: string): Promise<SnapshotContent>;
  /** The newest first; more than a repository keeps by its policies. */
  list(repository: string): Promise<readonly SnapshotContent[]>;
}

export interface SnapshotRestorer {
  restore(repository: string, snapshot: string, plan: RestorePlan): Promise<void>;
  /** Names of all open indices. */
  openIndices(): Promise<readonly string[]>;
  /** Of these data streams, those that no template matches: they cannot roll over. */
  withoutTemplate(dataStreams: readonly string[]): Promise<readonly string[]>;
  /** How far the primaries of the named indices have come back from the snapshot. */
  progress(indices: readonly string[]): Promise<RestoreProgress>;
}

export interface RestorePlan {
  /** Indices and data streams; none when only features or the global state come back. */
  readonly indices: readonly string[];
  readonly featureStates: readonly string[];
  readonly includeGlobalState: boolean;
  readonly rename: Renaming | undefined;
  /** Data streams under the names that they will have. */
  readonly dataStreams: readonly string[];
  /** Indices under the names that they will have, those of data streams and features too. */
  readonly restored: readonly string[];
  /** Settings of the restored indices. @default those of the snapshot, with their aliases */
  readonly settings?: RestoreSettings;
}

/** A regular expression and what takes the place of its matches, as Elasticsearch reads them. */
export interface Renaming {
  readonly pattern: string;
  readonly replacement: string;
}

export interface RestoreSettings {
  readonly set: Readonly<Record<string, string | number | boolean>>;
  readonly ignore: readonly string[];
  readonly aliases: boolean;
}

export interface RestoreProgress {
  readonly shards: number;
  readonly done: number;
  readonly unassigned: number;
  readonly bytesTotal: number;
  readonly bytesRecovered: number;
}

/** The contents of a cluster, as a recovery reads them. */
export interface ClusterContents {
  /** Every index and data stream, hidden ones too. */
  names(): Promise<{ readonly indices: readonly string[]; readonly dataStreams: readonly string[] }>;
  /** Primaries of these indices that are not started, and the indices of those that no node takes. */
  missingPrimaries(
    indices: readonly string[],
  ): Promise<{ readonly arriving: number; readonly failed: readonly string[] }>;
  /** Flat. */
  persistentSettings(): Promise<Readonly<Record<string, unknown>>>;
  resetSettings(keys: readonly string[]): Promise<void>;
  counts(): Promise<ContentCounts>;
}

/** Users and roles without the built-in ones. */
export interface ContentCounts {
  readonly documents: number;
  readonly users: number;
  readonly roles: number;
  readonly templates: number;
  readonly ilmPolicies: number;
  readonly slmPolicies: number;
}

/** Index and snapshot lifecycle management. */
export interface LifecycleManagement {
  state(): Promise<LifecycleState>;
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** The progress of recoveries, by the cluster's UUID. */
export interface RecoveryNotes {
  read(clusterUuid: string): Promise<RecoveryNote | undefined>;
  write(clusterUuid: string, note: RecoveryNote): Promise<void>;
}

/** The indices of a restore drill, and what they are compared with. */
export interface DrillIndices {
  /** Names of the indices that drills have made. */
  names(): Promise<readonly string[]>;
  /** Documents by index. */
  documents(): Promise<ReadonlyMap<string, number>>;
  /** Sizes by index of a snapshot. */
  sizes(repository: string, snapshot: string): Promise<ReadonlyMap<string, DrillSize>>;
  /** Undefined when there is no such index. */
  content(index: string): Promise<DrillContent | undefined>;
  /** Deletes an index of a drill; any other name is refused. */
  remove(index: string): Promise<void>;
}

export interface DrillNotes {
  read(): Promise<DrillState | undefined>;
  write(state: DrillState): Promise<void>;
}

export interface SnapshotPolicies {
  list(): Promise<Readonly<Record<string, SlmPolicy>>>;
  put(id: string, policy: SlmPolicy): Promise<void>;
  remove(id: string): Promise<void>;
  retentionSchedule(): Promise<string | undefined>;
  setRetentionSchedule(schedule: string): Promise<void>;
}

export interface SnapshotHistory {
  /** Of every policy; none when there is no policy. */
  policyRuns(): Promise<readonly PolicyRuns[]>;
}
