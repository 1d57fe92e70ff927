/** A name that may come first or second in a pair. */
export interface Pair {
  readonly first: string;
  readonly second: string;
}

/**
 * A walk over the names in which each ordered pair of neighbours comes exactly once, a name after itself included: it has one step more
 * than there are pairs, so that what comes second in one pair comes first in the next.
 */
export function walkOfPairs(names: readonly string[]): readonly string[] {
  const left = new Map(names.map((name) => [name, [...names]]));
  // Hierholzer: follow unused pairs until a circle closes, and insert the circles that are left on the way back.
  const stack = names.slice(0, 1);
  const walk: string[] = [];
  while (stack.length > 0) {
    const next = left.get(stack.at(-1)!)!.shift();
    if (next === undefined) walk.push(stack.pop()!);
    else stack.push(next);
  }
  return walk.reverse();
}

/** Parts of a walk for several worlds; each begins with the name that the one before ended with, so that no pair is lost. */
export function partsOf(walk: readonly string[], steps: number): readonly (readonly string[])[] {
  const count = Math.ceil((walk.length - 1) / steps);
  return Array.from({ length: count }, (_, index) => walk.slice(index * steps, (index + 1) * steps + 1));
}

export const pairsOf = (part: readonly string[]): readonly Pair[] =>
  part.slice(1).map((second, index) => ({ first: part[index]!, second }));
