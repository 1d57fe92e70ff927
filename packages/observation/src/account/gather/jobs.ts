import { metrics } from '@drover/core/names/runner-fleet';
import type { OpenFleet } from '@drover/operator/fleet/open-fleet';
import { outputNamed } from '@drover/operator/output/read-outputs';
import type { JobState } from '../../api.ts';
import type { Source } from '../rota.ts';
import { logTail } from './log-tail.ts';

/** A job as its runner's agent reported it. */
export interface KnownJob extends Pick<JobState, 'id' | 'title' | 'startedAt'> {
  readonly instance: string;
  readonly endedAt: number | undefined;
  /** GitHub's word. */
  readonly result: string | undefined;
}

type Said = Readonly<Record<string, unknown>>;

const jobsKept = 2_000;
/** Several jobs of one workflow run get decimals: a run has at most 256 jobs of a matrix, and may be run again. */
const decimals = 1_000;

/** The jobs of the fleet, by the events that its agents write. */
export function jobReadings({ aws, outputs, stack }: Pick<OpenFleet, 'aws' | 'outputs' | 'stack'>, since: number) {
  const jobs = new Map<string, KnownJob>();
  const perRun = new Map<number, number>();
  const logGroupName = outputNamed(outputs, stack, 'instance_log_group');

  function note(at: number, said: Said): void {
    const key = [said.runner, said.runId, said.runAttempt, said.job].join(' ');
    const known = jobs.get(key);
    const ended = said.event === 'job-completed';
    if (known?.endedAt !== undefined && !ended) return;
    const startedAt = typeof said.startedAt === 'string' ? Date.parse(said.startedAt) : (known?.startedAt ?? at);
    jobs.set(key, {
      id: known?.id ?? newId(Number(said.runId)),
      title: titleOf(said),
      instance: String(said.runner),
      startedAt,
      endedAt: ended ? startedAt + Number(said[metrics.jobSeconds]) * 1_000 : undefined,
      result: ended ? String(said.result) : undefined,
    });
  }

  function newId(run: number): number {
    const before = perRun.get(run) ?? 0;
    perRun.set(run, before + 1);
    return run + before / decimals;
  }

  // Ends first: a job whose beginning alone is known looks lost when its instance is gone.
  const sources = ['job-completed', 'job-started'].map((event): Source => {
    const more = logTail(aws, { logGroupName, filterPattern: `{ $.event = "${event}" }` }, since);
    const read = async () => {
      for (const { at, text } of await more()) note(at, JSON.parse(text) as Said);
      for (const key of [...jobs.keys()].slice(0, Math.max(0, jobs.size - jobsKept))) jobs.delete(key);
    };
    return { what: 'job events', everyMs: 20_000, read };
  });
  /** `all` in the order in which they were first heard of. */
  return { sources, all: (): readonly KnownJob[] => [...jobs.values()] };
}

const titleOf = ({ repository, workflow, job }: Said): string | undefined => {
  const parts = [repository, workflow, job].filter((part) => typeof part === 'string');
  return parts.length === 0 ? undefined : parts.join(' / ');
};
