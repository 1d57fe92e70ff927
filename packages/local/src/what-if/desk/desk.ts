import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { builtProgram } from '@drover/constructs/programs';
import { TerminalError } from '@drover/core';
import type { WhatIfRequest, WhatIfRun, WhatIfState } from '@drover/observation/api';
import type { WhatIf, WhatIfDeskOptions } from '@drover/observation/http/what-if-routes';
import { stringify } from 'yaml';
import { deployedTitle } from './answer.ts';
import { KeptRuns } from './kept-runs.ts';
import { asked } from './request.ts';
import type { FromWorker, ToWorker } from './what-if-worker.ts';

type Answered = Extract<FromWorker, { readonly kind: 'answer' }>;
type Changing<T> = { -readonly [Key in keyof T]: T[Key] };

/** Runs questions of the page, one at a time, each in a process of its own that can be cancelled. */
export class WhatIfDesk implements WhatIf {
  readonly #inputs: WhatIfDeskOptions['inputs'];
  readonly #kept: KeptRuns;
  #current: { readonly run: Changing<WhatIfRun>; readonly process: ChildProcess } | undefined;

  constructor({ folder, inputs }: WhatIfDeskOptions) {
    this.#inputs = inputs;
    this.#kept = new KeptRuns(folder);
  }

  state(): WhatIfState {
    const inputs = this.#inputs();
    const runs = [...(this.#current === undefined ? [] : [this.#current.run]), ...this.#kept.newestFirst()];
    // A list has no use for the figures of each.
    const listed = runs.map((run) => ({ ...run, answer: undefined }));
    if (typeof inputs === 'string') return { refused: inputs, inputs: undefined, runs: listed };
    return {
      refused: undefined,
      inputs: {
        idleTarget: Number(inputs.idle_runners_target_count),
        maxSize: Number(inputs.asg_max_size),
        mode: inputs.scaling_mode === 'jobs' ? 'jobs' : 'idle',
        text: stringify(inputs),
      },
      runs: listed,
    };
  }

  run(id: number): WhatIfRun | undefined {
    return this.#current?.run.id === id ? this.#current.run : this.#kept.run(id);
  }

  picture(id: number): string | undefined {
    return this.#kept.picture(id);
  }

  start(request: WhatIfRequest): WhatIfRun {
    const inputs = this.#inputs();
    if (typeof inputs === 'string') throw new TerminalError(inputs);
    if (this.#current !== undefined)
      throw new TerminalError('another question is running', { remedy: 'wait for it, or cancel it' });
    const work: ToWorker = { asked: asked(request, inputs), deployed: deployedTitle(inputs) };
    const run: Changing<WhatIfRun> = {
      id: this.#kept.nextId,
      title: titleOf(request),
      state: 'running',
      percent: 0,
      problem: undefined,
      notes: [],
      answer: undefined,
    };
    const file = join(builtProgram('packages/local/dist'), 'what-if-worker.mjs');
    const child = fork(file, { serialization: 'advanced', stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    this.#current = { run, process: child };
    // Reported once its picture is kept: a page that knows the result asks for that.
    let answered: Answered | undefined;
    child.on('message', (message: FromWorker) => {
      if (message.kind === 'progress') run.percent = message.percent;
      if (message.kind === 'note') run.notes = [...run.notes, message.text];
      if (message.kind === 'failure') run.problem = message.reason;
      if (message.kind === 'answer') answered = message;
    });
    child.once('error', (error) => this.#ended(run, error.message, undefined));
    child.once('exit', () => this.#ended(run, 'its process ended early', answered));
    child.send(work, () => {});
    return run;
  }

  cancel(id: number): void {
    if (this.#current?.run.id !== id) throw new TerminalError(`question ${id} is not running`);
    this.#current.run.state = 'cancelled';
    // It ends those that it has started.
    this.#current.process.disconnect();
  }

  /** Nothing goes on after what is observed has ended. */
  stop(): void {
    if (this.#current?.process.connected) this.cancel(this.#current.run.id);
  }

  #ended(run: Changing<WhatIfRun>, otherwise: string, answered: Answered | undefined): void {
    if (this.#current?.run !== run) return;
    run.answer = answered?.answer;
    if (answered !== undefined) run.state = 'done';
    else if (run.state === 'running') {
      run.state = 'failed';
      run.problem ??= otherwise;
    } else run.problem = undefined;
    this.#kept.keep(run, answered?.picture);
    this.#current = undefined;
  }
}

function titleOf({ jobs, hours, idleTargets, maxSizes, modes }: WhatIfRequest): string {
  const trace = jobs.kind === 'history' ? jobs.name : `sample ${jobs.kind}`;
  const part = hours === undefined ? '' : `, first ${hours} hours`;
  return `${trace}${part}: idle target ${idleTargets.join(', ')}; max ${maxSizes.join(', ')}; ${modes.join(' and ')} mode`;
}
