import type { DelayRange } from '@drover/cloud-engine';

/** How long a machine takes. Orders of magnitude as seen in practice; AWS does not promise them. */
export interface MachineTiming {
  /** From `running` until the first program runs. */
  bootMs: DelayRange;
  /** From the first program until the remote-command agent registers. */
  agentMs: DelayRange;
  /** Writing memory to the root volume. */
  saveMs: DelayRange;
  /** Reading it back. */
  resumeMs: DelayRange;
  /** How long a machine that is gone can still be inspected. */
  keepGoneMs: number;
}

export const defaultMachineTiming: MachineTiming = {
  bootMs: [8_000, 30_000],
  agentMs: [2_000, 12_000],
  saveMs: [5_000, 30_000],
  resumeMs: [3_000, 15_000],
  keepGoneMs: 3_600_000,
};
