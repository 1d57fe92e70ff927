import { expect, it } from 'vitest';
import { passwordIn, withPassword } from '../model/secret-value.ts';
import { decidePasswd } from './passwd.ts';

const v = (id: string) => ({ id, value: id });

it.each([
  ['nothing has begun', v('1'), undefined, false, false, 'write-pending'],
  ['the secret is empty', undefined, undefined, false, false, 'write-pending'],
  ['the last change left its stage on the current version', v('1'), v('1'), false, false, 'write-pending'],
  ['written, not changed', v('1'), v('2'), false, false, 'change-in-elasticsearch'],
  ['changed, not promoted', v('1'), v('2'), true, false, 'promote'],
  ['promoted', v('2'), undefined, false, true, 'done'],
])('goes on where a password change stopped: %s', (_title, current, pending, pendingLetsIn, promoted, expected) => {
  expect(decidePasswd({ current, pending, pendingLetsIn, promoted })).toBe(expected);
});

it.each([
  ['plain', 'plain', 'new'],
  ['{"username":"elastic","password":"old"}', 'old', '{"username":"elastic","password":"new"}'],
  ['{"no":"member"}', '{"no":"member"}', 'new'],
  ['{broken', '{broken', 'new'],
])('reads and replaces the password in %s', (secret, password, replaced) => {
  expect(passwordIn(secret)).toBe(password);
  expect(withPassword(secret, 'new')).toBe(replaced);
});
