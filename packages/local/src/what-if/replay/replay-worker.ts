/** A process that replays one candidate, for `replay-apart.ts`. */
import { describeError } from '@drover/core';
import { replay } from './replay.ts';
import type { FromWorker, ToWorker } from './replay-apart.ts';

let over = false;
// The caller has gone: nothing waits for the outcome.
process.once('disconnect', () => {
  if (!over) process.exit(1);
});

const send = (message: FromWorker) => process.send!(message);

process.once('message', async ({ candidate, trace, options }: ToWorker) => {
  const progress = (passedMs: number, ofMs: number) => void send({ kind: 'progress', passedMs, ofMs });
  try {
    send({ kind: 'outcome', outcome: await replay(candidate, trace, { ...options, progress }) });
  } catch (error) {
    send({ kind: 'failure', reason: describeError(error) });
  }
  over = true;
  process.disconnect();
});
