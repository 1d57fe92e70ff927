import type { DelayRange } from '@drover/cloud-engine';

/** How long a modification of a volume takes. AWS promises neither. */
export const volumeTiming = {
  /** "Size changes usually take a few seconds": EBS User Guide, "Monitor the progress of volume modifications". */
  modifying: [3_000, 60_000] as DelayRange,
  /** "From a few minutes to a few hours": the same page. The volume is used meanwhile, with its new size. */
  optimizing: [10 * 60_000, 6 * 3_600_000] as DelayRange,
  /** "Up to four times within a rolling 24-hour period": API Reference, ModifyVolume. */
  rateWindowMs: 24 * 3_600_000,
  mostInWindow: 4,
};
