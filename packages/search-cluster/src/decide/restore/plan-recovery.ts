import { type Refusal, refuse } from '@drover/core';
import { drillPrefix } from '@drover/core/names/search-cluster';
import type { LifecycleState, RecoveryNote } from '../../model/recovery.ts';
import type { ShutdownRecord } from '../../model/shutdown.ts';
import type { SnapshotContent } from '../../model/snapshot.ts';
import { shorten, streamName } from './plan-restore.ts';

export interface RecoveryFacts {
  readonly repository: {
    readonly name: string;
    readonly bucket: string;
    /** The bucket of another cluster is only read: two writers would destroy its repository. */
    readonly readOnly: boolean;
    readonly registered: boolean;
  };
  /** The snapshot that the operator named. */
  readonly wanted: string | undefined;
  /** Of the repository, the newest first; none while it is not registered. */
  readonly snapshots: readonly SnapshotContent[];
  readonly note: RecoveryNote | undefined;
  /** Whether a recovery that has begun is to go on. */
  readonly resume: boolean;
  /** The present contents of the cluster. */
  readonly indices: readonly string[];
  readonly dataStreams: readonly string[];
  /** Primaries of restored indices that are not there yet, by what they wait for. */
  readonly arriving: number;
  readonly failed: readonly string[];
  readonly lifecycle: LifecycleState;
  readonly records: readonly ShutdownRecord[];
  readonly nodeIds: readonly string[];
  /** Persistent settings, flat. */
  readonly settings: Readonly<Record<string, unknown>>;
}

export type RecoveryStep =
  | { readonly kind: 'register-repository'; readonly readOnly: boolean }
  | { readonly kind: 'begin'; readonly snapshot: string }
  | { readonly kind: 'stop-lifecycle' }
  | { readonly kind: 'restore-state'; readonly features: readonly string[] }
  | { readonly kind: 'delete-records'; readonly nodeIds: readonly string[] }
  | { readonly kind: 'reset-settings'; readonly keys: readonly string[] }
  | { readonly kind: 'restore-security' }
  | { readonly kind: 'set-passwords' }
  | { readonly kind: 'restore-data'; readonly names: readonly string[] }
  | { readonly kind: 'start-lifecycle' }
  | { readonly kind: 'finish' };

export interface RecoveryPlan {
  readonly snapshot: SnapshotContent | undefined;
  /** The remaining steps, in this order. */
  readonly steps: readonly RecoveryStep[];
}

type RefusalName = 'cluster-not-empty' | 'no-usable-snapshot' | 'recovery-in-progress' | 'nothing-to-resume';

/**
 * Plans the remaining way from an empty cluster to the one of the snapshot. The global state comes first, because
 * templates and policies must be there before data streams; records and allocation settings that it brings back go
 * before any shard is placed; users next, so that the secrets of the stack work again while the data arrive.
 */
export function planRecovery(facts: RecoveryFacts): RecoveryPlan | Refusal<RefusalName> {
  const { note, repository } = facts;
  const refusal = refuseCluster(facts);
  if (refusal !== undefined) return refusal;
  const register: RecoveryStep[] = repository.registered
    ? []
    : [{ kind: 'register-repository', readOnly: repository.readOnly }];
  // Without the repository nothing is known of its snapshots.
  if (!repository.registered) return { snapshot: undefined, steps: register };
  const snapshot = chooseSnapshot(facts);
  if ('kind' in snapshot) return snapshot;
  if (note?.done.includes('finished') === true) return { snapshot, steps: [] };
  const begin: RecoveryStep[] = note === undefined ? [{ kind: 'begin', snapshot: snapshot.name }] : [];
  return { snapshot, steps: [...begin, ...restoreSteps(facts, snapshot), { kind: 'finish' }] };
}

function restoreSteps(facts: RecoveryFacts, snapshot: SnapshotContent): RecoveryStep[] {
  const done = facts.note?.done ?? [];
  const features = snapshot.featureStates.map(({ feature }) => feature);
  const secured = features.includes('security');
  const names = missingNames(facts, snapshot);
  const restoring: RecoveryStep[] = [
    ...(done.includes('state')
      ? []
      : [{ kind: 'restore-state' as const, features: features.filter((feature) => feature !== 'security') }]),
    ...staleSteps(facts, done.includes('state')),
    ...(secured && !done.includes('security') ? [{ kind: 'restore-security' as const }] : []),
    ...(secured && !done.includes('passwords') ? [{ kind: 'set-passwords' as const }] : []),
    ...(names.length > 0 ? [{ kind: 'restore-data' as const, names }] : []),
  ];
  const running = facts.lifecycle.ilm === 'RUNNING' || facts.lifecycle.slm === 'RUNNING';
  const stopped = facts.lifecycle.ilm !== 'RUNNING' || facts.lifecycle.slm !== 'RUNNING';
  const unfinished = restoring.length > 0 || facts.arriving > 0;
  return [
    // The global state may start them again.
    ...(unfinished && running ? [{ kind: 'stop-lifecycle' as const }] : []),
    ...restoring,
    ...(unfinished || stopped ? [{ kind: 'start-lifecycle' as const }] : []),
  ];
}

/**
 * Removes what the global state brings back of nodes that are gone: their records, and settings that keep shards off
 * nodes.
 */
function staleSteps({ records, nodeIds, settings }: RecoveryFacts, stateIsBack: boolean): RecoveryStep[] {
  if (!stateIsBack) return [];
  const gone = records.map(({ nodeId }) => nodeId).filter((nodeId) => !nodeIds.includes(nodeId));
  const keys = Object.entries(settings)
    .filter(([key, value]) => isHindrance(key, value))
    .map(([key]) => key);
  return [
    ...(gone.length > 0 ? [{ kind: 'delete-records' as const, nodeIds: gone }] : []),
    ...(keys.length > 0 ? [{ kind: 'reset-settings' as const, keys }] : []),
  ];
}

const isHindrance = (key: string, value: unknown) =>
  (key === 'cluster.routing.allocation.enable' && value !== 'all') ||
  /^cluster\.routing\.allocation\.(include|exclude|require)\._(name|id|ip|host|host_ip|publish_ip)$/.test(key);

function refuseCluster({ note, wanted, indices, resume }: RecoveryFacts) {
  if (note === undefined && resume)
    return refuse('nothing-to-resume', 'no recovery of this cluster has begun', 'leave --resume out');
  if (note !== undefined) {
    const asAsked = wanted === undefined || wanted === note.snapshot;
    if (asAsked && (resume || note.done.includes('finished'))) return undefined;
    return refuse(
      'recovery-in-progress',
      `this cluster is recovered from ${note.snapshot} since ${note.startedAt}`,
      'go on with --resume',
    );
  }
  const own = indices.filter(
    (index) => !(streamName(index) ?? index).startsWith('.') && !index.startsWith(drillPrefix),
  );
  if (own.length === 0) return undefined;
  return refuse(
    'cluster-not-empty',
    `the cluster holds ${shorten(own)}`,
    'recover into a new cluster, delete these indices first, or bring single ones back with: cluster-cli snapshots restore',
  );
}

/** The newest complete one with the global state and data: those that the empty cluster has taken itself hold none. */
function chooseSnapshot({
  snapshots,
  wanted,
  note,
  repository,
}: RecoveryFacts): SnapshotContent | Refusal<RefusalName> {
  const name = note?.snapshot ?? wanted;
  const found = snapshots.find((snapshot) => (name === undefined ? holdsData(snapshot) : snapshot.name === name));
  if (found !== undefined && isComplete(found)) return found;
  const why =
    found !== undefined
      ? `${found.name} is ${found.state}${found.includeGlobalState ? '' : ' and without the global state'}`
      : `${repository.name} (bucket ${repository.bucket}) holds ${name === undefined ? 'no complete snapshot with the global state and data' : `no snapshot ${name}`}`;
  return refuse('no-usable-snapshot', why, 'name another one with --snapshot: cluster-cli snapshots list');
}

const isComplete = ({ state, includeGlobalState }: SnapshotContent) => state === 'SUCCESS' && includeGlobalState;

const holdsData = (snapshot: SnapshotContent) =>
  isComplete(snapshot) && [...snapshot.dataStreams, ...plainIndices(snapshot)].some((name) => !name.startsWith('.'));

/** Indices that are neither of a feature nor of a data stream, without what a drill has left. */
function plainIndices({ indices, featureStates, dataStreams }: SnapshotContent): string[] {
  const system = new Set(featureStates.flatMap((feature) => feature.indices));
  return indices.filter(
    (index) => !system.has(index) && !dataStreams.includes(streamName(index) ?? '') && !index.startsWith(drillPrefix),
  );
}

/** Data streams and indices that the cluster does not have; one that it has already, such as a log of its own, stays. */
function missingNames({ indices, dataStreams }: RecoveryFacts, snapshot: SnapshotContent): string[] {
  return [
    ...snapshot.dataStreams.filter((stream) => !dataStreams.includes(stream)),
    ...plainIndices(snapshot).filter((index) => !indices.includes(index)),
  ];
}

/** Describes a step to people. */
export function describeStep(step: RecoveryStep): string {
  switch (step.kind) {
    case 'register-repository':
      return step.readOnly ? 'register the repository, read-only' : 'register the repository';
    case 'begin':
      return `begin to recover from ${step.snapshot}`;
    case 'stop-lifecycle':
      return 'stop index and snapshot lifecycle management';
    case 'restore-state':
      return `restore the global state${step.features.length === 0 ? '' : ` and the features ${step.features.join(', ')}`}`;
    case 'delete-records':
      return `delete shutdown records of nodes that are gone: ${shorten(step.nodeIds)}`;
    case 'reset-settings':
      return `reset ${step.keys.join(', ')}`;
    case 'restore-security':
      return 'restore users, roles and keys';
    case 'set-passwords':
      return 'set the passwords of the secrets again';
    case 'restore-data':
      return `restore ${step.names.length} indices and data streams`;
    case 'start-lifecycle':
      return 'start index and snapshot lifecycle management';
    case 'finish':
      return 'verify and finish';
  }
}
