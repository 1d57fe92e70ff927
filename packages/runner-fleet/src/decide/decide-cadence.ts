import type { RunnerList } from '../model/memory.ts';

/** The platform's last statement about our budget. */
export interface BudgetFacts {
  readonly limit: number;
  readonly remaining: number;
  readonly resetAt: number;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** The metric is never slower than this: alarm periods and the dead-man window tolerate it. */
export const slowestMs = 2 * minuteMs;
/** Share of the budget that the metric may use; registration and drains need the rest. */
const share = 0.8;
/** A schedule of a minute does not come to the second. */
const jitterMs = 20_000;

/** Whether the list is due: every minute, or every second one when the pages would eat the budget. Pure. */
export function listIsDue(known: RunnerList | undefined, budget: BudgetFacts | undefined, now: number): boolean {
  if (known === undefined || budget === undefined) return true;
  const everyMs = fits(known.pages.length, budget, now) ? minuteMs : slowestMs;
  return now - known.at >= everyMs - jitterMs;
}

function fits(pages: number, budget: BudgetFacts, now: number): boolean {
  if (pages * 60 > budget.limit * share) return false;
  const minutesLeft = Math.min(Math.max(0, budget.resetAt - now), hourMs) / minuteMs;
  return pages * minutesLeft <= budget.remaining;
}
