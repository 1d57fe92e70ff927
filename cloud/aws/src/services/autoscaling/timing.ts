import type { DelayRange } from '@drover/cloud-engine';

/** How fast the service itself acts. AWS promises none of these; the ranges are orders of magnitude seen in practice. */
export const scalingTiming = {
  /** From a reason to act to the launch or termination. */
  reaction: [1_000, 5_000] as DelayRange,
  /** From one lifecycle state to the next where nothing is waited for. */
  step: [500, 2_000] as DelayRange,
  /** Until an instance that no longer runs is noticed. */
  healthDetection: [5_000, 60_000] as DelayRange,
  /** "waits a few minutes for AWS to fix the issue": how long an impaired instance is kept. */
  impairedPatience: [120_000, 300_000] as DelayRange,
  /** How long a group's zones are uneven before AZRebalance begins. */
  rebalanceAfterMs: 300_000,
  /** After a failed launch: the first wait, doubled each time up to the last. */
  launchRetryFirstMs: 15_000,
  launchRetryMostMs: 600_000,
  /** How long a zone in which a launch failed for want of capacity is left out. */
  zoneRetryMs: 900_000,
  /** How long CloudFormation waits for a new group's instances. 0: it does not wait. */
  stabilizationLimitMs: 10_800_000,
  /** How long CloudFormation waits for a deleted group's instances. */
  deletionLimitMs: 43_200_000,
};

/** `2026-01-05T00:00:00Z`: how activity causes write a time. */
export const isoSeconds = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
