import type { DelayRange } from '@drover/cloud-engine';

/** How long an instance stays in its passing states. Orders of magnitude as seen in practice; AWS promises none of them. */
export const instanceTiming = {
  /** `pending` to `running`. */
  pending: [8_000, 25_000] as DelayRange,
  /** `stopping` to `stopped`, once memory is saved where it hibernates. */
  stopping: [10_000, 40_000] as DelayRange,
  /** `shutting-down` to `terminated`. */
  shuttingDown: [20_000, 60_000] as DelayRange,
  /** A terminated instance stays visible "for a short while (usually less than one hour)": Terminate Amazon EC2 instances. */
  terminatedVisibleMs: 3_600_000,
  /** From the interruption notice to the end: Spot Instance interruption notices. */
  spotNoticeMs: 120_000,
  /** How often the fault plan is asked whether a spot instance is reclaimed. */
  spotFaultPeriodMs: 60_000,
};
