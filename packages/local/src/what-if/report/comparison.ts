import type { WhatIfReport } from '@drover/observation/api';
import type { HostedCost, PriceTable } from '@drover/operator/fleet/prices';
import { cheapestWithin, paretoFront } from '../answer.ts';
import { type Figures, waitsOf } from '../replay/figures.ts';
import type { Trace } from '../trace/trace.ts';
import { because } from './because.ts';

/** Everything that a report contains. */
export interface Comparison {
  readonly title: string;
  readonly trace: Trace;
  readonly prices: PriceTable;
  readonly figures: readonly Figures[];
  /** Seconds within which the p95 wait is to be. */
  readonly maxWait: number | undefined;
  /** Undefined: the price table does not have it. */
  readonly hosted: HostedCost | undefined;
}

/** How long the jobs really waited, if the trace shows it. */
export function waitsInHistory({ jobs }: Trace): Figures['waitSeconds'] | undefined {
  const known = jobs.flatMap(({ waitedMs }) => (waitedMs === undefined ? [] : [waitedMs]));
  return known.length === 0 ? undefined : waitsOf(known);
}

/** For programs, and for the page. */
export function comparisonReport({ title, trace, prices, figures, maxWait, hosted }: Comparison): WhatIfReport {
  const { instanceHour: _, ...priceTable } = prices;
  return {
    title,
    trace: {
      jobs: trace.jobs.length,
      from: new Date(trace.startMs).toISOString(),
      to: new Date(trace.endMs).toISOString(),
      waitSeconds: waitsInHistory(trace),
    },
    prices: priceTable,
    hosted,
    cheapest: maxWait === undefined ? undefined : (cheapestWithin(figures, maxWait)?.name ?? null),
    because: because(figures, maxWait),
    paretoFront: paretoFront(figures).map(({ name }) => name),
    configurations: figures,
  };
}
