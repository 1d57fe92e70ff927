import { allCases, crashStories, findCalls, playCase } from '@drover/simulation/crash-at-every-call';
import {
  type FleetLife,
  findLifeCalls,
  fleetLives,
  lifeCases,
  playLifeCase,
} from '@drover/simulation/crash-in-fleet-life';
import { allCrashes, type CrashPoint, type CrashStory, playCrash } from '../../apps/cluster-cli/test/support/crash.ts';
import { drainStories, otherStories, restartStories } from '../../apps/cluster-cli/test/support/crash-stories.ts';

/** One thing going wrong at one call. */
export interface CrashCase {
  readonly name: string;
  play(): Promise<{ readonly violations: readonly string[]; readonly checks: number }>;
}

/**
 * Every call of every program with every way in which it can go wrong, read from undisturbed lives. The suites take turns, so
 * that few cases are of all of them and enough cases are all.
 */
export async function crashCases(assemblyOf: (story: string) => string): Promise<readonly CrashCase[]> {
  const suites: CrashCase[][] = [];
  for (const [title, story] of Object.entries(crashStories))
    suites.push(await ofStory(title, { story, assembly: assemblyOf(title) }));
  for (const [title, story] of Object.entries(drainStories)) suites.push(await command(`drain of ${title}`, story));
  for (const [title, story] of Object.entries(restartStories)) suites.push(await command(`restart of ${title}`, story));
  for (const [title, story] of Object.entries(otherStories)) suites.push(await command(title, story));
  for (const life of Object.keys(fleetLives) as FleetLife[]) suites.push(await fleetLife(life, assemblyOf(life)));
  return takeTurns(suites);
}

function takeTurns(suites: readonly (readonly CrashCase[])[]): CrashCase[] {
  const longest = Math.max(...suites.map(({ length }) => length));
  return Array.from({ length: longest }, (_, index) => suites.flatMap((suite) => suite[index] ?? [])).flat();
}

async function ofStory(title: string, place: Parameters<typeof playCase>[0]): Promise<CrashCase[]> {
  return allCases(await findCalls(place)).map((one) => ({
    name: `${title}: ${one.name}`,
    play: () => playCase(place, one),
  }));
}

async function fleetLife(life: FleetLife, assembly: string): Promise<CrashCase[]> {
  return lifeCases(await findLifeCalls(life, assembly)).map((one) => ({
    name: `${life}: ${one.name}`,
    play: () => playLifeCase(life, one, assembly),
  }));
}

async function command(
  title: string,
  story: (at: CrashPoint | undefined) => Promise<CrashStory>,
): Promise<CrashCase[]> {
  const { plan } = await story(undefined);
  return allCrashes(plan.calls).map((one) => ({
    name: `${title}: ${one.name}`,
    play: async () => ({ violations: await playCrash(story, one), checks: 1 }),
  }));
}
