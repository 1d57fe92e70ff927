import type { WhatIfAnswer, WhatIfFigures } from '@drover/observation/api';
import type { Given } from '@drover/observation/observed-inputs';
import { cheapestWithin, paretoFront } from '../answer.ts';
import type { Figures } from '../replay/figures.ts';
import { type Comparison, waitsInHistory } from '../report/comparison.ts';

/** The page's view of a comparison. */
export function answerOf(comparison: Comparison, maxWait: number, deployed: string): WhatIfAnswer {
  const { figures, hosted, prices, trace, title } = comparison;
  const front = paretoFront(figures);
  return {
    title,
    jobs: trace.jobs.length,
    from: trace.startMs,
    to: trace.endMs,
    currency: prices.currency,
    prices: `${prices.region}, ${prices.date}`,
    maxWaitSeconds: maxWait,
    cheapest: cheapestWithin(figures, maxWait)?.name,
    deployed: figures.some(({ name }) => name === deployed) ? deployed : undefined,
    waitsThen: waitsInHistory(trace),
    hosted,
    figures: figures.map((one) => shown(one, front.includes(one))),
  };
}

const shown = ({ name, waitSeconds, jobs, runnerHours, peakRunners, idleShare, cost }: Figures, onFront: boolean) =>
  ({
    name,
    inputs: inputsIn(name),
    waitSeconds,
    lost: jobs.lost,
    unfinished: jobs.unfinished,
    runnerHours: runnerHours.total,
    peakRunners,
    idleShare,
    cost: cost.total,
    onFront,
  }) satisfies WhatIfFigures;

/** `jobs mode, idle_runners_target_count=2, asg_max_size=8` in the words of the page. */
export const titleOf = (name: string): string =>
  name.replace('idle_runners_target_count=', 'idle target ').replace('asg_max_size=', 'max ');

/** The report's name for the deployed configuration. */
export const deployedTitle = (inputs: Given): string =>
  `${inputs.scaling_mode} mode, idle target ${inputs.idle_runners_target_count}, max ${inputs.asg_max_size}`;

/** The inverse of `deployedTitle`. */
function inputsIn(name: string): WhatIfFigures['inputs'] {
  const [, mode, idleTarget, maxSize] = /^(idle|jobs) mode, idle target (\d+), max (\d+)/.exec(name) ?? [];
  return { mode: mode === 'jobs' ? 'jobs' : 'idle', idleTarget: Number(idleTarget), maxSize: Number(maxSize) };
}
