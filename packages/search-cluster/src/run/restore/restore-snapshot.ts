import { type Refusal, TerminalError, type WaitStep, waitFor } from '@drover/core';
import { planRestore, type RestoreWish, shorten } from '../../decide/restore/plan-restore.ts';
import type { RestorePlan, RestoreProgress, SnapshotCatalog, SnapshotRestorer } from '../../snapshot-ports.ts';
import { type Polling, polling } from '../poll-pause.ts';

export interface RestoreRun extends Polling {
  readonly snapshots: SnapshotCatalog;
  readonly restorer: SnapshotRestorer;
  onWait(because: string): void;
}

const waitLimitMs = 48 * 3_600_000;

/** Plans a restore, or says why it is refused. */
export async function planSnapshotRestore(
  run: Pick<RestoreRun, 'snapshots' | 'restorer'>,
  repository: string,
  snapshot: string,
  wish: RestoreWish,
): Promise<RestorePlan | Refusal> {
  const facts = await run.snapshots.content(repository, snapshot);
  return planRestore({ ...wish, snapshot: facts, open: await run.restorer.openIndices() });
}

/** Waits until every primary is back; the cluster's colour would lie (a restoring primary shows as yellow). */
export async function waitForRestore(run: RestoreRun, plan: RestorePlan): Promise<void> {
  const names = plan.restored;
  // The global state alone is there at once.
  if (names.length === 0) return;
  const end = await waitFor<RestoreProgress, never, 'restored' | 'failed'>({
    ...polling(run),
    deadlineAt: run.clock.now() + waitLimitMs,
    gather: () => run.restorer.progress(names),
    decide: decideRestore,
    onWait: run.onWait,
  });
  if (end.kind === 'done' && end.outcome === 'restored') return;
  throw new TerminalError(`the restore of ${shorten(names)} did not succeed`, {
    remedy: 'see why: cluster-cli cluster allocation-explain',
  });
}

function decideRestore(facts: RestoreProgress, _now: number, round: number): WaitStep<never, 'restored' | 'failed'> {
  if (facts.shards > 0 && facts.done === facts.shards) return { kind: 'done', outcome: 'restored' };
  const active = facts.shards - facts.done - facts.unassigned;
  if (round > 5 && active === 0 && facts.unassigned > 0) return { kind: 'done', outcome: 'failed' };
  return { kind: 'wait', because: `${facts.done} of ${facts.shards} primaries restored` };
}
