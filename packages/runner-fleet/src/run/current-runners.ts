import type { Clock } from '@drover/core';
import type { Runner } from '../model/fleet.ts';
import { allRunners, type RunnerList } from '../model/memory.ts';
import type { RunnerDirectory } from '../ports.ts';

/** The metric's list is used while it is at most this old. */
const listFreshMs = 5 * 60_000;

/** The platform's list of runners, without a request where the metric has just read it. */
export async function currentRunners(
  { clock, runners }: { readonly clock: Clock; readonly runners: Pick<RunnerDirectory, 'list'> },
  known: RunnerList | undefined,
): Promise<readonly Runner[]> {
  const usable = known !== undefined && clock.now() - known.at <= listFreshMs;
  return allRunners(usable ? known : await runners.list(known));
}
