import { TerminalError } from '@drover/core';
import { usualLabels as labelsOfRunners } from '@drover/core/names/runner-fleet';

/** A job of the trace. */
export interface TracedJob {
  readonly queuedAtMs: number;
  readonly durationMs: number;
  readonly labels: readonly string[];
  /** How long it waited when it really ran, if that is known. */
  readonly waitedMs?: number;
}

/** Jobs, oldest first, and the period that is looked at. */
export interface Trace {
  readonly jobs: readonly TracedJob[];
  /** The full hour before the first job. */
  readonly startMs: number;
  /** The full hour after the last job would end if it began at once. */
  readonly endMs: number;
}

/** Every runner of the replay has these, in lower case: labels are compared without regard to it. */
export const usualLabels = labelsOfRunners('x64').map((label) => label.toLowerCase());

const heading = 'queued_at,duration_seconds,labels';
const hourMs = 3_600_000;
/** More would take hours to replay. */
const mostJobs = 100_000;
const mostDays = 31;
/** docs.github.com, "Actions limits": a job on a self-hosted runner runs for at most 5 days. */
export const longestSeconds = 5 * 86_400;
/** A moment with its zone: without one it would mean another moment on another machine. */
export const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/** Reads a trace: one job a line, labels separated by blanks or semicolons. Stops at the first wrong line, with its number. */
export function parseTrace(text: string, file: string): Trace {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (lines[0]?.trim() !== heading)
    throw new TerminalError(`${file}, line 1: '${shown(lines[0] ?? '')}' is not the heading; give ${heading}`);
  const jobs: TracedJob[] = [];
  for (const [index, line] of lines.entries())
    if (index > 0 && line.trim() !== '') jobs.push(parseLine(line, `${file}, line ${index + 1}`));
  if (jobs.length === 0) throw new TerminalError(`${file} holds no job; give one a line below the heading`);
  return traceOf(jobs, file);
}

/** The jobs of the first `hours` only. */
export function firstHours(trace: Trace, hours: number): Trace {
  const endMs = trace.startMs + hours * hourMs;
  return { startMs: trace.startMs, endMs, jobs: trace.jobs.filter(({ queuedAtMs }) => queuedAtMs < endMs) };
}

/** Only the jobs that ask for this label, as jobs that any runner of the fleet may have. */
export function fromLabel(trace: Trace, label: string): Trace {
  const wanted = label.toLowerCase();
  const asks = ({ labels }: TracedJob) => labels.some((one) => one.toLowerCase() === wanted);
  const jobs = trace.jobs.filter(asks).map((job) => ({ ...job, labels: [] }));
  if (jobs.length > 0) return { ...trace, jobs };
  const known = [...new Set(trace.jobs.flatMap(({ labels }) => labels))].sort().slice(0, 20);
  throw new TerminalError(`no job asks for the label ${label}; jobs ask for ${known.join(', ') || 'no label'}`);
}

/** The same jobs as a file that `parseTrace` reads. */
export function writeTrace(jobs: readonly TracedJob[]): string {
  const lines = jobs.map(({ queuedAtMs, durationMs, labels }) =>
    [new Date(queuedAtMs).toISOString().replace('.000Z', 'Z'), durationMs / 1000, labels.join(' ')].join(','),
  );
  return `${[heading, ...lines].join('\n')}\n`;
}

/** Jobs in any order, and the period from them; refuses more than can be replayed. */
export function traceOf(jobs: TracedJob[], file: string): Trace {
  if (jobs.length > mostJobs)
    throw new TerminalError(`${file} holds ${jobs.length} jobs; at most ${mostJobs} are replayed`);
  jobs.sort((a, b) => a.queuedAtMs - b.queuedAtMs);
  const startMs = Math.floor(jobs[0]!.queuedAtMs / hourMs) * hourMs;
  const lastMs = jobs.reduce((last, job) => Math.max(last, job.queuedAtMs + job.durationMs), 0);
  if (jobs.at(-1)!.queuedAtMs - startMs > mostDays * 24 * hourMs)
    throw new TerminalError(`${file} spans more than ${mostDays} days; cut it, or replay its beginning with --hours`);
  return { jobs, startMs, endMs: Math.ceil(lastMs / hourMs) * hourMs };
}

function parseLine(line: string, where: string): TracedJob {
  const fields = line.split(',').map(unquoted);
  if (fields.length < 2 || fields.length > 3)
    throw new TerminalError(`${where}: ${fields.length} fields; give ${heading}, labels separated by blanks`);
  const [queuedAt = '', seconds = '', labels = ''] = fields;
  const queuedAtMs = moment.test(queuedAt) ? Date.parse(queuedAt) : Number.NaN;
  if (Number.isNaN(queuedAtMs))
    throw new TerminalError(
      `${where}: queued_at '${shown(queuedAt)}' is not allowed; give a moment with its zone, e.g. 2026-01-05T09:30:00Z`,
    );
  if (!/^\d+(\.\d+)?$/.test(seconds) || Number(seconds) <= 0 || Number(seconds) > longestSeconds)
    throw new TerminalError(
      `${where}: duration_seconds '${shown(seconds)}' is not allowed; give seconds above 0, at most ${longestSeconds}`,
    );
  return {
    queuedAtMs,
    durationMs: Math.max(1, Math.round(Number(seconds) * 1000)),
    labels: labels.split(/[\s;]+/).filter((label) => label !== ''),
  };
}

const unquoted = (field: string): string => field.trim().replace(/^"(.*)"$/, '$1');
const shown = (text: string): string => (text.length <= 60 ? text : `${text.slice(0, 60)}…`);
