import { cheapestWithin } from '../answer.ts';
import type { Figures } from '../replay/figures.ts';
import { waitText } from './wait-text.ts';

/** A difference below this is none that a reader would ask about. */
const equalCost = 0.02;

/** Why nothing cheaper is good enough, or nothing at all, and why one that should be cheaper is not. */
export function because(figures: readonly Figures[], maxWait: number | undefined): string[] {
  const best = maxWait === undefined ? undefined : cheapestWithin(figures, maxWait);
  const answer = best === undefined ? (maxWait === undefined ? [] : whyNone(figures)) : whyNotCheaper(figures, best);
  return [...answer, ...surprises(figures), ...fixedFleets(figures)];
}

/** Of the one with the shortest wait. */
function whyNone(figures: readonly Figures[]): string[] {
  const shortest = figures.toSorted((a, b) => a.waitSeconds.p95 - b.waitSeconds.p95)[0];
  return shortest === undefined ? [] : [`Because even with ${shortest.name}, ${reasonOf(shortest)}.`];
}

/** Of those that cost less than the best one, the one that comes closest to the wait. */
function whyNotCheaper(figures: readonly Figures[], best: Figures): string[] {
  const closest = figures
    .filter(({ cost }) => cost.total < best.cost.total)
    .toSorted((a, b) => a.waitSeconds.p95 - b.waitSeconds.p95)[0];
  if (closest === undefined) return ['Because no configuration costs less.'];
  return [`Because of those that cost less, the best is ${closest.name}, where ${reasonOf(closest)}.`];
}

function reasonOf(figures: Figures): string {
  const { jobs, waitSeconds, peakRunners } = figures;
  if (jobs.unfinished > 0) return `${jobs.unfinished} jobs had not ended`;
  const { most, running } = longestQueue(figures);
  return `95 of 100 jobs wait up to ${waitText(waitSeconds.p95)}: up to ${most} jobs waited at once, with ${running} of at most ${peakRunners} runners running`;
}

/** When most jobs waited at once: how many, and how many runners there were. */
function longestQueue({ overTime: { waiting, running } }: Figures): {
  readonly most: number;
  readonly running: number;
} {
  const most = Math.max(0, ...waiting);
  return { most, running: Math.round(running[waiting.indexOf(most)] ?? 0) };
}

interface Axis {
  /** Of which a configuration has more than another, all else equal, and should cost more. */
  readonly value: RegExp;
  readonly reason: string;
}

const axes: readonly Axis[] = [
  {
    value: /\bidle (?:target )?(\d+)|idle_runners_target_count[= ](\d+)/,
    reason: 'because what it saves in idle runners it spends on growing',
  },
  {
    value: /\bmax (\d+)|asg_max_size[= ](\d+)/,
    reason: 'because a queue that is served more slowly keeps its runners longer',
  },
];

/** Neighbours of which the one with more idle runners, or a larger maximum, costs less. */
const surprises = (figures: readonly Figures[]): string[] =>
  axes.flatMap(({ value, reason }) =>
    figures.flatMap((fewer) => {
      const more = figures
        .filter(
          (other) => restOf(other, value) === restOf(fewer, value) && amountOf(other, value) > amountOf(fewer, value),
        )
        .toSorted((a, b) => amountOf(a, value) - amountOf(b, value))[0];
      if (more === undefined || fewer.cost.total <= more.cost.total * (1 + equalCost)) return [];
      return [`${fewer.name} costs more than ${more.name}, ${reason}: it ${growth(fewer, more)}.`];
    }),
  );

const restOf = ({ name }: Figures, value: RegExp): string => name.replace(value, 'N');
function amountOf({ name }: Figures, value: RegExp): number {
  const [, short, long] = value.exec(name) ?? [];
  return Number(short ?? long ?? Number.NaN);
}

/** A fixed number of runners that costs less than a fleet that scales, and has no longer waits. */
function fixedFleets(figures: readonly Figures[]): string[] {
  const isFixed = ({ name }: Figures) => / at all times$/.test(name);
  return figures.filter(isFixed).flatMap((fixed) => {
    const beaten = figures
      .filter((one) => !isFixed(one) && one.waitSeconds.p95 >= fixed.waitSeconds.p95)
      .toSorted((a, b) => a.cost.total - b.cost.total)[0];
    if (beaten === undefined || beaten.cost.total <= fixed.cost.total * (1 + equalCost)) return [];
    return [
      `${beaten.name} costs more than ${fixed.name} and waits no less, because it grows in steps and gives back slowly: it ${growth(beaten, fixed)}.`,
    ];
  });
}

/** Where the runner-hours of one went, against another. */
function growth(one: Figures, other: Figures): string {
  const hours = [one, other].map((figures) => idleHours(figures).toFixed(1)).join(' against ');
  return `launched about ${launchedIn(one)} runners against ${launchedIn(other)}, ${one.peakRunners} against ${other.peakRunners} at the peak, and ${hours} runner-hours had no job`;
}

const launchedIn = ({ overTime: { running } }: Figures): number =>
  Math.round(running.reduce((sum, now, index) => sum + Math.max(0, now - (running[index - 1] ?? 0)), 0));

const idleHours = ({ runnerHours, idleShare }: Figures): number => runnerHours.total * idleShare;
