import { describeError, TransientError } from '@drover/core';
import { drillPrefix } from '@drover/core/names/search-cluster';
import { chooseDrill, drillIsDue, drillLimitBytes, judgeDrill } from '../../decide/restore/drill.ts';
import { nodeFilters, renamed } from '../../decide/restore/plan-restore.ts';
import type { DrillState } from '../../model/recovery.ts';
import type { ClusterHealthReader, DiskReader, ShutdownRecords } from '../../ports.ts';
import type { DrillIndices, DrillNotes, SnapshotCatalog, SnapshotRestorer } from '../../snapshot-ports.ts';
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
  if (!run.force && !drillIsDue(state, run.everyDays, now)) return { result: 'not-due', because: 'no drill is due' };
  await deleteLeftovers(run);
  const { search } = run;
  const disks = await search.disks.disks();
  const choice = chooseDrill({
    state,
    disks,
    health: await search.health.health(),
    records: await search.records.list(),
    snapshots: await search.snapshots.list(run.repository),
    documents: await search.drill.documents(),
  });
  if (choice.kind === 'postponed') return { result: 'postponed', because: choice.because };
  const { snapshot, candidates } = choice;
  const sizes = await search.drill.sizes(run.repository, snapshot.name);
  const limit = drillLimitBytes(disks);
  const index = candidates.find((name) => (sizes.get(name) ?? Number.POSITIVE_INFINITY) <= limit);
  if (index === undefined)
    return {
      result: 'postponed',
      because: `every index of ${snapshot.name} is larger than ${Math.floor(limit)} bytes`,
    };
  const report = { snapshot: snapshot.name, index };
  const { problem, documents } = await restoreAndCompare(run, snapshot.name, index);
  await deleteLeftovers(run);
  const at = run.clock.now();
  const runs = state.runs + 1;
  if (problem === undefined) {
    await run.notes.write({ ...state, runs, okAt: at, snapshot: snapshot.name, index });
    return { ...report, result: 'ok', because: 'the restored index is as it should be', documents };
  }
  await run.notes.write({ ...state, runs, failedAt: at, failure: problem, snapshot: snapshot.name, index });
  return { ...report, result: 'failed', because: problem, documents };
}

async function restoreAndCompare(run: DrillRun, snapshot: string, index: string) {
  const { restorer, drill: copies } = run.search;
  const copy = renamed(index, rename);
  const plan = { featureStates: [], includeGlobalState: false, rename, dataStreams: [], settings };
  try {
    await restorer.restore(run.repository, snapshot, { ...plan, indices: [index], restored: [copy] });
    await waitForRestore(
      { ...run, snapshots: run.search.snapshots, restorer },
      { ...plan, indices: [index], restored: [copy] },
    );
    const restored = await copies.content(copy);
    const problem =
      restored === undefined ? 'the restored index is gone' : judgeDrill(await copies.content(index), restored);
    return { problem, documents: restored?.documents ?? 0 };
  } catch (error) {
    // Elasticsearch could not be reached: that says nothing of the snapshot, and the drill is still due.
    if (error instanceof TransientError) throw error;
    return { problem: describeError(error), documents: 0 };
  }
}

/** By their exact names: never by a pattern, and never a name that is not a drill's. */
async function deleteLeftovers({ search }: DrillRun): Promise<void> {
  for (const name of (await search.drill.names()).filter((index) => index.startsWith(drillPrefix)))
    await search.drill.remove(name);
}
