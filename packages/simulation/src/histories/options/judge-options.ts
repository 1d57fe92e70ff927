import type { CodeHost } from '@drover/cloud-github';
import { replicaRepository } from '@drover/core/names/search-cluster';
import type { HistoryWorld } from '../history-world.ts';

const hour = 3_600_000;

type WorkflowRun = ReturnType<CodeHost['runs']['of']>[number];

/** Checks the promises of inputs that are off by default, when a history is over. */
export async function judgeOptions(history: HistoryWorld): Promise<void> {
  const { codeHost } = history.fleet;
  for (const run of codeHost.runs.of(`${codeHost.org}/app`)) judgeRun(history, run);
  const { snapshotReplicaBucket, passwordRotationDays } = history.inputs.cluster;
  // A snapshot is taken each day; a password is announced ten hours after the history began, and taken into use a day later.
  const wentOnFor = history.clock.now() - history.openedAt;
  if (snapshotReplicaBucket !== undefined && wentOnFor > 26 * hour) await judgeReplica(history);
  if (passwordRotationDays !== undefined && wentOnFor > 40 * hour) judgePasswords(history);
}

/** A job is run again once at most, and only one that was interrupted. */
function judgeRun(history: HistoryWorld, run: WorkflowRun): void {
  const { fleetCheckers } = history;
  const { rerunInterruptedJobs } = history.inputs.fleet;
  const definitions = new Set(run.jobs.map(({ definition }) => definition));
  for (const definition of definitions) {
    const [first, second, ...more] = run.jobs.filter((one) => one.definition === definition);
    const of = `job ${first!.job.id} of run ${run.id}`;
    const account = first!.job.state === 'lost' ? fleetCheckers.accountOf(first!.job.id) : first!.job.state;
    history.expect(more.length === 0, `${of} was run ${more.length + 2} times`);
    history.expect(second === undefined || account === 'spot-reclaim', `${of} was run again: ${account}`);
    const isLeft = account === 'spot-reclaim' && second === undefined && rerunInterruptedJobs === true;
    history.expect(!isLeft || !history.alwaysReruns, `${of} was interrupted, and is not run again`);
  }
}

async function judgeReplica(history: HistoryWorld): Promise<void> {
  const { snapshots = [] } = await history.cluster.ask<{ snapshots?: readonly { readonly state: string }[] }>(
    'GET',
    `/_snapshot/${replicaRepository}/_all`,
  );
  history.expect(
    snapshots.some(({ state }) => state === 'SUCCESS'),
    'the bucket of the other region has no snapshot',
  );
}

/** They were as old as they may become when the history began. */
function judgePasswords(history: HistoryWorld): void {
  const isNew = history.cluster.elasticPassword() !== history.firstPassword;
  history.expect(isNew, 'the password of elastic was not replaced');
}
