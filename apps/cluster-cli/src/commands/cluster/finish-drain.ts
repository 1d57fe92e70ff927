import { renderRefusal } from '@drover/core';
import type { DecommissionCase, DecommissionOutcome } from '@drover/search-cluster';
import type { Context } from '../../context.ts';
import { exitCodes } from '../../exit-codes.ts';

/** Says how a drain ended; the exit code tells scripts the same. */
export function finishDrain(context: Context, outcome: DecommissionOutcome, drain: DecommissionCase): number {
  switch (outcome.kind) {
    case 'drained':
      context.log.info(
        `node ${drain.nodeId} is drained${drain.terminating === undefined ? ': it may be stopped' : ''}`,
      );
      return exitCodes.done;
    case 'refused':
      context.log.error(renderRefusal(outcome.refusal));
      return exitCodes.refused;
    case 'stalled':
      context.log.error(
        `${renderRefusal(outcome.refusal)}${recordStays(drain)}`.replace('refused (stalled)', 'stalled'),
      );
      return exitCodes.stalled;
    case 'timed-out':
      context.log.error(`timed out: ${outcome.because}.${recordStays(drain)}`);
      return exitCodes.timedOut;
  }
}

const recordStays = (drain: DecommissionCase) =>
  drain.withdrawOnGiveUp ? ' The shutdown was withdrawn.' : ' The shutdown record stays: the next run looks again.';
