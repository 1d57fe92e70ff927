import { describeError, type Refusal, TerminalError, type WaitEnd, type WaitStep, waitFor } from '@drover/core';
import {
  describeStep,
  planRecovery,
  type RecoveryFacts,
  type RecoveryPlan,
  type RecoveryStep,
} from '../../decide/restore/plan-recovery.ts';
import { nodeFilters } from '../../decide/restore/plan-restore.ts';
import type { RecoveryMark, RecoveryNote } from '../../model/recovery.ts';
import type { ShutdownRecords, TopologyReader } from '../../ports.ts';
import type {
  ClusterContents,
  LifecycleManagement,
  RecoveryNotes,
  SnapshotCatalog,
  SnapshotRepositories,
  SnapshotRestorer,
} from '../../snapshot-ports.ts';
import { type Polling, polling } from '../poll-pause.ts';

export interface RecoverRun extends Polling {
  readonly repository: RecoveryFacts['repository'];
  readonly wanted: string | undefined;
  readonly resume: boolean;
  readonly search: {
    readonly topology: TopologyReader;
    readonly records: ShutdownRecords;
    readonly repositories: SnapshotRepositories;
    readonly snapshots: SnapshotCatalog;
    readonly restorer: SnapshotRestorer;
    readonly contents: ClusterContents;
    readonly lifecycle: LifecycleManagement;
  };
  readonly notes: RecoveryNotes;
  /** Gives every user of the stack the password of its secret. */
  setPasswords(): Promise<void>;
  onWait(because: string): void;
  onAction(what: string): void;
}

export interface RecoveryCheck {
  readonly what: string;
  readonly found: string;
  readonly ok: boolean;
}

export type RecoveryOutcome =
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'ended'; readonly plan: RecoveryPlan };

const waitLimitMs = 48 * 3_600_000;
/** A primary that failed is tried again by Elasticsearch; after so many readings without any that arrives it has given up. */
const stalledRounds = 5;

/** Forecasts a recovery, without any act. */
export const forecastRecovery = async (run: RecoverRun): Promise<RecoveryPlan | Refusal> =>
  planRecovery((await gather(run, run.resume)).facts);

/**
 * Brings everything back into an empty cluster, step by step. What the cluster does not show is noted in the state bucket: a run that
 * dies is followed by one that goes on, and each step may be repeated.
 */
export async function recoverCluster(run: RecoverRun): Promise<WaitEnd<RecoveryOutcome>> {
  let stalled = 0;
  let begun = run.resume;
  return await waitFor<Gathered, RecoveryStep, RecoveryOutcome>({
    ...polling(run, 3),
    deadlineAt: run.clock.now() + waitLimitMs,
    gather: () => gather(run, begun),
    // While the security index is replaced no user can log in for a moment.
    onGatherError: (error) => {
      if (error instanceof TerminalError) throw error;
      run.onWait(describeError(error));
    },
    decide: ({ facts }) => {
      stalled = facts.failed.length > 0 && facts.arriving === facts.failed.length ? stalled + 1 : 0;
      return decide(facts, stalled >= stalledRounds);
    },
    apply: async (step, gathered) => {
      run.onAction(describeStep(step));
      await apply(run, step, gathered);
      begun ||= step.kind === 'begin';
    },
    onWait: (because) => run.onWait(because),
  });
}

/** One step at a time, and none that restores while the shards of the last one arrive. */
function decide(facts: RecoveryFacts, givenUp: boolean): WaitStep<RecoveryStep, RecoveryOutcome> {
  const plan = planRecovery(facts);
  if ('kind' in plan) return { kind: 'done', outcome: { kind: 'refused', refusal: plan } };
  const [next] = plan.steps;
  if (next === undefined) return { kind: 'done', outcome: { kind: 'ended', plan } };
  const waits = !['register-repository', 'begin', 'stop-lifecycle', 'delete-records', 'reset-settings'].includes(
    next.kind,
  );
  if (waits && facts.arriving > 0 && !givenUp) return { kind: 'wait', because: `${facts.arriving} primaries arrive` };
  // A permanent failure stays: the rest of the cluster is brought back all the same, and the end says what is missing.
  if (next.kind === 'finish' && facts.failed.length > 0) return { kind: 'done', outcome: { kind: 'ended', plan } };
  return { kind: 'wait', because: describeStep(next), actions: [next] };
}

interface Gathered {
  readonly facts: RecoveryFacts;
  readonly clusterUuid: string;
}

async function gather(run: RecoverRun, resume: boolean): Promise<Gathered> {
  const { search } = run;
  const { clusterUuid, nodes } = await search.topology.topology();
  if (clusterUuid === undefined) throw new Error('the cluster has not formed');
  const registered = await search.repositories.exists(run.repository.name);
  const note = await run.notes.read(clusterUuid);
  const present = await search.contents.names();
  const snapshots = registered ? await search.snapshots.list(run.repository.name) : [];
  const from = snapshots.find(({ name }) => name === note?.snapshot)?.indices ?? [];
  const primaries = await search.contents.missingPrimaries(from);
  return {
    clusterUuid,
    facts: {
      ...present,
      ...primaries,
      repository: { ...run.repository, registered },
      wanted: run.wanted,
      resume,
      snapshots,
      note,
      lifecycle: await search.lifecycle.state(),
      records: await search.records.list(),
      nodeIds: nodes.map(({ id }) => id),
      settings: await search.contents.persistentSettings(),
    },
  };
}

async function apply(run: RecoverRun, step: RecoveryStep, { facts, clusterUuid }: Gathered): Promise<void> {
  const { search, repository } = run;
  const restore = (indices: readonly string[], featureStates: readonly string[], includeGlobalState: boolean) =>
    search.restorer.restore(repository.name, facts.note!.snapshot, {
      indices,
      featureStates,
      includeGlobalState,
      rename: undefined,
      dataStreams: [],
      restored: [],
      settings: { set: {}, ignore: nodeFilters, aliases: true },
    });
  const mark = (done: RecoveryMark) => note(run, clusterUuid, { ...facts.note!, done: [...facts.note!.done, done] });
  switch (step.kind) {
    case 'register-repository':
      return await search.repositories.register(repository.name, {
        bucket: repository.bucket,
        readOnly: step.readOnly,
      });
    case 'begin': {
      const startedAt = new Date(run.clock.now()).toISOString();
      return await note(run, clusterUuid, {
        repository: repository.name,
        snapshot: step.snapshot,
        startedAt,
        done: [],
      });
    }
    case 'stop-lifecycle':
      return await search.lifecycle.stop();
    case 'restore-state':
      await restore([], step.features, true);
      return await mark('state');
    case 'delete-records':
      for (const nodeId of step.nodeIds) await search.records.withdraw(nodeId);
      return;
    case 'reset-settings':
      return await search.contents.resetSettings(step.keys);
    case 'restore-security':
      await restore([], ['security'], false);
      return await mark('security');
    case 'set-passwords':
      await run.setPasswords();
      return await mark('passwords');
    case 'restore-data':
      return await restore(step.names, [], false);
    case 'start-lifecycle':
      return await search.lifecycle.start();
    case 'finish':
      return await mark('finished');
  }
}

const note = (run: RecoverRun, clusterUuid: string, text: RecoveryNote) => run.notes.write(clusterUuid, text);

/** Compares the contents of the cluster after a recovery with those of the snapshot. */
export async function verifyRecovery(run: RecoverRun): Promise<readonly RecoveryCheck[]> {
  const { facts } = await gather(run, true);
  const snapshot = facts.snapshots.find(({ name }) => name === facts.note?.snapshot);
  if (snapshot === undefined) return [];
  const { documents, users, roles, ilmPolicies, templates, slmPolicies } = await run.search.contents.counts();
  const bare = await run.search.restorer.withoutTemplate(snapshot.dataStreams);
  const missing = snapshot.indices.filter((index) => !facts.indices.includes(index));
  const features = snapshot.featureStates.filter(({ indices }) =>
    indices.every((index) => facts.indices.includes(index)),
  );
  const streams = snapshot.dataStreams.filter((stream) => facts.dataStreams.includes(stream));
  const gone = facts.records.filter(({ nodeId }) => !facts.nodeIds.includes(nodeId));
  const count = (what: string, found: number, of: number) => ({ what, found: `${found} of ${of}`, ok: found === of });
  const told = (what: string, found: number) => ({ what, found: String(found), ok: true });
  return [
    count('indices', snapshot.indices.length - missing.length, snapshot.indices.length),
    { what: 'indices with a failed primary', found: facts.failed.join(', ') || '0', ok: facts.failed.length === 0 },
    told('documents', documents),
    count('data streams', streams.length, snapshot.dataStreams.length),
    { what: 'data streams that cannot roll over', found: bare.join(', ') || '0', ok: bare.length === 0 },
    count('features', features.length, snapshot.featureStates.length),
    told('users', users),
    told('roles', roles),
    told('index templates', templates),
    told('index lifecycle policies', ilmPolicies),
    told('snapshot policies', slmPolicies),
    { what: 'stale shutdown records', found: String(gone.length), ok: gone.length === 0 },
    {
      what: 'index and snapshot lifecycle management',
      found: `${facts.lifecycle.ilm}, ${facts.lifecycle.slm}`,
      ok: facts.lifecycle.ilm === 'RUNNING' && facts.lifecycle.slm === 'RUNNING',
    },
  ];
}
