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

/** Plays every round with a listener, a folder and a user of its own; returns how often each end was seen. */
export async function playRounds<T extends string>(
  play: (round: Round, number: number) => Promise<T>,
  listen: (bench: OriginalBench) => Promise<RunningListener>,
): Promise<Readonly<Record<T, number>>> {
  const seen: Partial<Record<T, number>> = {};
  let next = 0;
  const one = async () => {
    for (let number = next++; number < rounds; number = next++) {
      const uid = firstUser + number;
      const bench = await openOriginal(build, { uid });
      try {
        const end = await play({ bench, listener: await listen(bench), uid }, number);
        seen[end] = (seen[end] ?? 0) + 1;
        if (number % 10 === 0) console.log(`round ${number}: ${end}; so far ${JSON.stringify(seen)}`);
      } finally {
        await bench.close();
      }
    }
  };
  await Promise.all(Array.from({ length: sideBySide }, one));
  return seen as Readonly<Record<T, number>>;
}

const real = new RealClock();
export const realSleep = (ms: number): Promise<void> => real.sleep(ms);
