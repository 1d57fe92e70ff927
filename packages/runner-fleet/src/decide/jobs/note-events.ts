import type { JobEvent, JobNote } from '../../model/jobs.ts';

/** The newest jobs that are remembered. */
const mostJobs = 200;
/** An assigned job shows in the statistics by then. */
const assignedCountsMs = 5 * 60_000;

type Jobs = Readonly<Record<string, JobNote>>;

/** Adds what a message says about jobs. One that comes again changes nothing but the time at which it was seen. */
export function noteEvents(known: Jobs = {}, events: readonly JobEvent[], now: number): Jobs {
  const jobs = new Map(Object.entries(known));
  for (const event of events) {
    const { jobId, repository, name, runId, queuedAt, runnerName, result } = event;
    const before = jobs.get(jobId);
    jobs.delete(jobId);
    const told = { runId, queuedAt, runnerName, result, [`${event.kind}At`]: now };
    // A job that was taken back is assigned again.
    const { completedAt: _, result: __, ...again } = before ?? {};
    jobs.set(jobId, {
      ...(event.kind === 'assigned' ? again : before),
      repository,
      name,
      ...Object.fromEntries(
        Object.entries(told).filter(([key, value]) => value !== undefined && key !== 'availableAt'),
      ),
    });
  }
  return Object.fromEntries([...jobs].slice(-mostJobs));
}

/** Jobs that were assigned lately and are not over: the least that is needed when the statistics are zero. */
export const recentlyAssigned = (jobs: Jobs = {}, now: number): number =>
  Object.values(jobs).filter(
    ({ assignedAt = 0, completedAt }) => completedAt === undefined && now - assignedAt < assignedCountsMs,
  ).length;
