import { describeError, TransientError } from '@drover/core';
import { drillPrefix } from '@drover/core/names/search-cluster';
import { lowWatermark } from '../../decide/drain/check-disk.ts';
import {
  chooseDrill,
  chooseIndex,
  drillIsDue,
  judgeDrill,
  nodesComeOrGo,
  postpone,
  unsettled,
} from '../../decide/restore/drill.ts';
import { nodeFilters, renamed } from '../../decide/restore/plan-restore.ts';
import type { DrillState } from '../../model/recovery.ts';
import { isDrillCopy } from '../../model/shard.ts';
import type { ClusterHealthReader, DiskReader, ShutdownRecords, TopologyReader } from '../../ports.ts';
import type {
  DrillIndices,
  DrillNotes,
  RestoreProgress,
  SnapshotCatalog,
  SnapshotRestorer,
} from '../../snapshot-ports.ts';
import type { Polling } from '../poll-pause.ts';
import { waitForRestore } from './restore-snapshot.ts';

export interface DrillRun extends Polling {
  readonly repository: string;
  readonly everyDays: number;
  /** Now, whether it is due or not. */
  readonly force: boolean;
  readonly search: {
    readonly health: ClusterHealthReader;
    readonly records: ShutdownRecords;
    readonly disks: DiskReader;
    readonly topology: Pick<TopologyReader, 'topology'>;
    readonly snapshots: SnapshotCatalog;
    readonly restorer: SnapshotRestorer;
    readonly drill: DrillIndices;
  };
  readonly notes: DrillNotes;
  onWait(because: string): void;
}

export interface DrillReport {
  readonly result: 'not-due' | 'postponed' | 'ok' | 'failed';
  readonly because: string;
  readonly snapshot?: string;
  readonly index?: string;
  readonly documents?: number;
}

const rename = { pattern: '^(.+)$', replacement: `${drillPrefix}$1` };
/** The copy has one of each shard, no name but its own, and no lifecycle that could delete or move it. */
const settings = {
  set: { 'index.number_of_replicas': 0, 'index.auto_expand_replicas': false, 'index.hidden': true },
  ignore: [
    'index.lifecycle.name',
    'index.lifecycle.rollover_alias',
    'index.default_pipeline',
    'index.final_pipeline',
    ...nodeFilters,
  ],
  aliases: false,
};

/**
 * Restores one index of the newest snapshot beside the live one, compares them and deletes the copy. A run that dies leaves the copy
 * and no note: it is still due, and the next run begins by deleting what is left.
 */
export async function drill(run: DrillRun): Promise<DrillReport> {
  const now = run.clock.now();
  const known = await run.notes.read();
  const state: DrillState = known ?? { since: now, runs: 0 };
  if (known === undefined) await run.notes.write(state);
  const isDue = drillIsDue(state, run.everyDays, now);
  if (!run.force && !isDue) return { result: 'not-due', because: 'no drill is due' };
  await deleteLeftovers(run);
  const choice = await choose(run, state);
  const tried = choice.kind === 'postponed' ? choice : await restoreAndCompare(run, choice.snapshot, choice.index);
  await deleteLeftovers(run);
  if (tried.kind === 'postponed') {
    // A drill by hand before its time is not waited for.
    if (isDue && state.postponed?.because !== tried.because) await run.notes.write(postpone(state, tried.because, now));
    return { result: 'postponed', because: tried.because };
  }
  const { problem, ...report } = tried.report;
  const { postponed: _over, ...rest } = state;
  const next = { ...rest, runs: state.runs + 1, snapshot: report.snapshot, index: report.index };
  const at = run.clock.now();
  if (problem === undefined) {
    await run.notes.write({ ...next, okAt: at });
    return { ...report, result: 'ok', because: 'the restored index is as it should be' };
  }
  await run.notes.write({ ...next, failedAt: at, failure: problem });
  return { ...report, result: 'failed', because: problem };
}

interface Postponed {
  readonly kind: 'postponed';
  readonly because: string;
}

async function choose(
  run: DrillRun,
  state: DrillState,
): Promise<Postponed | { readonly kind: 'chosen'; readonly snapshot: string; readonly index: string }> {
  const { search } = run;
  const choice = chooseDrill({
    state,
    health: await search.health.health(),
    records: await search.records.list(),
    snapshots: await search.snapshots.list(run.repository),
    documents: await search.drill.documents(),
  });
  if (choice.kind === 'postponed') return choice;
  const snapshot = choice.snapshot.name;
  const chosen = chooseIndex(snapshot, choice.candidates, await search.drill.sizes(run.repository, snapshot), {
    topology: await search.topology.topology(),
    disks: await search.disks.disks(),
    lowWatermark: lowWatermark(await search.disks.settings()),
  });
  return chosen.kind === 'postponed' ? chosen : { kind: 'chosen', snapshot, index: chosen.index };
}

interface Tried {
  readonly kind: 'tried';
  readonly report: {
    readonly snapshot: string;
    readonly index: string;
    readonly documents: number;
    readonly problem?: string | undefined;
  };
}

/** A node is to leave or to restart, and the copy is in its way. */
class GivesWay extends Error {}

async function restoreAndCompare(run: DrillRun, snapshot: string, index: string): Promise<Postponed | Tried> {
  const { restorer, drill: copies } = run.search;
  const copy = renamed(index, rename);
  const plan = { featureStates: [], includeGlobalState: false, rename, dataStreams: [], settings };
  const whole = { ...plan, indices: [index], restored: [copy] };
  const tried = (documents: number, problem?: string): Tried => ({
    kind: 'tried',
    report: { snapshot, index, documents, problem },
  });
  try {
    await restorer.restore(run.repository, snapshot, whole);
    const watched = { ...restorer, progress: () => watch(run, copy) };
    await waitForRestore({ ...run, snapshots: run.search.snapshots, restorer: watched }, whole);
    const restored = await copies.content(copy);
    if (restored === undefined) throw isGone(copy);
    return tried(restored.documents, judgeDrill(await copies.content(index), restored));
  } catch (error) {
    if (error instanceof GivesWay) return { kind: 'postponed', because: nodesComeOrGo };
    // Elasticsearch could not be reached: that says nothing of the snapshot, and the drill is still due.
    if (error instanceof TransientError) throw error;
    const because = unsettled({ health: await run.search.health.health(), records: await run.search.records.list() });
    return because === undefined ? tried(0, describeError(error)) : { kind: 'postponed', because };
  }
}

/** How far the copy has come, unless a node is to leave or to restart meanwhile. */
async function watch({ search }: DrillRun, copy: string): Promise<RestoreProgress> {
  if ((await search.records.list()).length > 0) throw new GivesWay();
  const progress = await search.restorer.progress([copy]);
  if (progress.shards === 0 && !(await search.drill.names()).includes(copy)) throw isGone(copy);
  return progress;
}

/** By a drill of the next elected master, or by hand: it says nothing of the snapshot. */
const isGone = (copy: string) => new TransientError(`${copy} was deleted before it was compared`);

/** By their exact names: never by a pattern, and never a name that is not a drill's. */
async function deleteLeftovers({ search }: DrillRun): Promise<void> {
  for (const name of (await search.drill.names()).filter((index) => isDrillCopy({ index })))
    await search.drill.remove(name);
}
