import type { FleetJob } from './jobs.ts';

/** The share of a repository's jobs in the cost of the fleet's instances. */
export interface RepositoryCost {
  /** Null: of jobs whose repository is not known. */
  readonly repository: string | null;
  readonly jobs: number;
  /** Run time of its jobs within the period. */
  readonly hours: number;
  readonly cost: number;
}

/**
 * Divides the cost of each instance among the repositories of its jobs by their run time, so that its boot, its drain and the time
 * that it was idle go with them. The most expensive first; instances without a job belong to no repository.
 */
export function costByRepository(
  instances: readonly { readonly id: string; readonly cost: number }[],
  jobs: readonly FleetJob[],
  window: { readonly from: number; readonly to: number },
): { readonly repositories: readonly RepositoryCost[]; readonly withoutJob: number } {
  const byInstance = new Map<string | null, { repository: string | null; hours: number }[]>();
  for (const job of jobs) {
    const own = byInstance.get(job.runner) ?? [];
    byInstance.set(job.runner, own);
    own.push({ repository: job.repository, hours: hoursWithin(job, window) });
  }
  const found = new Map<string | null, { jobs: number; hours: number; cost: number }>();
  let withoutJob = 0;
  for (const { id, cost } of instances) {
    const own = byInstance.get(id) ?? [];
    const all = own.reduce((sum, { hours }) => sum + hours, 0);
    if (all === 0) withoutJob += cost;
    for (const { repository, hours } of own) {
      const sum = found.get(repository) ?? { jobs: 0, hours: 0, cost: 0 };
      const share = all === 0 ? 0 : hours / all;
      found.set(repository, { jobs: sum.jobs + 1, hours: sum.hours + hours, cost: sum.cost + cost * share });
    }
  }
  const repositories = [...found].map(([repository, sum]) => ({ repository, ...sum }));
  return { repositories: repositories.sort((a, b) => b.cost - a.cost), withoutJob };
}

/** A job that has not ended counts until the end of the period. */
function hoursWithin({ startedAt, seconds }: FleetJob, { from, to }: { from: number; to: number }): number {
  const start = startedAt === null ? to : Date.parse(startedAt);
  const end = seconds === null ? to : start + seconds * 1000;
  return Math.max(0, Math.min(end, to) - Math.max(start, from)) / 3_600_000;
}
