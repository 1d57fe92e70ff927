import type { Clock } from '@drover/core';
import type { Account } from './account.ts';
import type { Repository } from './repository.ts';
import type { RealRunner } from './runner.ts';
import type { ScaleSets } from './scale-sets.ts';

/** Time of the real services, or of the doubles. */
export interface Time {
  readonly clock: Clock;
  now(): number;
  /** Lets time go by: really waits, or moves the virtual clock. */
  pass(ms: number): Promise<void>;
  /** Waits for a request that takes its time, such as a long poll. */
  during<T>(open: Promise<T>): Promise<T>;
}

/** The surroundings of one experiment. Asking for a part that was not named fails. */
export interface Lab {
  readonly time: Time;
  readonly repository: Repository;
  readonly sets: ScaleSets;
  readonly account: Account;
  readonly runner: RealRunner;
  /** The label of runners that carry out jobs by themselves: GitHub's own. */
  readonly hosted: string;
  /** The long form of an experiment that has one. */
  readonly long: boolean;
  /** Keeps a piece of evidence, with its moment. */
  note(text: string): void;
}

/** Looks again and again until there is something to see; undefined when the time is up. */
export async function until<T>(
  time: Time,
  look: () => Promise<T | undefined | false>,
  limitMs: number,
  everyMs = 5_000,
): Promise<T | undefined> {
  const end = time.now() + limitMs;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    if (time.now() >= end) return undefined;
    await time.pass(everyMs);
  }
}
