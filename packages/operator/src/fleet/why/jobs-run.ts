import { metrics } from '@drover/core/names/runner-fleet';
import { duration } from '../../render/table.ts';
import type { Moment } from './moments.ts';

/** A job of the instance, by the events of its agent. */
export interface JobRun {
  /** With workflow, repository and run, as far as they are known. */
  readonly name: string;
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  /** GitHub's word. */
  readonly result: string | undefined;
}

type Said = Readonly<Record<string, unknown>>;

/** The jobs in the order in which they started. */
export function jobsIn(moments: readonly Moment[]): JobRun[] {
  const jobs = new Map<string, JobRun>();
  for (const { at, source, what } of moments) {
    const said = source === 'jobs' ? parse(what) : undefined;
    if (said === undefined) continue;
    const key = [said.runId, said.runAttempt, said.job].join(' ');
    const name = nameOf(said);
    if (said.event === 'job-started') jobs.set(key, { name, startedAt: at, endedAt: undefined, result: undefined });
    if (said.event !== 'job-completed') continue;
    const startedAt = jobs.get(key)?.startedAt ?? at - Number(said[metrics.jobSeconds] ?? 0) * 1_000;
    jobs.set(key, { name, startedAt, endedAt: at, result: String(said.result) });
  }
  return [...jobs.values()].sort((a, b) => a.startedAt - b.startedAt);
}

export function parse(text: string): Said | undefined {
  try {
    return JSON.parse(/\{.*\}$/s.exec(text)?.[0] ?? '') as Said;
  } catch {
    return undefined;
  }
}

function nameOf({ repository, workflow, job, runId }: Said): string {
  const where = [
    typeof workflow === 'string' ? `workflow ${workflow}` : '',
    typeof repository === 'string' ? `of ${repository}` : '',
  ]
    .filter((part) => part !== '')
    .join(' ');
  const known = [where, typeof runId === 'string' ? `run ${runId}` : ''].filter((part) => part !== '');
  const name = typeof job === 'string' ? job : 'a job without a name';
  return known.length === 0 ? name : `${name} (${known.join(', ')})`;
}

/** Facts from the rest of the story about the end of the instance. */
export interface InstanceEnd {
  /** When it was gone; undefined while it is there. */
  readonly goneAt: number | undefined;
  /** Why its termination began, in Auto Scaling's words. */
  readonly cause: string | undefined;
  /** Why the deregistration function completed it. */
  readonly completedBecause: string | undefined;
  /** Why the agent stopped the runner. */
  readonly stoppedBecause: string | undefined;
  /** It drained before its termination began. */
  readonly warned: boolean;
  readonly allowedDrainTimeMs: number;
}

/** An agent sends the end of its job before its instance goes: if nothing has come in this time, nothing will. */
const saidNothingMs = 120_000;

const reclaimed = 'AWS took the spot instance back';

/** Why a job was lost; undefined if it was not, or if that is not known yet. */
export function lossOf({ result, endedAt }: JobRun, end: InstanceEnd, now: number): string | undefined {
  if (result === 'Abandoned') return 'its runner could not reach GitHub and gave it up';
  if (result === 'Canceled' && end.stoppedBecause === 'spot-notice') return reclaimed;
  if (endedAt !== undefined || end.goneAt === undefined || now - end.goneAt < saidNothingMs) return undefined;
  if (end.completedBecause === 'allowed-drain-time-over')
    return `it still ran when allowed_drain_time (${duration(end.allowedDrainTimeMs)}) was over`;
  if (end.warned || /Spot/i.test(end.cause ?? '') || end.stoppedBecause === 'spot-notice') return reclaimed;
  if (/health|status check/i.test(end.cause ?? '')) return `its instance failed (${end.cause})`;
  if (end.completedBecause === 'host-dead') return 'its host had died: it reported nothing, and no command reached it';
  return 'its instance was terminated while it ran';
}
