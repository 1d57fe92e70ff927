import type { JobLoss } from '@drover/cloud-github';

/** What happened to the instance of a lost job, as far as it matters for the blame. */
export interface InstanceFate {
  /** When its termination began. */
  readonly terminatingAt: number | undefined;
  /** When spot capacity was taken away from it. */
  readonly reclaimedAt: number | undefined;
  /** When a fault of the machine struck it. */
  readonly crashedAt: number | undefined;
}

/** Whose fault a lost job was. `ours` is a violation, and so is `never-started`: only the fleet kept it waiting. */
export type Blame =
  | 'spot-reclaim'
  | 'crash'
  | 'dispatch-gap'
  | 'drain-time-over'
  | 'platform-away'
  | 'never-started'
  | 'ours';

/**
 * GitHub's runner gives its job up when it finds GitHub away so often in a row (actions/runner issue 4635). Only requests
 * that reached GitHub count: a runner that we keep from it loses its job by us.
 */
const survivedRequests = 5;

/** A job that is dispatched so shortly before our DELETE, while no Worker exists, cannot be saved. */
const dispatchGapMs = 60_000;

/** Attributes a lost job exactly as the behaviour defines it. Pure. */
export function judgeLoss(loss: JobLoss, fate: InstanceFate, allowedDrainTimeMs: number): Blame {
  if (loss.runner === undefined) return 'never-started';
  if (fate.reclaimedAt !== undefined && loss.lostAt >= fate.reclaimedAt) return 'spot-reclaim';
  if (fate.crashedAt !== undefined && loss.lostAt >= fate.crashedAt) return 'crash';
  if (fate.terminatingAt !== undefined && loss.lostAt - fate.terminatingAt >= allowedDrainTimeMs)
    return 'drain-time-over';
  if (loss.unanswered >= survivedRequests) return 'platform-away';
  const removedAt = loss.runner.removal?.at;
  const dispatchedAt = loss.job.dispatchedAt ?? 0;
  const beforeMs = removedAt === undefined ? Number.NaN : removedAt - dispatchedAt;
  const inGap = !loss.workerExisted && beforeMs >= 0 && beforeMs <= dispatchGapMs;
  return inGap ? 'dispatch-gap' : 'ours';
}
