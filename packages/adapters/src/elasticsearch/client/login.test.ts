import { describe, expect, it } from 'vitest';
import { loginWith } from './login.ts';

describe('a login of a run that lasts for days', () => {
  it('asks again for a password that could not be fetched', async () => {
    let calls = 0;
    const login = loginWith(
      [
        async () => {
          calls += 1;
          if (calls === 1) throw new Error('Rate exceeded');
          return 'Basic one';
        },
      ],
      { anonymousFirst: false },
    );

    await expect(login.header()).rejects.toThrow('Rate exceeded');
    expect(await login.header()).toBe('Basic one');
    expect(await login.header()).toBe('Basic one');
    expect(calls).toBe(2);
  });

  it('fetches the password again when the one it holds is refused: it may have been changed twice meanwhile', async () => {
    let current = 'one';
    let pending: string | undefined;
    const login = loginWith([async () => current, async () => pending], { anonymousFirst: false });
    expect(await login.header()).toBe('one');

    pending = 'two';
    expect([await login.refused(401), await login.header()]).toEqual([true, 'two']);
    [current, pending] = ['three', undefined];
    expect([await login.refused(401), await login.header()]).toEqual([true, 'three']);
  });

  it('a login has nothing left to try when every credential was refused', async () => {
    const login = loginWith([async () => 'one', async () => undefined], { anonymousFirst: true });

    expect(await login.header()).toBeUndefined();
    expect(await login.refused(403)).toBe(true);
    expect(await login.refused(403)).toBe(false);
    expect(await login.refused(401)).toBe(false);
  });

  it('a login starts over after every credential was refused: the server may have been starting', async () => {
    const login = loginWith([async () => 'one', async () => 'two'], { anonymousFirst: false });
    await login.header();
    expect([await login.refused(401), await login.refused(401)]).toEqual([true, false]);

    expect(await login.header()).toBe('one');
  });
});
