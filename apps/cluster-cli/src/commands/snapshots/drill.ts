import { drillNotes } from '@drover/adapters/aws';
import { drillIndices, searchRoles, snapshotCatalog, snapshotRestorer } from '@drover/adapters/elasticsearch';
import { TerminalError } from '@drover/core';
import { drillDays, snapshotRepository } from '@drover/core/names/search-cluster';
import { type DrillReport, drill } from '@drover/search-cluster';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exit.ts';
import { hasStateBucket, stateBucket } from '../../facts.ts';

/** Tries a restore now. */
export async function drillNow(context: Context): Promise<number> {
  const report = await carryOut(context, true);
  if (report === undefined) throw new TerminalError('another drill runs on this host');
  await context.print(report, () => `${report.result}: ${report.because}\n`);
  if (report.result === 'failed') return exitCodes.failed;
  return report.result === 'postponed' ? exitCodes.refused : exitCodes.done;
}

/** Called on the elected master. What becomes of it is published with the next metrics. */
export async function drillIfDue(context: Context): Promise<void> {
  const report = await carryOut(context, false);
  if (report?.result === 'failed') context.log.error(`the restore drill failed: ${report.because}`);
  if (report?.result === 'postponed') context.log.info(`the restore drill waits: ${report.because}`);
}

/** Undefined while another one runs on this host. */
async function carryOut(context: Context, force: boolean): Promise<DrillReport | undefined> {
  const lock = await context.io.lock.acquire('restore-drill');
  if (lock === undefined) return undefined;
  try {
    const client = context.search();
    const { restoreDrillDays = drillDays } = await context.facts();
    const { health, records, disks, topology } = searchRoles(client);
    return await drill({
      ...context.run,
      repository: snapshotRepository,
      everyDays: restoreDrillDays,
      force,
      search: {
        health,
        records,
        disks,
        topology,
        snapshots: snapshotCatalog(client),
        restorer: snapshotRestorer(client),
        drill: drillIndices(client),
      },
      notes: await notesOf(context),
    });
  } finally {
    await lock.release();
  }
}

/** Where drills are noted; undefined where the cluster has none, or no state bucket to note them in. */
export async function drillNotesOf(context: Context) {
  const { restoreDrillDays = drillDays } = await context.facts();
  if (restoreDrillDays === 0 || !(await hasStateBucket(context.io.files))) return undefined;
  return { notes: await notesOf(context) };
}

async function notesOf(context: Context) {
  const { clients } = await context.aws();
  return drillNotes(clients, await stateBucket(context.io.files));
}
