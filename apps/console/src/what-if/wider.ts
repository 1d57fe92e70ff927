import type { WhatIfAsked, WhatIfReport, WhatIfRun } from '@drover/observation/api';

/** A question that goes on where another one had no good result. */
export interface Wider {
  /** Such as `max 16`. */
  readonly words: string;
  readonly question: WhatIfAsked;
}

const most = 1_000;

/**
 * If no configuration is good enough: a maximum twice as large where the best one reached its own, else twice as many
 * idle runners. All else is asked as before.
 */
export function widerThan(
  { configurations, asked }: Pick<WhatIfRun, 'configurations' | 'asked'>,
  report: Pick<WhatIfReport, 'cheapest' | 'configurations'>,
): Wider | undefined {
  const [shortest] = report.configurations.toSorted((a, b) => a.waitSeconds.p95 - b.waitSeconds.p95);
  const inputs = shortest && configurations[shortest.name];
  if (report.cheapest !== null || asked === undefined || shortest === undefined || inputs === undefined)
    return undefined;
  if (shortest.peakRunners >= inputs.maxSize) {
    const maxSize = 2 * Math.max(...asked.maxSizes);
    return maxSize > most ? undefined : { words: `max ${maxSize}`, question: { ...asked, maxSizes: [maxSize] } };
  }
  const idleTarget = 2 * Math.max(1, ...asked.idleTargets);
  return idleTarget > most
    ? undefined
    : { words: `idle target ${idleTarget}`, question: { ...asked, idleTargets: [idleTarget] } };
}
