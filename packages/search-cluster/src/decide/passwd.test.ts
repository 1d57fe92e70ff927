import { expect, it } from 'vitest';
import { passwordIn, withPassword } from '../model/secret-value.ts';
import { decidePasswd } from './passwd.ts';

const v = (id: string) => ({ id, value: id });

it.each([
  ['nothing has begun', v('1'), undefined, {}, 'write-pending'],
  ['the secret is empty', undefined, undefined, {}, 'write-pending'],
  ['the last change left its stage on the current version', v('1'), v('1'), { pendingLetsIn: true }, 'write-pending'],
  ['the first version of a secret is current before it is changed', v('1'), v('1'), {}, 'change-in-elasticsearch'],
  [
    'the first version of a secret was changed by this run',
    v('1'),
    v('1'),
    { pendingLetsIn: true, changed: true },
    'promote',
  ],
  ['written, not changed', v('1'), v('2'), {}, 'change-in-elasticsearch'],
  ['changed, not promoted', v('1'), v('2'), { pendingLetsIn: true }, 'promote'],
  ['promoted', v('2'), undefined, { changed: true, promoted: true }, 'done'],
])('goes on where a password change stopped: %s', (_title, current, pending, done, expected) => {
  const facts = { current, pending, pendingLetsIn: false, changed: false, promoted: false, ...done };
  expect(decidePasswd(facts)).toBe(expected);
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
