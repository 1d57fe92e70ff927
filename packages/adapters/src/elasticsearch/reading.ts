import { UnreadableAnswer } from './client/errors.ts';

/** Members of a response that must be there: a response without them is unreadable, never "nothing". */
export type Doc = Readonly<Record<string, unknown>>;

export function asObject(value: unknown, what: string): Doc {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Doc;
  throw new UnreadableAnswer(`${what} is ${show(value)}, not an object`);
}

export function asList(value: unknown, what: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new UnreadableAnswer(`${what} is ${show(value)}, not a list`);
}

export const asObjects = (value: unknown, what: string, list = `${what}s`): readonly Doc[] =>
  asList(value, list).map((item) => asObject(item, what));

export const asTexts = (value: unknown, what: string): readonly string[] =>
  asList(value, what).map((item) => asText(item, what));

export function asText(value: unknown, what: string): string {
  if (typeof value === 'string') return value;
  throw new UnreadableAnswer(`${what} is ${show(value)}, not a text`);
}

/** A number, or a number as text, as the cat APIs write them. */
export function asNumber(value: unknown, what: string): number {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number)) return number;
  throw new UnreadableAnswer(`${what} is ${show(value)}, not a number`);
}

export function asOneOf<T extends string>(value: unknown, allowed: readonly T[], what: string): T {
  if (allowed.includes(value as T)) return value as T;
  throw new UnreadableAnswer(`${what} is ${show(value)}, not one of ${allowed.join(', ')}`);
}

const show = (value: unknown) => (value === undefined ? 'missing' : (JSON.stringify(value) ?? 'nothing').slice(0, 60));
