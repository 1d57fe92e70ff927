/** A process with one world, for `world-process.ts`. */
import { resolve } from 'node:path';
import { DroverError, describeError } from '@drover/core';
import { processIo } from '@drover/operator/process-io';
import { openWorld, serveUntil } from '../open-world.ts';
import { Session } from '../session.ts';
import type { FromWorld, ToWorld } from './protocol.ts';

const stop = new AbortController();
const stopped = new Promise<void>((resolve_) => stop.signal.addEventListener('abort', () => resolve_()));
const send = (message: FromWorld) => void (process.connected && process.send!(message));
let serve = () => {};
const mayServe = new Promise<void>((resolve_) => {
  serve = resolve_;
});
let serving = false;
let travel: Extract<ToWorld, { kind: 'travel' }>['travel'];

void stopped.then(() => {
  if (!serving) process.exit(0);
});

// Ctrl-C reaches every process of the terminal: who started this one says when to stop.
process.on('SIGINT', () => {});
process.once('disconnect', () => stop.abort());
process.on('message', (message: ToWorld) => {
  if (message.kind === 'open') void run(message);
  else if (message.kind === 'serve') serve();
  else if (message.kind === 'travel') travel = message.travel;
  else stop.abort();
});

async function run({ options, folder }: Extract<ToWorld, { kind: 'open' }>): Promise<void> {
  const io = processIo(stop.signal);
  try {
    const session = new Session(folder);
    const opened = await openWorld(io, options, session, (percent) => send({ kind: 'progress', percent }));
    send({ kind: 'opened' });
    await mayServe;
    session.takePlaceOf(resolve(options.state));
    serving = true;
    await serveUntil(stopped, io, options, opened, {
      ready: () => send({ kind: 'ready' }),
      branch: (at) => send({ kind: 'branch', at }),
      returnTo: (course) => send({ kind: 'return', to: course }),
      travel: () => travel,
    });
    // Simulated work may still be running; it is not waited for.
    process.exit(0);
  } catch (error) {
    const remedy = error instanceof DroverError ? error.remedy : undefined;
    process.send?.({ kind: 'failure', message: describeError(error), remedy }, () => process.exit(1));
  }
}
