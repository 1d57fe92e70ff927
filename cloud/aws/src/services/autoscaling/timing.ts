import type { DelayRange } from '@drover/cloud-engine';

/** How fast the service itself acts. AWS promises none of these; the ranges are orders of magnitude seen in practice. */
export interface ScalingTiming {
  /** From a reason to act to the launch or termination. */
  reaction: DelayRange;
  /** From one lifecycle state to the next where nothing is waited for. */
  step: DelayRange;
  /** Until an instance that no longer runs is noticed. */
  healthDetection: DelayRange;
  /** "waits a few minutes for AWS to fix the issue": how long an impaired instance is kept. */
  impairedPatience: DelayRange;
  /** How long a group's zones are uneven before AZRebalance begins. */
  rebalanceAfterMs: number;
  /** After a failed launch: the first wait, doubled each time up to the last. */
  launchRetryFirstMs: number;
  launchRetryMostMs: number;
  /** How long a zone in which a launch failed for want of capacity is left out. */
  zoneRetryMs: number;
  /** How long CloudFormation waits for a new group's instances. 0: it does not wait. */
  stabilizationLimitMs: number;
  /** How long CloudFormation waits for a deleted group's instances. */
  deletionLimitMs: number;
}

export const defaultScalingTiming: ScalingTiming = {
  reaction: [1_000, 5_000],
  step: [500, 2_000],
  healthDetection: [5_000, 60_000],
  impairedPatience: [120_000, 300_000],
  rebalanceAfterMs: 300_000,
  launchRetryFirstMs: 15_000,
  launchRetryMostMs: 600_000,
  zoneRetryMs: 900_000,
  stabilizationLimitMs: 10_800_000,
  deletionLimitMs: 43_200_000,
};

/** `2026-01-05T00:00:00Z`: how activity causes write a time. */
export const isoSeconds = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
