import { snapshotRestorer, snapshotStore } from '@drover/adapters/elasticsearch';
import { renderRefusal } from '@drover/core';
import { planSnapshotRestore, restoredNames, waitForRestore } from '@drover/search-cluster';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exit.ts';
import type { CommandInput } from '../../tree/tree.ts';

/** Restores indices from a snapshot. */
export async function restore(context: Context, { args, options }: CommandInput<'snapshots restore'>): Promise<number> {
  const client = context.search();
  const { REPOSITORY: repository, SNAPSHOT: snapshot } = args;
  const { clock, random, signal } = context.io;
  const onWait = (because: string) => context.progress.show({ because });
  const work = { clock, random, signal, onWait, snapshots: snapshotStore(client), restorer: snapshotRestorer(client) };
  const wanted = { pattern: options.index, renamePrefix: options['rename-prefix'] };
  const plan = await planSnapshotRestore(work, repository, snapshot, wanted);
  if ('kind' in plan) {
    context.log.error(renderRefusal(plan));
    return exitCodes.refused;
  }
  const names = restoredNames(plan);
  if (
    !(await context.confirm(
      `restore ${names.length} indices (${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}) from ${snapshot}`,
      options.yes,
    ))
  )
    return exitCodes.refused;
  await work.restorer.restore(repository, snapshot, plan);
  if (options.wait) await waitForRestore(work, plan);
  await context.print({ repository, snapshot, indices: names }, () => `${names.join('\n')}\n`);
  return exitCodes.done;
}
