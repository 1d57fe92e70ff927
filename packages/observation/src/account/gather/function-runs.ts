import type { LogLine } from '@drover/operator/fleet/function-log';
import type { OperatorClients } from '@drover/operator/io';
import type { FunctionState } from '../../api.ts';
import type { Source } from '../rota.ts';
import type { WatchedFunction } from '../stacks.ts';
import { logTail } from './log-tail.ts';

export interface FunctionRun {
  readonly function: string;
  readonly at: number;
  readonly ok: boolean;
  readonly text: string;
}

const runsShown = 5;
const failuresKept = 100;

/** Lambda's line at the end of a run, and its lines about one that threw or was cut off. */
const filterPattern = '?"REPORT RequestId" ?"Invoke Error" ?"Task timed out"';

/** How the functions of the stacks have run, by Lambda's own lines in their logs. */
export function functionReadings(
  aws: Pick<OperatorClients, 'logs'>,
  functions: readonly WatchedFunction[],
  since: number,
) {
  const logs = functions.map(({ name, logGroup }) =>
    functionLog(name, logTail(aws, { logGroupName: logGroup, filterPattern }, since)),
  );
  return {
    sources: logs.map(({ read }): Source => ({ what: 'function logs', everyMs: 60_000, read })),
    states: (): FunctionState[] => logs.map(({ state: { failures: _, ...state } }) => ({ ...state })),
    /** Oldest first. */
    failures: () => logs.flatMap(({ state }) => state.failures).sort((a, b) => a.at - b.at),
  };
}

/** As Lambda names it in the response to an invocation. */
const timedOut = 'Sandbox.Timedout';
const statuses: Readonly<Record<string, string>> = { error: 'error', timeout: timedOut };

function functionLog(name: string, more: () => Promise<LogLine[]>) {
  /** Failures of runs whose last line is still to come, by request id. */
  const trouble = new Map<string, string>();
  const state = {
    name,
    runs: 0,
    errors: 0,
    last: [] as readonly FunctionRun[],
    failures: [] as readonly FunctionRun[],
  };

  function noteTrouble(text: string): void {
    const request = requestIn(text);
    if (request === undefined || isEnd(text)) return;
    const error = /"errorType":"([^"]*)"/.exec(text)?.[1];
    trouble.set(request, error ?? (/Task timed out/.test(text) ? timedOut : 'error'));
  }

  function noteEnd({ at, text }: LogLine): void {
    const request = requestIn(text);
    if (request === undefined || !isEnd(text)) return;
    // A run that ended badly without a line of its own has its status here: a timeout, a process that exited.
    const why = trouble.get(request) ?? statuses[/Status: (error|timeout)/.exec(text)?.[1] ?? ''];
    trouble.delete(request);
    const run = { function: name, at, ok: why === undefined, text: why === undefined ? 'succeeded' : `failed: ${why}` };
    state.runs += 1;
    state.last = [run, ...state.last].slice(0, runsShown);
    if (run.ok) return;
    state.errors += 1;
    state.failures = [...state.failures, run].slice(-failuresKept);
  }

  async function read(): Promise<void> {
    const lines = await more();
    for (const { text } of lines) noteTrouble(text);
    for (const line of lines) noteEnd(line);
  }
  return { state, read };
}

const isEnd = (text: string) => text.startsWith('REPORT RequestId');

const requestIn = (text: string) => /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/.exec(text)?.[0];
