/** A measured figure of a benchmark, its target, and whether it is met. */
export interface Figure {
  readonly value: number;
  readonly unit: string;
  readonly goal: string;
  readonly ok: boolean;
}

export type Figures = Record<string, Figure>;

export const atLeast = (value: number, goal: number, unit: string): Figure => ({
  value,
  unit,
  goal: `at least ${goal}`,
  ok: value >= goal,
});
export const atMost = (value: number, goal: number, unit: string): Figure => ({
  value,
  unit,
  goal: `at most ${goal}`,
  ok: value <= goal,
});
/** Printed for information. */
export const informative = (value: number, unit: string): Figure => ({ value, unit, goal: '–', ok: true });

export const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;
