import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { builtProgram } from '@drover/constructs/programs';
import { TerminalError } from '@drover/core';
import type { LocalOptions } from '../options.ts';
import type { FromWorld, ToWorld } from './protocol.ts';

/** A simulation makes much that lives briefly: with room for it the collector finds it dead. */
const nodeOptions = ['--max-semi-space-size=64'];

/** A world in a process of its own, in plain JavaScript: its observer stays free, and it can be left for another. */
export class WorldProcess {
  readonly #child: ChildProcess;
  /** Its session is deployed and replayed; rejects with what went wrong. */
  readonly opened: Promise<void>;
  readonly ready: Promise<void>;
  /** Exit code. */
  readonly ended: Promise<number>;

  constructor(
    options: LocalOptions,
    folder: string,
    on: {
      readonly progress: (percent: number) => void;
      readonly branch: (at: number) => void;
      readonly returnTo: (course: number) => void;
    },
  ) {
    const file = join(builtProgram('packages/local/dist'), 'world-worker.mjs');
    this.#child = fork(file, { execArgv: nodeOptions });
    let failure: Error | undefined;
    this.ended = new Promise((resolve) => {
      this.#child.once('exit', (code) => resolve(code ?? 1));
      this.#child.once('error', () => resolve(1));
    });
    const said = new Map<FromWorld['kind'], () => void>();
    const until = (kind: FromWorld['kind']) =>
      Promise.race([
        new Promise<void>((resolve) => said.set(kind, resolve)),
        this.ended.then((code) => {
          throw failure ?? new TerminalError(`the process of the world ended with ${code}`);
        }),
      ]);
    this.opened = until('opened');
    this.ready = until('ready');
    for (const promise of [this.opened, this.ready]) promise.catch(() => {});
    this.#child.on('message', (message: FromWorld) => {
      if (message.kind === 'progress') on.progress(message.percent);
      if (message.kind === 'branch') on.branch(message.at);
      if (message.kind === 'return') on.returnTo(message.to);
      if (message.kind === 'failure')
        failure = new TerminalError(message.message, message.remedy === undefined ? {} : { remedy: message.remedy });
      said.get(message.kind)?.();
    });
    this.send({ kind: 'open', options, folder });
  }

  send(message: ToWorld): void {
    if (this.#child.connected) this.#child.send(message, () => {});
  }

  /** Lets it keep its session and end. */
  async stop(): Promise<void> {
    this.send({ kind: 'stop' });
    await this.ended;
  }
}
