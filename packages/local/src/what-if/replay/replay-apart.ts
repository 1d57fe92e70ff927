import { fork } from 'node:child_process';
import { join } from 'node:path';
import { builtProgram } from '@drover/constructs/programs';
import { TerminalError } from '@drover/core';
import type { Candidate } from '../assemble.ts';
import type { Trace } from '../trace/trace.ts';
import type { Replay, ReplayOptions } from './replay.ts';

type ChosenOptions = Pick<ReplayOptions, 'seed' | 'spotReclaimsPerDay'>;

export interface ToWorker {
  readonly candidate: Candidate;
  readonly trace: Trace;
  readonly options: ChosenOptions;
}

export type FromWorker =
  | { readonly kind: 'progress'; readonly passedMs: number; readonly ofMs: number }
  | { readonly kind: 'outcome'; readonly outcome: Replay }
  | { readonly kind: 'failure'; readonly reason: string };

/** A simulation makes much that lives briefly: with room for it the collector finds it dead. */
const workerOptions = ['--max-semi-space-size=64'];

/**
 * Replays in a process of its own, in plain JavaScript: a loader that translates modules as they come names every
 * function again whenever one is made, and candidates can be replayed beside each other.
 */
export function replayApart(
  candidate: Candidate,
  trace: Trace,
  { seed, spotReclaimsPerDay, signal, progress }: ReplayOptions,
): Promise<Replay> {
  const file = join(builtProgram('packages/local/dist'), 'replay-worker.mjs');
  const worker = fork(file, { execArgv: workerOptions, serialization: 'advanced' });
  const stop = () => void worker.kill('SIGKILL');
  signal?.addEventListener('abort', stop, { once: true });
  const outcome = new Promise<Replay>((resolve, reject) => {
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'progress') progress?.(message.passedMs, message.ofMs);
      else if (message.kind === 'outcome') resolve(message.outcome);
      else reject(new TerminalError(`${candidate.name}: ${message.reason}`));
    });
    worker.once('error', reject);
    worker.once('exit', (code, killedBy) =>
      reject(signal?.reason ?? new TerminalError(`${candidate.name}: the replay ended with ${killedBy ?? code}`)),
    );
  });
  worker.send({ candidate, trace, options: { seed, spotReclaimsPerDay } } satisfies ToWorker);
  return outcome.finally(() => signal?.removeEventListener('abort', stop));
}
