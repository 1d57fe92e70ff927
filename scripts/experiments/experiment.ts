import type { Lab } from './lab.ts';

export type Verdict = 'yes' | 'no' | 'unclear';

/** A verdict with the reason for it. */
export interface Finding {
  readonly verdict: Verdict;
  readonly because: string;
}

/** A design of Drover that waits for a result. */
export interface Decides {
  readonly design: string;
  /** The document that has it, from the root. */
  readonly document: string;
  readonly ifYes: string;
  readonly ifNo: string;
}

/** The service or program that an experiment cannot do without. */
export type Need = 'github' | 'aws' | 'runner';

/** One question to GitHub or AWS that only the real service can decide. */
export interface Experiment {
  readonly id: string;
  readonly question: string;
  readonly needs: readonly Need[];
  /** Of real time, about. */
  readonly minutes: number;
  /** At most. */
  readonly usd: number;
  readonly decides: readonly Decides[];
  /** Why `--rehearse` and `npm test` cannot play it on the doubles. */
  readonly notRehearsed?: string;
  run(lab: Lab): Promise<Finding>;
}

/** Everything that an experiment makes is named so; nothing else is. */
export const prefix = 'drover-experiment';

/** The name of what one experiment makes: always the same, so that the next run finds what a killed one has left. */
export const nameOf = (id: string, suffix = ''): string =>
  `${prefix}-${id.toLowerCase()}${suffix === '' ? '' : `-${suffix}`}`;

export const yes = (because: string): Finding => ({ verdict: 'yes', because });
export const no = (because: string): Finding => ({ verdict: 'no', because });
export const unclear = (because: string): Finding => ({ verdict: 'unclear', because });

export const seconds = (count: number): number => count * 1_000;
export const minutes = (count: number): number => count * 60_000;
