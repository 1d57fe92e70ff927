import { type OriginalBench, openOriginal, type RunningListener } from '@drover/cloud-github/testing';
import { RealClock } from '@drover/core';

/** How a round ended for its job. `dispatch gap`: GitHub had sent it, no runner has acquired it, and another one gets it. */
export type RoundEnd = 'completed' | 'dispatch gap' | 'never sent' | 'lost';

export const rounds = Number(process.env.DROVER_ROUNDS ?? 200);
/** Programs of .NET start slowly where many start at once. */
const sideBySide = 4;
const firstUser = 41_000;
export const build = 'fast';

export interface Round {
  readonly bench: OriginalBench;
  readonly listener: RunningListener;
  readonly uid: number;
}

export interface Played {
  /** How often each end was seen. */
  readonly ends: Readonly<Partial<Record<RoundEnd, number>>>;
  /** Rounds whose job has run more often than it should: more than once, or here although another runner gets it. */
  readonly startedTwice: number;
  /** How often a job has begun, over all rounds. */
  readonly starts: number;
}

/** Plays every round with a listener, a folder and a user of its own. */
export async function playRounds(
  play: (round: Round, number: number) => Promise<RoundEnd>,
  listen: (bench: OriginalBench, env: Readonly<Record<string, string>>) => Promise<RunningListener>,
): Promise<Played> {
  const seen: Partial<Record<RoundEnd, number>> = {};
  let startedTwice = 0;
  let allStarts = 0;
  let next = 0;
  const one = async () => {
    for (let number = next++; number < rounds; number = next++) {
      const uid = firstUser + number;
      const bench = await openOriginal(build, { uid });
      try {
        const listener = await listen(bench, bench.hook('STARTED', 0));
        const end = await play({ bench, listener, uid }, number);
        const starts = bench.hookCalls().filter((name) => name === 'STARTED').length;
        allStarts += starts;
        if (starts > (end === 'completed' || end === 'lost' ? 1 : 0)) startedTwice += 1;
        seen[end] = (seen[end] ?? 0) + 1;
        if (number % 10 === 0) console.log(`round ${number}: ${end}; so far ${JSON.stringify(seen)}`);
      } finally {
        await bench.close();
      }
    }
  };
  await Promise.all(Array.from({ length: sideBySide }, one));
  return { ends: seen, startedTwice, starts: allStarts };
}

const real = new RealClock();
export const realSleep = (ms: number): Promise<void> => real.sleep(ms);
