import { drillNotes } from '@drover/adapters/aws';
import { drillIndices, searchRoles, snapshotCatalog, snapshotRestorer } from '@drover/adapters/elasticsearch';
import { TerminalError } from '@drover/core';
import { drillDays, snapshotRepository } from '@drover/core/names/search-cluster';
import { type DrillReport, drill, drillMetrics } from '@drover/search-cluster';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exit.ts';
import { readInstanceFacts, textFact } from '../../facts.ts';

/** Tries a restore now. */
export async function drillNow(context: Context): Promise<number> {
  const report = await carryOut(context, true);
  if (report === undefined) throw new TerminalError('another drill runs on this host');
  await context.print(report, () => `${report.result}: ${report.because}\n`);
  if (report.result === 'failed') return exitCodes.failed;
  return report.result === 'postponed' ? exitCodes.refused : exitCodes.done;
}

/** On the elected master, when a drill is due; publishes what the alarms watch. */
export async function drillIfDue(context: Context): Promise<void> {
  const { restoreDrillDays = drillDays, resourceName } = await context.facts();
  if (restoreDrillDays === 0) return;
  const { elected, topology } = searchRoles(context.search());
  if ((await elected.masterNodeId()) !== (await topology.localNodeId())) return;
  const report = await carryOut(context, false);
  if (report?.result === 'failed') context.log.error(`the restore drill failed: ${report.because}`);
  if (report?.result === 'postponed') context.log.info(`the restore drill waits: ${report.because}`);
  const state = await (await notesOf(context)).read();
  if (state === undefined) return;
  const { roles } = await context.aws();
  const name = resourceName ?? (await topology.topology()).clusterName;
  await roles.metrics.put(name, drillMetrics(state, context.io.clock.now()));
}

/** Undefined while another one runs on this host. */
async function carryOut(context: Context, force: boolean): Promise<DrillReport | undefined> {
  const lock = await context.io.lock.acquire('restore-drill');
  if (lock === undefined) return undefined;
  try {
    const client = context.search();
    const { restoreDrillDays = drillDays } = await context.facts();
    const { clock, random } = context.io;
    const { health, records, disks } = searchRoles(client);
    return await drill({
      clock,
      random,
      repository: snapshotRepository,
      everyDays: restoreDrillDays,
      force,
      search: {
        health,
        records,
        disks,
        snapshots: snapshotCatalog(client),
        restorer: snapshotRestorer(client),
        drill: drillIndices(client),
      },
      notes: await notesOf(context),
      onWait: (because) => context.progress.show({ because }),
    });
  } finally {
    await lock.release();
  }
}

async function notesOf(context: Context) {
  const { clients } = await context.aws();
  return drillNotes(clients, textFact(await readInstanceFacts(context.io.files), 'state_bucket'));
}
