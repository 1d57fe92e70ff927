import { dayMs } from '@drover/core';
import type { RunFacts, RunJobFacts } from '../../jobs-ports.ts';
import type { HostReport } from '../../model/fleet.ts';
import type { Interruption, JobNote, SettledReason } from '../../model/jobs.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Interruptions that are remembered, the newest. */
const mostKept = 100;
/** Within an hour. */
export const mostReruns = 20;
/** A job that has failed so soon after the notice did so by itself: its host lives for two minutes. */
const failsByItselfMs = minuteMs;
/** The time after the notice in which its job is given up and run again; then it may wait for an instance as long. */
const mayWaitMs = 15 * minuteMs;
/** Each look makes two requests at most, and a window has no time for more. */
const mostLooks = 5;

export type Interruptions = Readonly<Record<string, Interruption>>;

/** Adds hosts that have a notice and a job, and facts about their jobs. What is a day old is forgotten. */
export function noteInterruptions(
  known: Interruptions | undefined,
  reports: ReadonlyMap<string, HostReport>,
  jobs: Readonly<Record<string, JobNote>> = {},
  now: number,
): Interruptions | undefined {
  const noted: Record<string, Interruption> = { ...known };
  for (const [id, { reclaimed, workers }] of reports) if (reclaimed === true && workers > 0) noted[id] ??= { at: now };
  const all = Object.entries(noted)
    .filter(([, { at }]) => now - at < dayMs)
    .slice(-mostKept);
  if (known === undefined && all.length === 0) return undefined;
  const byRunner = new Map(Object.values(jobs).map((job) => [job.runnerName, job]));
  return Object.fromEntries(
    all.map(([id, one]) => {
      const { repository, name, runId } = byRunner.get(id) ?? one;
      return [id, runId === undefined ? one : { ...one, repository, name, runId }];
    }),
  );
}

/** Those whose runs are looked at now: each minute at first, then ever more rarely. */
export function dueLooks(known: Interruptions = {}, now: number): readonly string[] {
  return Object.entries(known)
    .filter(([, { settled, runId }]) => settled === undefined && runId !== undefined)
    .filter(([, { at, askedAt = at }]) => now - askedAt >= Math.max(minuteMs, (now - at) / 20))
    .slice(0, mostLooks)
    .map(([id]) => id);
}

/** Nothing of it: the next look decides. */
export interface RerunDecision {
  readonly settled?: SettledReason;
  readonly attempt?: number;
  /** The job that is run again now. */
  readonly jobId?: number;
}

/**
 * Whether the job of an instance is run again. Only a completed run whose attempts are the first one and ours is touched, so that each job is
 * run again once, and none beside someone who runs it again by hand. The attempt that follows shows that the platform was asked. Pure.
 */
export function decideRerun(
  known: Interruptions,
  instanceId: string,
  { run, jobs }: { readonly run: RunFacts; readonly jobs: readonly RunJobFacts[] },
  now: number,
): RerunDecision {
  const own = known[instanceId]!;
  const all = Object.values(known);
  const others = all.filter((one) => one !== own && one.runId === own.runId && one.repository === own.repository);
  const asked = others.filter(({ rerunAt }) => rerunAt !== undefined);
  const isNext = run.attempt > 1 + others.filter(({ attempt }) => attempt !== undefined).length;
  if (own.rerunAt !== undefined && isNext) return { settled: 'run-again', attempt: run.attempt };
  if (asked.some(({ name }) => name === own.name)) return { settled: 'once-only' };
  // It must be certain to which of them the next attempt belongs.
  if (asked.some(({ settled }) => settled === undefined)) return {};
  if (isNext) return { settled: 'run-by-others' };
  if (!run.completed) return {};
  const job = jobs.find(({ runnerName, failed }) => runnerName === instanceId && failed);
  if (job === undefined || (job.completedAt ?? now) - own.at < failsByItselfMs) return { settled: 'ended' };
  const lately = all.filter((one) => one !== own && now - (one.rerunAt ?? 0) < hourMs);
  return lately.length < mostReruns ? { jobId: job.id } : {};
}

/** A second try is not for spot: it may come soon, or its job waits for an instance. What took the place of its host would be idle then. */
export const awaitsRerun = (known: Interruptions | undefined, now: number): boolean =>
  Object.values(known ?? {}).some(
    ({ at, rerunAt = at, settled = 'run-again' }) => settled === 'run-again' && now - rerunAt < mayWaitMs,
  );
