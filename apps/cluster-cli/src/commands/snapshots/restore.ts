import { snapshotRestorer } from '@drover/adapters/search/restore';
import { snapshotStore } from '@drover/adapters/search/snapshots';
import { renderRefusal } from '@drover/core';
import { planSnapshotRestore, restoredNames, waitForRestore } from '@drover/search-cluster';
import { confirm } from '../../confirm.ts';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { printData } from '../../render/output.ts';
import type { CommandInput } from '../../tree/types.ts';

export async function run(context: Context, { args, options }: CommandInput): Promise<number> {
  const client = context.search();
  const [repository, snapshot] = [args.REPOSITORY!, args.SNAPSHOT!];
  const { clock, random, signal } = context.io;
  const onWait = (because: string) => context.progress.show({ because });
  const work = { clock, random, signal, onWait, snapshots: snapshotStore(client), restorer: snapshotRestorer(client) };
  const wanted = {
    pattern: options.index as string | undefined,
    renamePrefix: options['rename-prefix'] as string | undefined,
  };
  const plan = await planSnapshotRestore(work, repository, snapshot, wanted);
  if ('kind' in plan) {
    context.log.error(renderRefusal(plan));
    return exitCodes.refused;
  }
  const names = restoredNames(plan);
  if (
    !(await confirm(
      context,
      `restore ${names.length} indices (${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}) from ${snapshot}`,
      options.yes === true,
    ))
  )
    return exitCodes.refused;
  await work.restorer.restore(repository, snapshot, plan);
  if (options.wait === true) await waitForRestore(work, plan);
  await printData({ repository, snapshot, indices: names }, () => `${names.join('\n')}\n`, context.format, context.io);
  return exitCodes.done;
}
