import { PlatformStatusError, rateLimit } from '@drover/adapters/github';
import { TransientError } from '@drover/core';
import { defaultType } from '@drover/core/names/runner-fleet';
import type { OpenFleet } from '@drover/operator/fleet/open-fleet';
import type { JobsMemory, RunnerList } from '@drover/runner-fleet';
import type { PlatformState } from '../../api.ts';
import type { Source } from '../rota.ts';

/** The runners of the fleet and the platform's rate limit; in jobs mode what the windows remember, for a scale set has no list of its runners. */
export function platformReadings({ ports, platform, types = [] }: Pick<OpenFleet, 'ports' | 'platform' | 'types'>) {
  const read: { runners?: RunnerList; jobs?: JobsMemory | undefined; remaining?: number | undefined } = {};
  const ofTypes = new Map<string, JobsMemory | undefined>();
  let trouble: 'down' | 'limited' | undefined;

  /** Reads of the platform. */
  const watched = (act: () => Promise<void>) => async () => {
    try {
      await act();
      trouble = undefined;
    } catch (error) {
      if (error instanceof PlatformStatusError) trouble = undefined;
      else trouble = error instanceof TransientError && error.retryAfterMs !== undefined ? 'limited' : 'down';
      throw error;
    }
  };
  const readRunners = watched(async () => {
    read.runners = await ports.runners.list(read.runners);
  });
  const readLimit = watched(async () => {
    read.remaining = (await rateLimit(platform))?.core.remaining;
  });
  const readMemory = async () => {
    read.jobs = (await ports.memory.read()).jobs;
    for (const type of types) ofTypes.set(type.type, (await type.ports.memory.read()).jobs);
  };

  const limit: Source = { what: 'GitHub: rate limit', everyMs: 60_000, read: readLimit };
  const list: Source = { what: 'GitHub: runners', everyMs: 20_000, read: readRunners };
  const memory: Source = { what: 'fleet memory', everyMs: 15_000, read: readMemory };
  return {
    /** Asked of the platform. A page of runners that has not changed costs nothing of the limit, nor does asking for the limit. */
    sources: ports.jobsMode ? [limit] : [list, limit],
    /** Asked of AWS. */
    memorySources: ports.jobsMode ? [memory] : [],
    runners: () => read.runners,
    jobs: () => read.jobs,
    jobsOf: (type: string) => (type === defaultType ? read.jobs : ofTypes.get(type)),
    state: () => platformState(trouble, read.remaining),
  };
}

/** GitHub as an account knows it: nothing is wrong where nothing was read. */
export const platformState = (trouble?: 'down' | 'limited', remaining?: number): PlatformState => ({
  down: trouble === 'down',
  rateLimited: trouble === 'limited',
  slowNetwork: false,
  functionsThrottled: false,
  remaining,
  requests: undefined,
});
