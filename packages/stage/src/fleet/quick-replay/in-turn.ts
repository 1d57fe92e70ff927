import { turnOf } from '@drover/cloud-engine';
import type { Clock } from '@drover/core';
import { type AnyCall, everyService, type ProgramAws } from '../program-services.ts';

/** Queues each call, so that what happens at the same moment keeps its order whichever way the call goes. */
export const inTurn = (calls: ProgramAws, clock: Clock): ProgramAws =>
  everyService((service) => async (operation, input) => {
    await turnOf(clock);
    try {
      return await (calls[service] as AnyCall)(operation, input);
    } finally {
      await turnOf(clock);
    }
  });
