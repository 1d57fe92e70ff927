import { TerminalError } from '@drover/core';
import type { RepositoryVerification } from '../model/snapshot.ts';
import type { RepositoryPlace, SnapshotRepositories } from '../snapshot-ports.ts';

/** Registers a repository and has every node prove that it can write there. */
export async function registerRepository(
  repositories: SnapshotRepositories,
  repository: string,
  place: RepositoryPlace,
): Promise<RepositoryVerification> {
  await repositories.register(repository, place);
  return await verifyRepository(repositories, repository, place.bucket);
}

/** Has every node prove that it can write there. */
export async function verifyRepository(
  repositories: SnapshotRepositories,
  repository: string,
  bucket: string,
): Promise<RepositoryVerification> {
  const verification = await repositories.verify(repository);
  const { failures } = verification;
  if (failures.length === 0) return verification;
  const nodes = failures.map(({ node, why }) => `${node}: ${why}`).join('; ');
  throw new TerminalError(`repository ${repository} cannot be used by ${failures.length} nodes: ${nodes}`, {
    remedy: `the instance role needs s3:ListBucket on ${bucket} and s3:GetObject, s3:PutObject, s3:DeleteObject on its objects; the metadata service must respond to the node`,
  });
}

/** Registers the repository if it is missing and a bucket is known; returns whether it did. */
export async function ensureRepository(
  repositories: SnapshotRepositories,
  repository: string,
  place: RepositoryPlace | undefined,
): Promise<boolean> {
  if (await repositories.exists(repository)) return false;
  if (place === undefined)
    throw new TerminalError(`snapshot repository ${repository} does not exist and no bucket is known`, {
      remedy: `register it: cluster-cli snapshots create-repository ${repository} BUCKET, or put elasticsearch.snapshots_bucket into the facts file`,
    });
  await registerRepository(repositories, repository, place);
  return true;
}
