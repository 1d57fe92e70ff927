import { TerminalError } from '@drover/core';
import { longestSeconds, moment, type Trace, type TracedJob, traceOf } from './trace.ts';

/**
 * The part that is read of GitHub's REST API about a job (`…/runs/{id}/jobs`) or of a workflow run (`…/actions/runs`).
 */
interface Listed {
  readonly id?: number;
  readonly status?: string;
  readonly conclusion?: string | null;
  readonly created_at?: string;
  readonly started_at?: string | null;
  readonly completed_at?: string | null;
  readonly labels?: readonly string[];
  /** Null or 0: no runner ever had it. */
  readonly runner_id?: number | null;
  readonly run_started_at?: string;
  readonly updated_at?: string;
}

/** A trace that was made from what happened, and what of it is not in the trace. */
export interface History {
  readonly trace: Trace;
  /** Notes for the reader, a sentence each. */
  readonly notes: readonly string[];
}

/** JSON instead of a CSV. */
export const isHistory = (text: string): boolean => /^\uFEFF?\s*[[{]/.test(text);

/** Reads jobs or runs as the REST API lists them: one page, an array of pages, or pages one after the other. */
export function parseHistory(text: string, file: string): History {
  const items = documentsIn(text, file).flatMap(itemsOf);
  const jobs = new Map<unknown, TracedJob>();
  const left = { unfinished: 0, withoutRunner: 0, runs: 0 };
  for (const [index, item] of items.entries()) {
    const where = `${file}, entry ${index + 1}`;
    const isRun = item.run_started_at !== undefined;
    if (item.status !== 'completed') left.unfinished += 1;
    else if (!isRun && (item.conclusion === 'skipped' || item.runner_id === null || item.runner_id === 0))
      left.withoutRunner += 1;
    else jobs.set(item.id ?? where, isRun ? runAsJob(item, where) : toJob(item, where));
    if (isRun) left.runs += 1;
  }
  if (jobs.size === 0)
    throw new TerminalError(
      `${file} holds no completed job; give what GET /repos/{owner}/{repo}/actions/runs/{run_id}/jobs returns`,
    );
  const notes = [
    ...(left.runs === 0
      ? []
      : [
          `${left.runs} workflow runs are replayed as one job each; their jobs are listed by …/actions/runs/{run_id}/jobs`,
        ]),
    ...(left.unfinished === 0
      ? []
      : [
          `${left.unfinished} ${left.unfinished === 1 ? 'entry is left out: it' : 'entries are left out: they'} had not ended`,
        ]),
    ...(left.withoutRunner === 0
      ? []
      : [
          `${left.withoutRunner} ${left.withoutRunner === 1 ? 'job is left out: no runner had it' : 'jobs are left out: no runner had them'}`,
        ]),
  ];
  return { trace: traceOf([...jobs.values()], file), notes: notes.map((note) => `${file}: ${note}`) };
}

/** `gh api --paginate` writes one page after the other, with or without a line between them. */
function documentsIn(text: string, file: string): unknown[] {
  const documents: unknown[] = [];
  let depth = 0;
  let from = 0;
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[[{]|[\]}]/g)) {
    if (token.startsWith('"')) continue;
    if (token === '[' || token === '{') depth += 1;
    else depth -= 1;
    if (depth > 0) continue;
    documents.push(parsed(text.slice(from, index + 1), file));
    from = index + 1;
  }
  if (text.slice(from).trim() !== '') documents.push(parsed(text.slice(from), file));
  return documents;
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new TerminalError(`${file} is neither JSON nor a trace: ${(error as Error).message.split('\n')[0]}`);
  }
}

function itemsOf(document: unknown): readonly Listed[] {
  if (Array.isArray(document)) return document.flatMap(itemsOf);
  const page = (document ?? {}) as { readonly jobs?: readonly Listed[]; readonly workflow_runs?: readonly Listed[] };
  return page.jobs ?? page.workflow_runs ?? [page as Listed];
}

function toJob({ created_at, started_at, completed_at, labels = [] }: Listed, where: string): TracedJob {
  const startedMs = time(started_at, 'started_at', where);
  const queuedAtMs = created_at === undefined ? startedMs : time(created_at, 'created_at', where);
  return {
    queuedAtMs,
    durationMs: lasting(startedMs, time(completed_at, 'completed_at', where)),
    labels,
    waitedMs: Math.max(0, startedMs - queuedAtMs),
  };
}

/** The start of its wait and the duration of each of its jobs are unknown. */
function runAsJob({ run_started_at, updated_at }: Listed, where: string): TracedJob {
  const queuedAtMs = time(run_started_at, 'run_started_at', where);
  return { queuedAtMs, durationMs: lasting(queuedAtMs, time(updated_at, 'updated_at', where)), labels: [] };
}

/** Times are in whole seconds. */
const lasting = (fromMs: number, toMs: number): number =>
  Math.min(longestSeconds * 1000, Math.max(1_000, toMs - fromMs));

function time(value: unknown, field: string, where: string): number {
  const ms = typeof value === 'string' && moment.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(ms)) throw new TerminalError(`${where}: ${field} ${JSON.stringify(value)} is not a time`);
  return ms;
}
