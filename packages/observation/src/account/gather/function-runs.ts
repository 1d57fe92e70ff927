import type { LogLine } from '@drover/operator/fleet/function-log';
import type { OperatorClients } from '@drover/operator/io';
import type { FunctionState } from '../../api.ts';
import type { Source } from '../rota.ts';
import type { WatchedFunction } from '../stacks.ts';
import { LogTail } from './log-tail.ts';

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
export class FunctionReadings {
  readonly #functions: readonly FunctionLog[];

  constructor(aws: Pick<OperatorClients, 'logs'>, functions: readonly WatchedFunction[], since: number) {
    this.#functions = functions.map(
      ({ name, logGroup }) => new FunctionLog(name, new LogTail(aws, { logGroupName: logGroup, filterPattern }, since)),
    );
  }

  get sources(): readonly Source[] {
    return this.#functions.map((one) => ({ what: 'function logs', everyMs: 60_000, read: () => one.read() }));
  }

  get states(): FunctionState[] {
    return this.#functions.map(({ name, runs, errors, last }) => ({ name, runs, errors, last }));
  }

  /** Oldest first. */
  get failures(): readonly FunctionRun[] {
    return this.#functions.flatMap(({ failures }) => failures).sort((a, b) => a.at - b.at);
  }
}

class FunctionLog {
  readonly name: string;
  readonly #tail: LogTail;
  /** Failures of runs whose last line is still to come, by request id. */
  readonly #trouble = new Map<string, string>();
  runs = 0;
  errors = 0;
  last: readonly FunctionRun[] = [];
  failures: readonly FunctionRun[] = [];

  constructor(name: string, tail: LogTail) {
    this.name = name;
    this.#tail = tail;
  }

  async read(): Promise<void> {
    const lines = await this.#tail.more();
    for (const { text } of lines) this.#noteTrouble(text);
    for (const line of lines) this.#noteEnd(line);
  }

  #noteTrouble(text: string): void {
    const request = requestIn(text);
    if (request === undefined || isEnd(text)) return;
    const error = /"errorType":"([^"]*)"/.exec(text)?.[1];
    this.#trouble.set(request, error ?? /Task timed out.*/.exec(text)?.[0] ?? 'error');
  }

  #noteEnd({ at, text }: LogLine): void {
    const request = requestIn(text);
    if (request === undefined || !isEnd(text)) return;
    // A run that ended badly without a line of its own has its status here: a timeout, a process that exited.
    const trouble = this.#trouble.get(request) ?? /Status: (error|timeout)/.exec(text)?.[1];
    this.#trouble.delete(request);
    const ok = trouble === undefined;
    const run = { function: this.name, at, ok, text: ok ? 'succeeded' : `failed: ${trouble}` };
    this.runs += 1;
    this.last = [run, ...this.last].slice(0, runsShown);
    if (ok) return;
    this.errors += 1;
    this.failures = [...this.failures, run].slice(-failuresKept);
  }
}

const isEnd = (text: string) => text.startsWith('REPORT RequestId');

const requestIn = (text: string) => /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/.exec(text)?.[0];
