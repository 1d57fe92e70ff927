import type { Random } from '@drover/core';
import type { BusyReport } from './model.ts';

/**
 * The API's `busy` lags and lies: it reads false for up to a minute after a job was assigned, and may read false for a
 * while during a job (github-aws-runners/terraform-aws-github-runner issue 5085 reports both).
 */
const lagMs = { most: 60_000 };
const flipChance = 0.1;
const flipMs = { least: 5_000, most: 60_000 };
const endLagMs = { most: 10_000 };

export function busyAfterDispatch(
  before: readonly BusyReport[],
  now: number,
  durationMs: number,
  random: Random,
): BusyReport[] {
  const visibleAt = now + random.int(0, lagMs.most);
  const reports = [...passed(before, now), { at: visibleAt, busy: true }];
  if (durationMs < 120_000 || !random.chance(flipChance)) return reports;
  const flipAt = visibleAt + random.int(1_000, durationMs);
  return [...reports, { at: flipAt, busy: false }, { at: flipAt + random.int(flipMs.least, flipMs.most), busy: true }];
}

export function busyAfterEnd(before: readonly BusyReport[], now: number, random: Random): BusyReport[] {
  return [...passed(before, now), { at: now + random.int(0, endLagMs.most), busy: false }];
}

/** What the API says at this moment. */
export const reportedBusy = (reports: readonly BusyReport[], now: number): boolean =>
  reports.findLast((report) => report.at <= now)?.busy ?? false;

/** What is still to come is void; of the past only the last report matters. */
const passed = (reports: readonly BusyReport[], now: number) => reports.filter((report) => report.at <= now).slice(-1);
