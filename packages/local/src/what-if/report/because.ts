import { cheapestWithin } from '../answer.ts';
import type { Figures } from '../replay/figures.ts';
import { waitText } from './wait-text.ts';

/** A difference below this is none that a reader would ask about. */
const equalCost = 0.02;

/** Why nothing cheaper is good enough, and why a configuration that one would expect to be cheaper is not. */
export function because(figures: readonly Figures[], maxWait: number | undefined): string[] {
  const best = maxWait === undefined ? undefined : cheapestWithin(figures, maxWait);
  return [...(best === undefined ? [] : whyNotCheaper(figures, best)), ...surprises(figures)];
}

/** Of those that cost less than the best one, the one that comes closest to the wait. */
function whyNotCheaper(figures: readonly Figures[], best: Figures): string[] {
  const closest = figures
    .filter(({ cost }) => cost.total < best.cost.total)
    .toSorted((a, b) => a.waitSeconds.p95 - b.waitSeconds.p95)[0];
  if (closest === undefined) return ['Because no configuration costs less.'];
  const { most, running } = longestQueue(closest);
  const reason =
    closest.jobs.unfinished > 0
      ? `${closest.jobs.unfinished} jobs had not ended`
      : `95 of 100 jobs wait up to ${waitText(closest.waitSeconds.p95)}: up to ${most} jobs waited at once, with ${running} of at most ${closest.peakRunners} runners running`;
  return [`Because of those that cost less, the best is ${closest.name}, where ${reason}.`];
}

/** When most jobs waited at once: how many, and how many runners there were. */
function longestQueue({ overTime: { waiting, running } }: Figures): {
  readonly most: number;
  readonly running: number;
} {
  const most = Math.max(0, ...waiting);
  return { most, running: Math.round(running[waiting.indexOf(most)] ?? 0) };
}

/** Neighbours of which the one with more idle runners, all else equal, costs less. */
function surprises(figures: readonly Figures[]): string[] {
  return figures.flatMap((fewer) => {
    const more = figures
      .filter((other) => restOf(other.name) === restOf(fewer.name) && targetOf(other.name) > targetOf(fewer.name))
      .toSorted((a, b) => targetOf(a.name) - targetOf(b.name))[0];
    if (more === undefined || fewer.cost.total <= more.cost.total * (1 + equalCost)) return [];
    const [left, right] = [fewer, more].map((one) => ({ launched: launchedIn(one), idle: idleHours(one) }));
    return [
      `${fewer.name} costs more than ${more.name}, because what it saves in idle runners it spends on growing: it launched about ${left!.launched} runners against ${right!.launched}, ${fewer.peakRunners} against ${more.peakRunners} at the peak, and ${left!.idle.toFixed(1)} against ${right!.idle.toFixed(1)} runner-hours had no job.`,
    ];
  });
}

const idleTarget = /\bidle (?:target )?(\d+)|idle_runners_target_count[= ](\d+)/;
const restOf = (name: string): string => name.replace(idleTarget, 'idle N');
function targetOf(name: string): number {
  const [, short, long] = idleTarget.exec(name) ?? [];
  return Number(short ?? long ?? Number.NaN);
}

const launchedIn = ({ overTime: { running } }: Figures): number =>
  Math.round(running.reduce((sum, now, index) => sum + Math.max(0, now - (running[index - 1] ?? 0)), 0));

const idleHours = ({ runnerHours, idleShare }: Figures): number => runnerHours.total * idleShare;
