import type { JobLoss } from '@drover/cloud-github';
import type { Beginner } from './who-began.ts';

/** The fate of the instance of a lost job, as far as it matters for the account. */
export interface InstanceFate {
  /** When its termination began, and by whom. */
  readonly terminatingAt: number | undefined;
  readonly begunBy?: Beginner | undefined;
  /** When spot capacity was taken away from it. */
  readonly reclaimedAt: number | undefined;
  /** When a fault of the machine struck it. */
  readonly crashedAt: number | undefined;
  /** When it first lost a job because a job before it had taken its runner's configuration away. */
  readonly brokenAt?: number | undefined;
  /** When the newest process of a job ended on it: of the lost job, or of one before it. */
  readonly workerEndedAt?: number | undefined;
}

/** To whose account a job goes that did not end by itself. */
export type JobAccount =
  // Outside, and named.
  | 'spot-reclaim'
  | 'crash'
  | 'platform-away'
  /** A job broke its host, which had not noticed yet. */
  | 'broken-host'
  /** A termination that a person or AWS began met a job longer than `allowed_drain_time`. */
  | 'ended-by-drain-time'
  /** It was dispatched before a removal or a scale-in of ours and had not reached its host yet, or before the host could know. */
  | 'dispatch-gap'
  // By us: violations.
  | 'ended-by-our-act'
  | 'never-started'
  | 'ours';

/** Accounts that must stay empty. */
export const byUs: ReadonlySet<JobAccount> = new Set(['ended-by-our-act', 'never-started', 'ours']);

/**
 * GitHub's runner gives its job up when this many requests in a row find GitHub away (actions/runner issue 4635). Only
 * requests that reached GitHub count: a runner that we keep from it loses its job by us.
 */
const survivedRequests = 5;

/** A job that is dispatched so shortly before our DELETE, while no Worker exists, cannot be saved. */
const dispatchGapMs = 60_000;

/** How often a host reads whether it is to go; it takes no job after that (decision 83). */
const hostLooksMs = 15_000;

/** A broken host looks at itself after the first job that it fails, within a round of its agent, and takes no further one. */
const brokenHostMs = 60_000;

/** To which account a lost job goes. Pure. */
export function accountLoss(loss: JobLoss, fate: InstanceFate, allowedDrainTimeMs: number): JobAccount {
  if (loss.runner === undefined) return 'never-started';
  if (fate.reclaimedAt !== undefined && loss.lostAt >= fate.reclaimedAt) return 'spot-reclaim';
  if (fate.crashedAt !== undefined && loss.lostAt >= fate.crashedAt) return 'crash';
  if (fate.brokenAt !== undefined && loss.lostAt - fate.brokenAt <= brokenHostMs) return 'broken-host';
  // The runner had given its job up before the host went: GitHub learns of it only when the lease of the job is over.
  if (gaveUpBefore(loss.job, fate) && loss.unanswered >= survivedRequests) return 'platform-away';
  if (fate.terminatingAt !== undefined && loss.lostAt - fate.terminatingAt >= allowedDrainTimeMs) {
    if (fate.begunBy !== 'us') return 'ended-by-drain-time';
    return cameUnknown(loss.job, fate.terminatingAt) ? 'dispatch-gap' : 'ended-by-our-act';
  }
  if (loss.unanswered >= survivedRequests) return 'platform-away';
  const removedAt = loss.runner.removal?.at;
  const dispatchedAt = loss.job.dispatchedAt ?? 0;
  const beforeMs = removedAt === undefined ? Number.NaN : removedAt - dispatchedAt;
  const inGap = !loss.workerExisted && beforeMs >= 0 && beforeMs <= dispatchGapMs;
  return inGap ? 'dispatch-gap' : 'ours';
}

/** Whether the Worker of this job, not of one before it on the same host, ended before the host's termination began. */
function gaveUpBefore({ startedAt }: JobLoss['job'], { workerEndedAt, terminatingAt }: InstanceFate): boolean {
  if (startedAt === undefined || workerEndedAt === undefined || terminatingAt === undefined) return false;
  return workerEndedAt >= startedAt && workerEndedAt <= terminatingAt;
}

/**
 * GitHub had sent the job and its host did not have it, or it was sent before the host had looked at itself again: GitHub,
 * Auto Scaling and the host could not know of each other's choice.
 */
function cameUnknown({ dispatchedAt, startedAt }: JobLoss['job'], at: number): boolean {
  if (dispatchedAt === undefined || startedAt === undefined) return false;
  return dispatchedAt <= at + hostLooksMs && at - dispatchedAt <= dispatchGapMs && startedAt > at;
}
