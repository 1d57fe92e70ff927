import { healthReader, snapshotRepositories, snapshotStore } from '@drover/adapters/elasticsearch';
import { createSnapshot, waitForSnapshot } from '@drover/search-cluster';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exit.ts';
import { placeOf } from '../../facts.ts';
import type { CommandInput } from '../../tree/tree.ts';

/** Starts a snapshot, and waits for its end if asked to. */
export async function create(context: Context, { args, options }: CommandInput<'snapshots create'>): Promise<number> {
  const client = context.search();
  const repository = args.REPOSITORY;
  const place = placeOf(options.bucketName ?? (await context.facts()).snapshotsBucket);
  const work = {
    ...context.run,
    health: healthReader(client),
    repositories: snapshotRepositories(client),
    snapshots: snapshotStore(client),
    place,
  };
  const snapshot = await createSnapshot(work, repository);
  await context.print({ repository, snapshot }, () => `${snapshot}\n`);
  if (options.wait) await waitForSnapshot(work, repository, snapshot);
  context.log.info(
    options.wait
      ? `snapshot ${snapshot} succeeded`
      : `snapshot ${snapshot} started; look with: cluster-cli snapshots status ${repository} ${snapshot}`,
  );
  return exitCodes.done;
}
