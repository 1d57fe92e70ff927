import { TerminalError } from '@drover/core';
import type { RepositoryVerification } from '../model/snapshot.ts';
import type { SnapshotRepositories } from '../snapshot-ports.ts';

/** Registers a repository and has every node prove that it can write there. */
export async function registerRepository(
  repositories: SnapshotRepositories,
  repository: string,
  bucket: string,
): Promise<RepositoryVerification> {
  await repositories.register(repository, bucket);
  const verification = await repositories.verify(repository);
  if (verification.failures.length > 0) throw verificationFailed(repository, bucket, verification);
  return verification;
}

/** Registers the repository if it is missing and a bucket is known; returns whether it did. */
export async function ensureRepository(
  repositories: SnapshotRepositories,
  repository: string,
  bucket: string | undefined,
): Promise<boolean> {
  if (await repositories.exists(repository)) return false;
  if (bucket === undefined)
    throw new TerminalError(`snapshot repository ${repository} does not exist and no bucket is known`, {
      remedy: `register it: cluster-cli snapshots create-repository ${repository} BUCKET, or put elasticsearch.snapshots_bucket into the facts file`,
    });
  await registerRepository(repositories, repository, bucket);
  return true;
}

function verificationFailed(repository: string, bucket: string, { failures }: RepositoryVerification): TerminalError {
  const nodes = failures.map(({ node, why }) => `${node}: ${why}`).join('; ');
  return new TerminalError(`repository ${repository} cannot be used by ${failures.length} nodes: ${nodes}`, {
    remedy: `the instance role needs s3:ListBucket on ${bucket} and s3:GetObject, s3:PutObject, s3:DeleteObject on its objects; the metadata service must respond to the node`,
  });
}
