import { defaultNodeLeftDelay } from '@drover/core/names/search-cluster';

export interface NodeLeftFacts {
  /** By index; undefined where it has none of its own. */
  readonly values: ReadonlyMap<string, string | undefined>;
  /** The value that was set last. */
  readonly noted: string | undefined;
  readonly wanted: string;
}

export interface NodeLeftChange {
  readonly indices: readonly string[];
  /** Null: as Elasticsearch has it. */
  readonly value: string | null;
}

/** Which indices get another delay: those without one, and those with the one that was set before. What a user has set stays. */
export function decideNodeLeftDelay({ values, noted, wanted }: NodeLeftFacts): NodeLeftChange {
  const value = wanted === defaultNodeLeftDelay ? null : wanted;
  const ours = (found: string | undefined) =>
    found === undefined ? value !== null : found === noted && noted !== wanted && noted !== defaultNodeLeftDelay;
  return { indices: [...values].filter(([, found]) => ours(found)).map(([index]) => index), value };
}
