import { snapshotRepositories } from '@drover/adapters/search/repositories';
import { registerRepository } from '@drover/search-cluster';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { printData } from '../../render/output.ts';
import type { CommandInput } from '../../tree/types.ts';

export async function run(context: Context, { args }: CommandInput): Promise<number> {
  const [repository, bucket] = [args.REPOSITORY!, args.BUCKET!];
  const { verifiedBy } = await registerRepository(snapshotRepositories(context.search()), repository, bucket);
  await printData(
    { repository, bucket, verified_by: verifiedBy },
    () => `${verifiedBy.map((node) => `verified ${node}`).join('\n')}\n`,
    context.format,
    context.io,
  );
  context.log.info(`repository ${repository} uses bucket ${bucket}; ${verifiedBy.length} nodes can write there`);
  return exitCodes.done;
}
