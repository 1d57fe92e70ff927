import { groupDimension, metrics, runnerService } from '@drover/core/names/runner-fleet';
import type { JournalLine } from '../host/kernel.ts';
import type { LogEvent } from './batches.ts';

/** What the job hooks know of a job: GitHub's default variables. A job could say anything here, about itself alone. */
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

/** The line by which a job hook tells the agent, through the journal, what the job is. */
export function jobHookLine(
  event: 'job-started' | 'job-completed',
  env: Readonly<Record<string, string | undefined>>,
): string {
  const known = fields.map((field) => [field, env[variables[field]]?.slice(0, longestValue)]);
  return JSON.stringify({ hook: event, ...Object.fromEntries(known) });
}

/** The job that runs now, as far as the journal has told. */
export interface RunningJob {
  readonly startedAt: number;
  readonly known: Known;
  /** The hook after the job ran; its result is still to come. */
  readonly endedAt?: number;
}

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
 * Reads the journal of the runner service for starts and ends of jobs. The listener says when a job begins and how it ended
 * (actions/runner, `JobDispatcher`); the hooks say what it is. A listener that was killed does not say the end: the next
 * job's start tells that it is over.
 */
export function readJobs(running: RunningJob | undefined, lines: readonly JournalLine[], place: JobPlace): Read {
  const read: { running: RunningJob | undefined; events: LogEvent[] } = { running, events: [] };
  const end = (at: number, result: string) => {
    if (read.running !== undefined) read.events.push(completed(read.running, at, result, place));
    read.running = undefined;
  };
  for (const { unit, text, at } of lines) {
    if (unit !== runnerService) continue;
    const hook = parseHook(text);
    if (hook?.event === 'job-started') {
      read.running = { startedAt: read.running?.startedAt ?? at, known: hook.known };
      read.events.push({ at, text: JSON.stringify({ event: 'job-started', ...about(place, hook.known) }) });
    } else if (hook?.event === 'job-completed') {
      if (read.running !== undefined) read.running = { ...read.running, endedAt: at };
    } else if (/Running job: /.test(text)) {
      if (read.running !== undefined) end(read.running.endedAt ?? at, 'Unknown');
      read.running = { startedAt: at, known: {} };
    } else {
      const result = /Job .* completed with result: (\w+)/.exec(text)?.[1];
      if (result !== undefined) end(at, result);
    }
  }
  return read;
}

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
