import { expect, it } from 'vitest';
import { decidePassword, type PasswordFacts } from './password.ts';

const day = 86_400_000;
const now = Date.UTC(2026, 5, 1);
const v = (id: string, days: number) => ({ id, createdAt: now - days * day });
const base: PasswordFacts = { current: v('1', 30), pending: undefined, pendingLetsIn: false, everyDays: 30 };

it.each<[string, Partial<PasswordFacts>, string]>([
  ['it is old enough', {}, 'announce'],
  ['it is younger', { current: v('1', 29.9) }, 'none'],
  ['there is no rotation', { everyDays: undefined }, 'none'],
  ['there is no rotation any more, and a new one was announced', { everyDays: undefined, pending: v('2', 9) }, 'none'],
  ['the new one was announced less than a day ago', { pending: v('2', 0.9) }, 'none'],
  ['the new one was announced a day ago', { pending: v('2', 1) }, 'change'],
  ['a run died before it had promoted it', { pending: v('2', 1), pendingLetsIn: true }, 'promote'],
  ['a run died within its promotion', { current: v('2', 1), pending: v('2', 1), pendingLetsIn: true }, 'promote'],
])('the next step with a password, when %s', (_title, facts, expected) => {
  expect(decidePassword({ ...base, ...facts }, now)).toBe(expected);
});
