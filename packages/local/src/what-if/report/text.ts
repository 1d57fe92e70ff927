import type { PriceTable } from '@drover/operator/fleet/prices';
import { table } from '@drover/operator/render/table';
import { cheapestWithin, paretoFront } from '../answer.ts';
import type { Figures } from '../replay/figures.ts';
import type { Trace } from '../trace/trace.ts';
import { because } from './because.ts';
import { type Comparison, waitsInHistory } from './comparison.ts';
import { waitText } from './wait-text.ts';

/** The comparison for people: two tables, each as wide as a terminal, losses and the result. */
export function comparisonText(comparison: Comparison): string {
  const { trace, prices, figures } = comparison;
  return [
    headline(trace, prices),
    table([heading(prices), ...figures.map(row)]),
    table([usageHeading, ...figures.map(usageRow)]),
    ...figures.flatMap(losses),
    [...baselines(comparison), ...answers(comparison), ...because(figures, comparison.maxWait)]
      .map((line) => `${line}\n`)
      .join(''),
    'Cost is instances and their volumes; network, functions, metrics and logs are not in it. idle: share of the runner-hours without a job.\n',
  ].join('\n');
}

function baselines({ trace, prices, hosted }: Comparison): string[] {
  const real = waitsInHistory(trace);
  return [
    ...(real === undefined
      ? []
      : [
          `When these jobs really ran they waited: p50 ${waitText(real.p50)}, p95 ${waitText(real.p95)}, max ${waitText(real.max)}.`,
        ]),
    ...(hosted === undefined
      ? []
      : [
          `GitHub-hosted runners (${hosted.runner}): ${hosted.minutes} minutes, ${money(hosted.total)} ${prices.currency}, less what your plan includes. How long jobs wait there is not known.`,
        ]),
  ];
}

function answers({ figures, maxWait, prices }: Comparison): string[] {
  const front = paretoFront(figures);
  const named =
    front.length === figures.length
      ? []
      : [`Not beaten in both wait and cost: ${front.map(({ name }) => name).join('; ')}.`];
  if (maxWait === undefined) return named;
  const within = `with a p95 wait of at most ${waitText(maxWait)}`;
  const best = cheapestWithin(figures, maxWait);
  if (best === undefined) {
    const shortest = front.at(-1)!;
    return [...named, `None is ${within}; the shortest has ${waitText(shortest.waitSeconds.p95)}: ${shortest.name}.`];
  }
  const lost = best.jobs.lost === 0 ? '' : `, ${best.jobs.lost} jobs lost`;
  const price = `${money(best.cost.total)} ${prices.currency}`;
  return [...named, `The cheapest ${within}: ${best.name} (${waitText(best.waitSeconds.p95)}, ${price}${lost}).`];
}

export const money = (value: number): string => value.toFixed(2);

const moment = (ms: number) => `${new Date(ms).toISOString().slice(0, 16)}Z`;

const headline = (trace: Trace, prices: PriceTable) =>
  `${trace.jobs.length} jobs from ${moment(trace.startMs)} to ${moment(trace.endMs)}; prices of ${prices.region}, ${prices.date}, in ${prices.currency}\n`;

const heading = ({ currency }: PriceTable) => [
  'configuration',
  'wait p50',
  'p95',
  'p99',
  'max',
  'lost',
  'idle',
  `cost ${currency}`,
];

const row = (figures: Figures): string[] => [
  figures.name,
  waitText(figures.waitSeconds.p50),
  waitText(figures.waitSeconds.p95),
  waitText(figures.waitSeconds.p99),
  waitText(figures.waitSeconds.max),
  String(figures.jobs.lost),
  `${Math.round(figures.idleShare * 100)} %`,
  money(figures.cost.total),
];

const usageHeading = ['configuration', 'runner-hours', 'spot', 'warm pool', 'peak', 'requests/h', 'counted/h'];

const usageRow = (figures: Figures): string[] => [
  figures.name,
  figures.runnerHours.total.toFixed(1),
  figures.runnerHours.spot.toFixed(1),
  figures.warmPoolHours.toFixed(1),
  String(figures.peakRunners),
  figures.platformRequests.perHour.toFixed(0),
  figures.platformRequests.countedPerHour.toFixed(0),
];

function losses({ name, jobs }: Figures): string[] {
  const because = Object.entries(jobs.lostBecause).map(([cause, count]) => `${count} ${cause}`);
  const lost = because.length === 0 ? [] : [`${name}: lost jobs: ${because.join(', ')}\n`];
  return jobs.unfinished === 0
    ? lost
    : [...lost, `${name}: ${jobs.unfinished} jobs had not ended when the replay gave up\n`];
}
