import { groupDimension, metrics, runnerService } from '@drover/core/names/runner-fleet';
import type { JournalLine } from '../host/kernel.ts';
import type { LogEvent } from './batches.ts';

/** The name under which the job hooks write into the journal of the runner service. */
export const hookTag = 'runner-hook';

/** The job hooks' facts about a job: GitHub's default variables. */
const variables = {
  repository: 'GITHUB_REPOSITORY',
  workflow: 'GITHUB_WORKFLOW',
  runId: 'GITHUB_RUN_ID',
  runAttempt: 'GITHUB_RUN_ATTEMPT',
  job: 'GITHUB_JOB',
} as const;
type Known = Partial<Record<keyof typeof variables, string>>;
const fields = Object.keys(variables) as (keyof Known)[];
const longestValue = 200;

/** The line by which a job hook describes the job to the agent, through the journal. */
export function jobHookLine(
  event: 'job-started' | 'job-completed',
  env: Readonly<Record<string, string | undefined>>,
): string {
  const known = fields.map((field) => [field, env[variables[field]]?.slice(0, longestValue)]);
  return JSON.stringify({ hook: event, ...Object.fromEntries(known) });
}

/** The job that runs now, as far as the journal shows. */
export interface RunningJob {
  readonly startedAt: number;
  readonly known: Known;
  /** The hook after the job ran; its result is still to come. */
  readonly endedAt?: number;
  /** Since when no Worker has been seen. */
  readonly idleSince?: number;
}

/** The host's observations when the journal is read. */
export interface Sight {
  readonly now: number;
  readonly workers: number;
  /** The instance goes: nothing is read after this. */
  readonly last: boolean;
}

/**
 * How long a listener may try to reach GitHub before it starts the Worker of a job; it reports the end of one within
 * seconds.
 */
const silentMs = 600_000;

/** Where a job runs, and the namespace of its metrics. */
export interface JobPlace {
  readonly groupName: string;
  readonly instanceId: string;
  readonly metricNamespace: string;
}

interface Read {
  readonly running: RunningJob | undefined;
  readonly events: LogEvent[];
}

/**
 * Reads the journal of the runner service for starts and ends of jobs. The listener says when a job begins and how it
 * ended (actions/runner, `JobDispatcher`); the hook says what it is, once, before the first step of the job. A job
 * writes into the same journal, under any name: lines count as the listener's only when its process wrote them, and a
 * hook's only until it has spoken. An end that is not reported, of a listener that was killed or a journal that was
 * flooded, is known by the Worker that is gone.
 */
export function readJobs(
  running: RunningJob | undefined,
  lines: readonly JournalLine[],
  place: JobPlace,
  sight: Sight,
): Read {
  const read: { running: RunningJob | undefined; events: LogEvent[] } = { running, events: [] };
  const end = (at: number, result: string) => {
    if (read.running !== undefined) read.events.push(completed(read.running, at, result, place));
    read.running = undefined;
  };
  const listener = (text: string, at: number) => {
    const result = ended.exec(text)?.[1];
    if (result !== undefined) return end(at, result);
    if (!started.test(text)) return;
    if (read.running !== undefined) end(read.running.endedAt ?? at, 'Unknown');
    read.running = { startedAt: at, known: {} };
  };
  const hook = (text: string, at: number) => {
    const said = parseHook(text);
    if (said === undefined || read.running === undefined) return;
    if (said.event === 'job-completed') read.running = { ...read.running, endedAt: at };
    if (said.event !== 'job-started' || Object.keys(read.running.known).length > 0) return;
    read.running = { ...read.running, known: said.known };
    read.events.push({ at, text: JSON.stringify({ event: 'job-started', ...about(place, said.known) }) });
  };
  for (const { unit, main, tag, text, at } of lines) {
    if (unit !== runnerService) continue;
    if (main) listener(text, at);
    else if (tag === hookTag) hook(text, at);
  }
  if (read.running !== undefined) {
    const { idleSince: before, ...job } = read.running;
    const idleSince = sight.workers > 0 ? undefined : (before ?? sight.now);
    read.running = idleSince === undefined ? job : { ...job, idleSince };
    if (idleSince !== undefined && (sight.last || sight.now - idleSince >= silentMs))
      end(job.endedAt ?? idleSince, 'Unknown');
  }
  return read;
}

/** When the listener's lines say that a job began of whose end they say nothing. */
export function jobBegunAt(lines: readonly JournalLine[]): number | undefined {
  const last = lines.findLast(({ main, text }) => main && (started.test(text) || ended.test(text)));
  return last !== undefined && started.test(last.text) ? last.at : undefined;
}

/** How far the newest job has come, as the journal shows: the listener has begun it; its started hook has run. */
export type JobProgress = 'none' | 'begun' | 'started';

/**
 * Whether the newest of these jobs failed before its started hook ran; undefined: none has come so far. Lines that a job forges can hide
 * that, or cost a look at a sound host.
 */
export function readFailures(
  before: JobProgress,
  lines: readonly JournalLine[],
): { readonly progress: JobProgress; readonly failedEarly: boolean | undefined } {
  let [progress, failedEarly]: [JobProgress, boolean?] = [before];
  for (const { main, tag, text } of lines) {
    const result = main ? ended.exec(text)?.[1] : undefined;
    if (result !== undefined) {
      if (progress === 'begun' && result === 'Failed') failedEarly = true;
      progress = 'none';
    } else if (main && started.test(text)) progress = 'begun';
    else if (!main && tag === hookTag && progress === 'begun' && parseHook(text)?.event === 'job-started')
      [progress, failedEarly] = ['started', false];
  }
  return { progress, failedEarly };
}

/** The name of a job is in both lines, and its author chose it. */
const started = /^(?:[\d-]+ [\d:]+Z: )?Running job: /;
const ended = /^(?:[\d-]+ [\d:]+Z: )?Job .* completed with result: (\w+)$/;

const about = ({ instanceId }: JobPlace, known: Known) => ({ runner: instanceId, ...known });

/** Also a metric: CloudWatch makes it from `_aws` (User Guide, "Specification: Embedded metric format"). No dimension for the repository: each would be a metric of its own to pay for. */
function completed({ startedAt, known }: RunningJob, at: number, result: string, place: JobPlace): LogEvent {
  const seconds = Math.round(Math.max(0, at - startedAt) / 1000);
  const text = JSON.stringify({
    event: 'job-completed',
    ...about(place, known),
    result,
    startedAt: new Date(startedAt).toISOString(),
    _aws: {
      Timestamp: at,
      CloudWatchMetrics: [
        {
          Namespace: place.metricNamespace,
          Dimensions: [[groupDimension]],
          Metrics: [
            { Name: metrics.jobs, Unit: 'Count' },
            { Name: metrics.jobSeconds, Unit: 'Seconds' },
          ],
        },
      ],
    },
    [groupDimension]: place.groupName,
    [metrics.jobs]: 1,
    [metrics.jobSeconds]: seconds,
  });
  return { at, text };
}

function parseHook(text: string): { readonly event: string; readonly known: Known } | undefined {
  if (!text.startsWith('{"hook":')) return undefined;
  try {
    const said = JSON.parse(text) as Readonly<Record<string, unknown>>;
    const known = fields.flatMap((field) => {
      const value = said[field];
      return typeof value === 'string' ? [[field, value.slice(0, longestValue)]] : [];
    });
    return { event: String(said.hook), known: Object.fromEntries(known) as Known };
  } catch {
    return undefined;
  }
}
