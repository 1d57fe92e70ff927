import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtProgram } from '@drover/constructs/programs';
import { TerminalError } from '@drover/core';
import type { WhatIfAsked, WhatIfRequest, WhatIfRun, WhatIfState } from '@drover/observation/api';
import type { WhatIf, WhatIfDeskOptions } from '@drover/observation/http/what-if-routes';
import { stringify } from 'yaml';
import { configurationName, inputsFor, parseReplayRequest, typesIn, variedIn } from './request.ts';
import type { FromWorker } from './what-if-worker.ts';

const mostKept = 20;

/** A run as it is kept on disk. */
interface KeptRun {
  readonly run: WhatIfRun;
  readonly picture?: string | undefined;
}

interface Current {
  run: WhatIfRun;
  readonly process: ChildProcess;
}

/** Runs questions of the page, one at a time, each in a process of its own that can be cancelled. */
export class WhatIfDesk implements WhatIf {
  readonly #inputs: WhatIfDeskOptions['inputs'];
  readonly #folder: string;
  #current: Current | undefined;

  constructor({ folder, inputs }: WhatIfDeskOptions) {
    this.#inputs = inputs;
    this.#folder = folder;
  }

  state(): WhatIfState {
    const inputs = this.#inputs();
    const ids = [...(this.#current === undefined ? [] : [this.#current.run.id]), ...this.#kept().toReversed()];
    // A list has no use for the figures of each.
    const runs = ids.map((id) => ({ ...this.run(id)!, report: undefined }));
    if (typeof inputs === 'string') return { refused: inputs, inputs: undefined, runs };
    const { types, fleet } = typesIn(inputs);
    return {
      refused: undefined,
      inputs: {
        ...variedIn(fleet),
        text: stringify(fleet),
        ...(types === undefined
          ? {}
          : { types: Object.fromEntries(Object.entries(types).map(([name, own]) => [name, variedIn(own)])) }),
      },
      runs,
    };
  }

  run(id: number): WhatIfRun | undefined {
    return this.#current?.run.id === id ? this.#current.run : this.#read(id)?.run;
  }

  picture(id: number): string | undefined {
    return this.#read(id)?.picture;
  }

  start(request: WhatIfRequest): WhatIfRun {
    const whole = this.#inputs();
    if (typeof whole === 'string') throw new TerminalError(whole);
    const inputs = inputsFor(request, whole);
    if (this.#current !== undefined)
      throw new TerminalError('another question is running', { remedy: 'wait for it, or cancel it' });
    const work = parseReplayRequest(request, inputs);
    const run: WhatIfRun = {
      id: (this.#kept().at(-1) ?? 0) + 1,
      title: titleOf(request),
      state: 'running',
      percent: 0,
      notes: [],
      configurations: Object.fromEntries(
        Object.entries(work.configurations).map(([name, { varied }]) => [name, varied]),
      ),
      deployed: configurationName(variedIn(inputs)),
      maxWaitSeconds: work.maxWait,
      asked: askedBy(request),
    };
    const file = join(builtProgram('packages/local/dist'), 'what-if-worker.mjs');
    const child = fork(file, { serialization: 'advanced', stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    const current: Current = { run, process: child };
    this.#current = current;
    // Reported once its picture is kept: a page that knows the result asks for that.
    let result: FromWorker['result'];
    child.on('message', ({ percent, note, problem, ...message }: FromWorker) => {
      if (percent !== undefined) current.run = { ...current.run, percent };
      if (note !== undefined) current.run = { ...current.run, notes: [...current.run.notes, note] };
      if (problem !== undefined) current.run = { ...current.run, problem };
      result ??= message.result;
    });
    const ended = (otherwise: string) => {
      if (this.#current === current) this.#keep(endOf(current.run, result, otherwise));
    };
    child.once('error', (error) => ended(error.message));
    child.once('exit', () => ended('its process ended early'));
    child.send(work, () => {});
    return current.run;
  }

  cancel(id: number): void {
    if (this.#current?.run.id !== id) throw new TerminalError(`question ${id} is not running`);
    this.#current.run = { ...this.#current.run, state: 'cancelled' };
    // It ends those that it has started.
    this.#current.process.disconnect();
  }

  /** Nothing goes on after what is observed has ended. */
  stop(): void {
    if (this.#current?.process.connected) this.cancel(this.#current.run.id);
  }

  #keep(kept: KeptRun): void {
    mkdirSync(this.#folder, { recursive: true });
    writeFileSync(this.#file(kept.run.id), JSON.stringify(kept));
    for (const id of this.#kept().slice(0, -mostKept)) rmSync(this.#file(id), { force: true });
    this.#current = undefined;
  }

  #read(id: number): KeptRun | undefined {
    return existsSync(this.#file(id)) ? (JSON.parse(readFileSync(this.#file(id), 'utf8')) as KeptRun) : undefined;
  }

  #file(id: number): string {
    return join(this.#folder, `${id}.json`);
  }

  /** Numbers of the finished questions, the oldest first. */
  #kept(): number[] {
    const names = existsSync(this.#folder) ? readdirSync(this.#folder) : [];
    return names.flatMap((name) => Number(/^(\d+)\.json$/.exec(name)?.[1] ?? []) || []).sort((a, b) => a - b);
  }
}

function endOf(run: WhatIfRun, result: FromWorker['result'], otherwise: string): KeptRun {
  if (result !== undefined) return { run: { ...run, state: 'done', report: result.report }, picture: result.picture };
  if (run.state === 'cancelled') return { run: { ...run, problem: undefined } };
  return { run: { ...run, state: 'failed', problem: run.problem ?? otherwise } };
}

/** A history is as large as it may be: its name is enough. */
const askedBy = ({ jobs, ...rest }: WhatIfRequest): WhatIfAsked => ({
  ...rest,
  jobs: { kind: jobs.kind, ...(jobs.kind === 'history' ? { name: jobs.name } : {}) },
});

function titleOf({ jobs, hours, idleTargets, maxSizes, modes, type }: WhatIfRequest): string {
  const trace = jobs.kind === 'history' ? jobs.name : `sample ${jobs.kind}`;
  const part = hours === undefined ? '' : `, first ${hours} hours`;
  const ofType = type === undefined ? '' : `, type ${type}`;
  return `${trace}${part}${ofType}: idle target ${idleTargets.join(', ')}; max ${maxSizes.join(', ')}; ${modes.join(' and ')} mode`;
}
