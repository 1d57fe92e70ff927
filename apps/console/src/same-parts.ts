import { useRef } from 'preact/hooks';

type Part = Record<string | number, unknown>;

/**
 * The new state, with every part of it that did not change taken from the old one: a component can tell by
 * comparing references whether to render again. Both are what JSON.parse made.
 */
export function sameParts<T>(before: unknown, after: T): T {
  if (!isPart(before) || !isPart(after) || Array.isArray(before) !== Array.isArray(after)) return after;
  const same = Array.isArray(after) ? sameElements(before as never, after) : sameFields(before, after);
  return same ? (before as T) : after;
}

const isPart = (value: unknown): value is Part => typeof value === 'object' && value !== null;

function sameElements(before: readonly unknown[], after: unknown[]): boolean {
  let same = before.length === after.length;
  for (let index = 0; index < after.length; index++) if (!kept(before, after, index)) same = false;
  return same;
}

function sameFields(before: Part, after: Part): boolean {
  let same = true;
  let missing = 0;
  for (const key in after) if (!kept(before, after, key)) same = false;
  for (const key in before) if (!(key in after)) missing += 1;
  return same && missing === 0;
}

/** Thousands of values are numbers and words: those are compared at once. */
function kept(before: Readonly<Part> | readonly unknown[], after: Part | unknown[], key: string | number): boolean {
  const old = (before as Part)[key];
  const fresh = (after as Part)[key];
  if (old === fresh) return true;
  if (!isPart(fresh)) return false;
  const chosen = sameParts(old, fresh);
  if (chosen !== old) return false;
  (after as Part)[key] = chosen;
  return true;
}

/**
 * The shown state, reusing parts that did not change since the last time. Parts that are not shown are not compared.
 */
export function useSameParts<T>(state: T): T {
  const last = useRef<T>(state);
  last.current = sameParts(last.current, state);
  return last.current;
}
