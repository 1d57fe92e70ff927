import { type Random, SeededRandom } from '@drover/core';
import { type ScalingMode, scalingModes } from '@drover/core/names/runner-fleet';
import type { ClusterInputs } from '@drover/stage/cluster-template';
import { acts } from './acts.ts';
import { type DrawnInputs, drawInputs } from './draw-inputs.ts';
import { faults } from './faults.ts';
import { begin, comeRight, rest, strike } from './history.ts';
import { HistoryWorld } from './history-world.ts';
import { drawOptions } from './options/draw-options.ts';
import { partsOf, walkOfPairs } from './pairs.ts';

/** Number of pairs that share a world. */
const stepsOfAWorld = 30;
/** Longest duration of a fault before it is healed. */
const longestFaultMinutes = 45;
/** Time until an act can begin: a refresh has to be there to be cancelled. */
const patienceMinutes = 60;

export const pairNames = (): readonly string[] => [...Object.keys(faults), ...Object.keys(acts)];

/** Pairs that a world cannot always play, with the reason. */
const excused: readonly (readonly [first: RegExp, second: RegExp, because: string])[] = [
  [/./, /^upgrade Elasticsearch$/, 'a world has two upgrades: later ones have no version to go to'],
];

/** Why a pair need not be tried. */
export const excusedPairs = (first: string, second: string): string | undefined =>
  excused.find(([before, after]) => before.test(first) && after.test(second))?.[2];

export interface AgainCase {
  readonly mode: ScalingMode;
  readonly part: readonly string[];
  /** Of the cluster, where others than the drawn ones are wanted. */
  readonly cluster?: ClusterInputs;
  /** After the last of them. @default 80 */
  readonly restMinutes?: number;
}

/** All worlds of the campaign: every pair, in both modes. */
export function againCases(): readonly AgainCase[] {
  const parts = partsOf(walkOfPairs(pairNames()), stepsOfAWorld);
  return parts.flatMap((part) => scalingModes.map((mode) => ({ mode, part })));
}

export interface AgainResult {
  readonly violations: readonly string[];
  readonly told: readonly string[];
  readonly checks: number;
  readonly faults: number;
  /** Pairs that were tried, and those of which one could not be begun. */
  readonly tried: number;
  readonly skipped: readonly string[];
  readonly hours: number;
}

/** A group with an instance at all times, of spot instances where one is to be reclaimed. */
function drawAgain(random: Random, mode: ScalingMode, part: readonly string[]): DrawnInputs {
  const drawn = drawInputs(random, mode);
  const { warmPoolMinSize: _, ...fleet } = { ...drawn.fleet, asgMinSize: 1, warmPoolMaxSize: 0 };
  const spot = { onDemandBaseCapacity: 0, instanceTypes: ['t3a.medium', 't3.medium'] };
  if (part.some((name) => /spot/.test(name))) return { ...drawn, fleet: { ...fleet, ...spot } };
  return { ...drawn, fleet: { ...drawn.fleet, asgMinSize: 1 } };
}

/** One after the other in one world, each healed and made good before the next. */
export async function playAgain(
  seed: number,
  { mode, part, cluster, restMinutes = 80 }: AgainCase,
): Promise<AgainResult> {
  const random = new SeededRandom(seed).fork('again');
  const plain = drawAgain(random.fork('inputs'), mode, part);
  // The first round of worlds has the usual inputs.
  const drawn = seed <= againCases().length ? plain : drawOptions(random.fork('options'), plain);
  const history = new HistoryWorld(random, { ...drawn, cluster: { ...drawn.cluster, ...cluster } });
  const skipped: string[] = [];
  let tried = 0;
  try {
    await history.open();
    const startedAt = history.clock.now();
    history.tell(`deployed ${JSON.stringify(history.inputs)}`);
    history.work.start();
    let before: string | undefined;
    for (const name of part) {
      const begun = await playOne(history, name);
      if (before !== undefined && begun) tried += 1;
      if (before !== undefined && !begun && excusedPairs(before, name) === undefined)
        skipped.push(`${before}, then ${name}`);
      before = name;
      await comeRight(history, name);
      if (history.violations.length > 0) break;
    }
    await rest(history, restMinutes);
    history.writer.stop();
    await history.pass(5);
    const missing = await history.writer.missing();
    history.expect(missing.length === 0, `${missing.length} acknowledged documents are lost`);
    const { violations, told, checks } = history;
    const hours = (history.clock.now() - startedAt) / 3_600_000;
    return { violations, told, checks, faults: history.faults, tried, skipped, hours };
  } finally {
    history.close();
  }
}

/** Whether it could be begun. It is over, or healed, when this returns. */
async function playOne(history: HistoryWorld, name: string): Promise<boolean> {
  const fault = faults[name];
  const act = acts[name];
  if (fault === undefined) {
    let begun = false;
    await history.until(() => {
      begun ||= begin(history, name, act!);
      return begun;
    }, patienceMinutes);
    return begun;
  }
  let heal: (() => void) | undefined;
  await history.until(() => {
    heal ??= strike(history, name, fault);
    return heal !== undefined;
  }, patienceMinutes);
  if (heal === undefined) return false;
  await history.pass(history.random.int(10, Math.min(longestFaultMinutes, fault.longestMinutes)));
  heal();
  return true;
}
