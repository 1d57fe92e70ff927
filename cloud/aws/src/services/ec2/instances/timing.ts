import type { DelayRange } from '@drover/cloud-engine';

/** How long an instance stays in its passing states. Orders of magnitude as seen in practice; AWS promises none of them. */
export interface InstanceTiming {
  /** `pending` to `running`. */
  pending: DelayRange;
  /** `stopping` to `stopped`, once memory is saved where it hibernates. */
  stopping: DelayRange;
  /** `shutting-down` to `terminated`. */
  shuttingDown: DelayRange;
  /** A terminated instance stays visible "for a short while (usually less than one hour)": Terminate Amazon EC2 instances. */
  terminatedVisibleMs: number;
  /** From the interruption notice to the end: Spot Instance interruption notices. */
  spotNoticeMs: number;
  /** How often the fault plan is asked whether a spot instance is reclaimed. */
  spotFaultPeriodMs: number;
  /** How long status checks are `initializing` after an instance runs. */
  statusInitializingMs: number;
}

export const defaultInstanceTiming: InstanceTiming = {
  pending: [8_000, 25_000],
  stopping: [10_000, 40_000],
  shuttingDown: [20_000, 60_000],
  terminatedVisibleMs: 3_600_000,
  spotNoticeMs: 120_000,
  spotFaultPeriodMs: 60_000,
  statusInitializingMs: 120_000,
};
