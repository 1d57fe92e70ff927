import { queuedWithoutSession } from './each/e1.ts';
import { freshStatistics } from './each/e2.ts';
import { announcedZero } from './each/e3.ts';
import { extraLabels } from './each/e4.ts';
import { twoSets } from './each/e5.ts';
import { rerunInProgress } from './each/e6.ts';
import { preloadSeesCache } from './each/e7.ts';
import { launchInstances } from './each/e8.ts';
import { parameterWithMixedPolicy } from './each/e9.ts';
import { bootTimings } from './each/e10.ts';
import type { Experiment } from './experiment.ts';

/** All experiments, in the order of their numbers. */
export const experiments: readonly Experiment[] = [
  queuedWithoutSession,
  freshStatistics,
  announcedZero,
  extraLabels,
  twoSets,
  rerunInProgress,
  preloadSeesCache,
  launchInstances,
  parameterWithMixedPolicy,
  bootTimings,
];

/** The suffixes of all scale sets that experiments make. */
export const setSuffixes: Readonly<Record<string, readonly string[]>> = {
  E1: [''],
  E2: [''],
  E3: ['one', 'zero'],
  E4: [''],
  E5: ['one', 'two'],
  E7: [''],
};
