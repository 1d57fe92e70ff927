/** How far the one runner of a host has come, as its disk says: a listener was started; a Worker was seen. */
export type RunnerLife = 'started' | 'served';

/** The agent's facts about a runner that serves one job. */
export interface OneJobFacts {
  /** Undefined before the first start. */
  readonly life: RunnerLife | undefined;
  readonly configured: boolean;
  /** The last listener said that the platform has deleted its registration. */
  readonly registrationDeleted: boolean;
}

/** Of the facts about a host. */
interface Facts {
  readonly oneJob?: OneJobFacts | undefined;
  readonly serviceActive: boolean;
  readonly workers: number;
  readonly lastWorkerAt: number;
}

export type FinishedReason = 'job-done' | 'configuration-deleted' | 'registration-deleted';

/**
 * A listener that still runs this long after its Worker has ended hangs: it ends within seconds (actions/runner, issue
 * 4603 of ARC).
 */
export const hungAfterMs = 5 * 60_000;

/**
 * Whether the runner has had its one job, or will never have one. The listener deletes its configuration after its job, and when its
 * registration is gone while it polls. One that was killed beside its Worker deletes nothing: that a Worker was seen is enough,
 * because a second listener might take a second job. Pure.
 */
export function decideFinished({ oneJob, serviceActive, workers }: Facts): FinishedReason | undefined {
  if (oneJob?.life === undefined || serviceActive || workers > 0) return undefined;
  if (oneJob.life === 'served') return 'job-done';
  if (!oneJob.configured) return 'configuration-deleted';
  return oneJob.registrationDeleted ? 'registration-deleted' : undefined;
}

/** The job is done, but its listener does not end. */
export const isHung = ({ oneJob, serviceActive, workers, lastWorkerAt }: Facts, now: number): boolean =>
  oneJob?.life === 'served' && serviceActive && workers === 0 && now - lastWorkerAt >= hungAfterMs;
