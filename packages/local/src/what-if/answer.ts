import type { Figures } from './replay/figures.ts';

/** The cheapest whose p95 wait is at most this, and on which every job came to its end. */
export const cheapestWithin = (figures: readonly Figures[], mostSeconds: number): Figures | undefined =>
  figures
    .filter(({ waitSeconds, jobs }) => waitSeconds.p95 <= mostSeconds && jobs.unfinished === 0)
    .toSorted((a, b) => a.cost.total - b.cost.total)[0];

/** Those that no other beats in both wait (p95) and cost, the cheapest first. */
export function paretoFront(figures: readonly Figures[]): readonly Figures[] {
  let shortest = Number.POSITIVE_INFINITY;
  return figures
    .toSorted((a, b) => a.cost.total - b.cost.total || a.waitSeconds.p95 - b.waitSeconds.p95)
    .filter(({ waitSeconds }) => {
      if (waitSeconds.p95 >= shortest) return false;
      shortest = waitSeconds.p95;
      return true;
    });
}
