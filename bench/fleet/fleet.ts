import type { Figures } from '../figures.ts';
import { benchModes } from './modes.ts';
import { benchOvershoot } from './overshoot.ts';
import { benchJobsRequests, benchRequests } from './requests.ts';
import { benchSpot } from './spot.ts';
import { benchTypes } from './types.ts';
import { benchFunctionMemory, benchTypesFunction } from './types-function.ts';

/** Figures of a fleet whose names begin with `only`, or could: requests to GitHub, overshoot, and both modes beside each other. */
export async function benchFleet(only: string): Promise<Figures> {
  const chosen = (prefix: string) => prefix.startsWith(only) || only.startsWith(prefix);
  return {
    ...(chosen('fleet.platform_requests') ? await benchRequests() : {}),
    ...(chosen('fleet.jobs_requests') ? await benchJobsRequests() : {}),
    ...(chosen('fleet.overshoot') ? await benchOvershoot() : {}),
    ...(chosen('fleet.modes') ? await benchModes() : {}),
    // By name only: one takes minutes of real time, others are twenty-two days, or two weeks.
    ...(/^fleet\.types(\.function|$)/.test(only) ? await benchTypesFunction() : {}),
    ...(/^fleet\.spot/.test(only) ? await benchSpot() : {}),
    ...(/^fleet\.memory/.test(only) ? await benchFunctionMemory() : {}),
    ...(/^fleet\.types(?!\.function)/.test(only) ? await benchTypes() : {}),
  };
}
