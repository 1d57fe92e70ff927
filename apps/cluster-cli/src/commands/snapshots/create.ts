import { healthReader } from '@drover/adapters/search/health';
import { snapshotRepositories } from '@drover/adapters/search/repositories';
import { snapshotStore } from '@drover/adapters/search/snapshots';
import { createSnapshot, waitForSnapshot } from '@drover/search-cluster';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { printData } from '../../render/output.ts';
import type { CommandInput } from '../../tree/types.ts';

export async function run(context: Context, { args, options }: CommandInput): Promise<number> {
  const client = context.search();
  const repository = args.REPOSITORY!;
  const bucket = (options['bucket-name'] as string | undefined) ?? (await context.facts()).snapshotsBucket;
  const { clock, random, signal } = context.io;
  const work = {
    clock,
    random,
    signal,
    health: healthReader(client),
    repositories: snapshotRepositories(client),
    snapshots: snapshotStore(client),
    bucket,
    onWait: (because: string) => context.progress.show({ because }),
  };
  const snapshot = await createSnapshot(work, repository);
  await printData({ repository, snapshot }, () => `${snapshot}\n`, context.format, context.io);
  if (options.wait === true) await waitForSnapshot(work, repository, snapshot);
  context.log.info(
    options.wait === true
      ? `snapshot ${snapshot} succeeded`
      : `snapshot ${snapshot} started; look with: cluster-cli snapshots status ${repository} ${snapshot}`,
  );
  return exitCodes.done;
}
