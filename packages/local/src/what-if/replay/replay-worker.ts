/** A process that replays one candidate, for `replay-apart.ts`. */
import { describeError } from '@drover/core';
import { replay } from './replay.ts';
import type { FromWorker, ToWorker } from './replay-apart.ts';

let over = false;
// The caller has gone: nothing waits for the outcome.
process.once('disconnect', () => {
  if (!over) process.exit(1);
});

const tell = (message: FromWorker) => process.send!(message);

process.once('message', async ({ candidate, trace, options }: ToWorker) => {
  const progress = (passedMs: number, ofMs: number) => void tell({ kind: 'progress', passedMs, ofMs });
  try {
    tell({ kind: 'outcome', outcome: await replay(candidate, trace, { ...options, progress }) });
  } catch (error) {
    tell({ kind: 'failure', reason: describeError(error) });
  }
  over = true;
  process.disconnect();
});
