import { TerminalError } from '@drover/core';
import { retentionSchedule, snapshotRepository } from '@drover/core/names/search-cluster';
import { driftOf, type PolicySet, type PolicyState } from '../decide/snapshots.ts';
import type { SlmPolicy } from '../model/snapshot.ts';
import type { ClusterSettings } from '../ports.ts';
import type { RepositoryPlace, SnapshotPolicies, SnapshotRepositories } from '../snapshot-ports.ts';
import { ensureRepository } from './ensure-repository.ts';

export interface PolicyReport {
  readonly policy: string;
  readonly state: PolicyState;
  /** Keys that differ from what is wanted. */
  readonly differs: readonly string[];
}

export interface InstallPoliciesRun {
  readonly policies: SnapshotPolicies;
  readonly repositories: SnapshotRepositories;
  /** Of a repository that is missing. */
  readonly place: RepositoryPlace | undefined;
}

/** Name of the row that reports the retention schedule. */
export const retentionRow = 'slm.retention_schedule';

/** Compares what the server has with what is wanted, without changing it. */
export async function checkPolicies(
  run: Pick<InstallPoliciesRun, 'policies'>,
  wanted: PolicySet,
): Promise<readonly PolicyReport[]> {
  const found = await run.policies.list();
  const schedule = await run.policies.retentionSchedule();
  return [
    ...Object.entries(wanted).map(([id, policy]) => compare(id, policy, found[id])),
    {
      policy: retentionRow,
      state: schedule === retentionSchedule ? 'unchanged' : 'drifted',
      differs: schedule === retentionSchedule ? [] : [`${schedule ?? 'not set'}`],
    },
  ];
}

/** Keeps a cluster setting as it is wanted. */
export async function keepSetting(
  settings: ClusterSettings,
  name: string,
  wanted: string,
): Promise<'unchanged' | 'created' | 'changed'> {
  const found = await settings.persistent(name);
  if (found === wanted) return 'unchanged';
  await settings.setPersistent(name, wanted);
  return found === undefined ? 'created' : 'changed';
}

/** Installs the policies: an unknown repository would be refused, so that comes first. */
export async function installPolicies(run: InstallPoliciesRun, wanted: PolicySet): Promise<readonly PolicyReport[]> {
  const named = Object.values(wanted).map((policy) => policy.repository);
  // Also a cluster without policies has its repository.
  for (const repository of named.length === 0 ? [snapshotRepository] : new Set(named))
    await ensureRepository(run.repositories, repository, run.place);
  const before = await checkPolicies(run, wanted);
  for (const { policy, state } of before) if (state !== 'unchanged') await put(run, policy, wanted[policy]);
  const after = await checkPolicies(run, wanted);
  return before.map((was, at) => outcome(was, after[at]!));
}

async function put({ policies }: InstallPoliciesRun, id: string, policy: SlmPolicy | undefined): Promise<void> {
  if (policy === undefined) await policies.setRetentionSchedule(retentionSchedule);
  else await policies.put(id, policy);
}

function compare(id: string, wanted: SlmPolicy, found: SlmPolicy | undefined): PolicyReport {
  if (found === undefined) return { policy: id, state: 'missing', differs: [] };
  const differs = driftOf(wanted, found);
  return { policy: id, state: differs.length === 0 ? 'unchanged' : 'drifted', differs };
}

/** Success is judged by the server's state afterwards, not by its response. */
function outcome(was: PolicyReport, is: PolicyReport): PolicyReport {
  if (is.state !== 'unchanged')
    throw new TerminalError(
      `policy ${is.policy} is still ${is.state} after it was installed (${is.differs.join(', ')})`,
    );
  if (was.state === 'unchanged') return was;
  return { ...was, state: was.state === 'missing' ? 'created' : 'changed' };
}
