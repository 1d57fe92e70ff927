import { replicaPolicy, replicaRepository } from '@drover/core/names/search-cluster';
import { builtInPolicies } from '../decide/snapshots.ts';
import type { RepositoryPlace, SnapshotPolicies, SnapshotRepositories } from '../snapshot-ports.ts';
import { verifyRepository } from './ensure-repository.ts';
import { installPolicies, type PolicyReport, retentionRow } from './install-policies.ts';

export interface ReplicaRun {
  readonly policies: SnapshotPolicies;
  readonly repositories: SnapshotRepositories;
  readonly clusterName: string;
  /** Undefined without the input. */
  readonly place: RepositoryPlace | undefined;
}

/**
 * Keeps the repository that the input names, and its policy. Without the input both are forgotten, and the snapshots stay in the bucket:
 * a policy that can write no longer would be overdue for good.
 */
export async function keepReplica(run: ReplicaRun): Promise<readonly PolicyReport[]> {
  const { repositories, place } = run;
  const known = await repositories.placeOf(replicaRepository);
  if (place === undefined) return known === undefined ? [] : await forgetReplica(run);
  const isOther = known?.bucket !== place.bucket || known.client !== (place.client ?? 'default');
  if (isOther) await repositories.register(replicaRepository, place);
  const reports = await installPolicies(run, builtInPolicies(run.clusterName, [replicaPolicy]));
  // The last: a policy that cannot write is overdue after two days, and one that is not there never would be.
  if (isOther) await verifyRepository(repositories, replicaRepository, place.bucket);
  return reports.filter(({ policy }) => policy !== retentionRow);
}

/** The policy first: it would be refused without its repository, and the repository is the sign that something is left to do. */
async function forgetReplica({ policies, repositories }: ReplicaRun): Promise<readonly PolicyReport[]> {
  await policies.remove(replicaPolicy.id);
  await repositories.forget(replicaRepository);
  return [{ policy: replicaPolicy.id, state: 'removed', differs: [] }];
}
