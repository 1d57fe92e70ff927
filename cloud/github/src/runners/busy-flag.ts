import type { Random } from '@drover/core';
import type { BusyReport } from '../model.ts';

/** How far what the API says of `busy` is from the truth. */
export interface BusyFlagOptions {
  /** The longest time that `busy` still reads false after a job was assigned. @default 60 s */
  readonly mostLagMs?: number;
  /** With this chance it reads false again for a while during a job of two minutes or more. @default 0.1 */
  readonly flipChance?: number;
  /** For how long, then. @default 5 s to 5 min */
  readonly flipMs?: { readonly least: number; readonly most: number };
  /** The longest time that it still reads true after a job. @default 10 s */
  readonly mostEndLagMs?: number;
}

/**
 * The API's `busy` lags and lies: it reads false for up to a minute after a job was assigned, and may read false for
 * minutes during a job (github-aws-runners/terraform-aws-github-runner issue 5085 and pull request 5228, actions/runner
 * issue 4422). How often and how long follows those reports; GitHub documents neither.
 */
export class BusyFlag {
  readonly #random: Random;
  readonly #mostLagMs: number;
  readonly #flipChance: number;
  readonly #flipMs: { readonly least: number; readonly most: number };
  readonly #mostEndLagMs: number;

  constructor(random: Random, options: BusyFlagOptions = {}) {
    this.#random = random;
    this.#mostLagMs = options.mostLagMs ?? 60_000;
    this.#flipChance = options.flipChance ?? 0.1;
    this.#flipMs = options.flipMs ?? { least: 5_000, most: 300_000 };
    this.#mostEndLagMs = options.mostEndLagMs ?? 10_000;
  }

  afterDispatch(before: readonly BusyReport[], now: number, durationMs: number): BusyReport[] {
    const visibleAt = now + this.#random.int(0, this.#mostLagMs);
    const reports = [...passed(before, now), { at: visibleAt, busy: true }];
    if (durationMs < shortestFlippingJobMs || !this.#random.chance(this.#flipChance)) return reports;
    const flipAt = visibleAt + this.#random.int(1_000, durationMs);
    const backAt = flipAt + this.#random.int(this.#flipMs.least, this.#flipMs.most);
    return [...reports, { at: flipAt, busy: false }, { at: backAt, busy: true }];
  }

  afterEnd(before: readonly BusyReport[], now: number): BusyReport[] {
    return [...passed(before, now), { at: now + this.#random.int(0, this.#mostEndLagMs), busy: false }];
  }
}

const shortestFlippingJobMs = 120_000;

/** The flag as the API shows it at this moment. */
export const reportedBusy = (reports: readonly BusyReport[], now: number): boolean =>
  reports.findLast((report) => report.at <= now)?.busy ?? false;

/** When the API will next say something else. */
export function nextReportAt(reports: readonly BusyReport[], now: number): number {
  for (const report of reports) if (report.at > now) return report.at;
  return Number.POSITIVE_INFINITY;
}

/** Future reports are void; of the past only the last report matters. */
const passed = (reports: readonly BusyReport[], now: number) => reports.filter((report) => report.at <= now).slice(-1);
