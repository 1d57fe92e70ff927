import { isDeepStrictEqual } from 'node:util';
import { commentedRegExp } from './commented-reg-exp.ts';
import { expectThat } from './mismatch.ts';
import type { Stash } from './stash.ts';

type Assertion = (stash: Stash, argument: unknown) => void;
type Check = (actual: unknown, expected: unknown, path: string) => void;

const each =
  (check: Check): Assertion =>
  (stash, argument) => {
    for (const [path, expected] of Object.entries(argument as Record<string, unknown>))
      check(stash.at(path), stash.replace(expected), path);
  };

const compare = (words: string, holds: (actual: number, expected: number) => boolean) =>
  each((actual, expected, path) =>
    expectThat(
      isNumeric(actual) && holds(Number(actual), Number(expected)),
      `${path} is ${JSON.stringify(actual)}, not ${words} ${expected}`,
    ),
  );

const isNumeric = (value: unknown) =>
  typeof value === 'number' || (typeof value === 'string' && value !== '' && !Number.isNaN(Number(value)));

const truth =
  (wanted: boolean): Assertion =>
  (stash, path) => {
    const value = stash.at(String(path));
    expectThat(isTruthy(value) === wanted, `${path} is ${JSON.stringify(value)}, not ${wanted}`);
  };

const isTruthy = (value: unknown) =>
  value !== undefined && value !== null && value !== '' && value !== false && value !== 'false' && value !== 0;

/** Every assertion of the official runner, by its name in the YAML. */
export const assertions: Readonly<Record<string, Assertion>> = {
  match: each(checkMatch),
  is_true: truth(true),
  is_false: truth(false),
  gt: compare('above', (actual, expected) => actual > expected),
  gte: compare('at least', (actual, expected) => actual >= expected),
  lt: compare('below', (actual, expected) => actual < expected),
  lte: compare('at most', (actual, expected) => actual <= expected),
  length: each((actual, expected, path) =>
    expectThat(lengthOf(actual) === Number(expected), `length of ${path} is ${lengthOf(actual)}, not ${expected}`),
  ),
  contains: each((actual, expected, path) =>
    expectThat(contains(actual, expected), `${path} does not contain ${JSON.stringify(expected)}`),
  ),
  close_to: each((actual, expected, path) => {
    const { value, error } = expected as { value: number; error: number };
    expectThat(
      typeof actual === 'number' && Math.abs(actual - value) <= error,
      `${path} is ${JSON.stringify(actual)}, not within ${error} of ${value}`,
    );
  }),
};

function lengthOf(value: unknown): number {
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : -1;
}

function contains(actual: unknown, expected: unknown): boolean {
  if (typeof actual === 'string') return actual.includes(String(expected));
  if (!Array.isArray(actual)) return false;
  return actual.some((item) => sameValue(item, expected) || hasMembers(item, expected));
}

const hasMembers = (item: unknown, expected: unknown) =>
  typeof expected === 'object' &&
  expected !== null &&
  Object.entries(expected).every(([key, value]) => sameValue((item as Record<string, unknown> | null)?.[key], value));

function checkMatch(actual: unknown, expected: unknown, path: string): void {
  const pattern = typeof expected === 'string' ? /^\s*\/([\s\S]*)\/\s*$/.exec(expected) : null;
  if (pattern === null) {
    expectThat(sameValue(actual, expected), `${path} is ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`);
    return;
  }
  const regExp = commentedRegExp(pattern[1]!);
  expectThat(regExp.test(String(actual)), `${path} does not match ${regExp}:\n${String(actual).slice(0, 600)}`);
}

function sameValue(actual: unknown, expected: unknown): boolean {
  if (typeof expected === 'object' && expected !== null)
    return isDeepStrictEqual(JSON.parse(JSON.stringify(actual ?? null)), JSON.parse(JSON.stringify(expected)));
  if (expected === null) return actual === undefined || actual === null;
  if (typeof actual === 'string' && typeof expected === 'string') return actual.trim() === expected.trim();
  return actual === expected;
}
