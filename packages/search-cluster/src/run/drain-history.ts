import type { DrainHistory } from '../decide/decommission-facts.ts';
import type { ShutdownStatus } from '../model/shutdown.ts';

export const noDrainHistory: DrainHistory = {
  completeReadings: 0,
  stalledReadings: 0,
  stalledSince: undefined,
  lastHeartbeatAt: undefined,
  hookGone: false,
  leaseLastHeldAt: undefined,
};

/** Counts readings in a row; `undefined` (no record, or nothing could be read) breaks every row. */
export function afterReading(history: DrainHistory, status: ShutdownStatus | undefined, now: number): DrainHistory {
  const stalled = status === 'STALLED';
  return {
    ...history,
    completeReadings: status === 'COMPLETE' ? history.completeReadings + 1 : 0,
    stalledReadings: stalled ? history.stalledReadings + 1 : 0,
    stalledSince: stalled ? (history.stalledSince ?? now) : undefined,
  };
}
