import { snapshotRepositories } from '@drover/adapters/elasticsearch';
import { registerRepository } from '@drover/search-cluster';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exit.ts';
import type { CommandInput } from '../../tree/tree.ts';

/** Registers a bucket as repository and verifies it on every node. */
export async function createRepository(
  context: Context,
  { args }: CommandInput<'snapshots create-repository'>,
): Promise<number> {
  const { REPOSITORY: repository, BUCKET: bucket } = args;
  const { verifiedBy } = await registerRepository(snapshotRepositories(context.search()), repository, { bucket });
  await context.print(
    { repository, bucket, verified_by: verifiedBy },
    () => `${verifiedBy.map((node) => `verified ${node}`).join('\n')}\n`,
  );
  context.log.info(`repository ${repository} uses bucket ${bucket}; ${verifiedBy.length} nodes can write there`);
  return exitCodes.done;
}

/** Removes a repository from the cluster; its snapshots stay in the bucket. */
export async function deleteRepository(
  context: Context,
  { args, options }: CommandInput<'snapshots delete-repository'>,
): Promise<number> {
  const { REPOSITORY: repository } = args;
  if (!(await context.confirm(`forget repository ${repository}`, options.yes))) return exitCodes.refused;
  await context.search().json({ method: 'DELETE', path: `/_snapshot/${encodeURIComponent(repository)}` });
  context.log.info(`repository ${repository} is forgotten; its snapshots stay in the bucket`);
  return exitCodes.done;
}
