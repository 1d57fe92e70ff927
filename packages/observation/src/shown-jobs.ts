const endedJobsShown = 200;

/** Those that wait or run, and those that ended last: in which order they are heard of says nothing about it. */
export function shownJobs<T extends { readonly endedAt?: number | undefined }>(jobs: readonly T[]): T[] {
  const ended = jobs.filter(({ endedAt }) => endedAt !== undefined).sort((a, b) => a.endedAt! - b.endedAt!);
  const dropped = new Set(ended.slice(0, Math.max(0, ended.length - endedJobsShown)));
  return jobs.filter((job) => !dropped.has(job));
}
