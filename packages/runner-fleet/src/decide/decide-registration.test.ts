import { describe, expect, it } from 'vitest';
import {
  claimLastsMs,
  decideAbandon,
  decideJit,
  decideRegistration,
  decideRetry,
  type RegistrationFacts,
} from './decide-registration.ts';

const now = 1_000_000_000;
const minutes = (count: number) => count * 60_000;
const hours = (count: number) => count * 3_600_000;
const secret = (ageMs: number) => ({ instanceId: 'i-1', storedAt: now - ageMs });
const facts = (change: Partial<RegistrationFacts>): RegistrationFacts => ({
  secret: undefined,
  inWarmPool: false,
  freshLaunch: false,
  ...change,
});
const found = { kind: 'complete', because: 'runner-exists' };

describe('the just-in-time configuration of an instance in a launch wait', () => {
  it.each([
    ['is not made for an instance in the warm pool', undefined, true, { kind: 'complete', because: 'parked' }],
    ['is there', secret(minutes(49)), false, { kind: 'complete', because: 'token-stored' }],
    [
      'is made once, which the open hook shows',
      undefined,
      false,
      { kind: 'ask-hook', ifOpen: { kind: 'mint', because: 'no-token' }, ifDone: found },
    ],
    [
      'is discarded when it is 50 minutes old, and the next pass makes another',
      secret(minutes(50)),
      false,
      { kind: 'ask-hook', ifOpen: { kind: 'discard', because: 'token-too-old' }, ifDone: found },
    ],
    [
      'is left to the run that has claimed its secret',
      { ...secret(claimLastsMs - 1), empty: true },
      false,
      { kind: 'wait', because: 'another-run-makes-it' },
    ],
    [
      'is lost with a run that died: its claim is discarded',
      { ...secret(claimLastsMs), empty: true },
      false,
      { kind: 'ask-hook', ifOpen: { kind: 'discard', because: 'claim-abandoned' }, ifDone: found },
    ],
  ])('%s', (_, stored, parked, expected) => {
    expect(decideJit({ secret: stored, parked }, now)).toEqual(expected);
  });
});

describe('the registration of an instance in a launch wait', () => {
  it('mints for a fresh launch', () => {
    expect(decideRegistration(facts({ freshLaunch: true }), now)).toEqual({ kind: 'mint', because: 'no-token' });
  });

  it('completes when the token is stored', () => {
    const decision = { kind: 'complete', because: 'token-stored' };

    expect(decideRegistration(facts({ secret: secret(minutes(49)) }), now)).toEqual(decision);
    expect(decideRegistration(facts({ secret: secret(minutes(49)), freshLaunch: true }), now)).toEqual(decision);
  });

  const lookups: [string, Partial<RegistrationFacts>, string][] = [
    ['mints again when the token is 50 minutes old', { secret: secret(minutes(50)) }, 'token-too-old'],
    ['mints when the platform has forgotten the runner', {}, 'runner-forgotten'],
    ['mints when a member of the warm pool was never registered', { inWarmPool: true }, 'no-token'],
  ];
  it.each(lookups)('completes when the runner exists, and else %s', (_, change, because) => {
    expect(decideRegistration(facts(change), now)).toEqual({
      kind: 'find-runner',
      ifExists: found,
      ifAbsent: { kind: 'mint', because },
    });
  });
});

describe('giving up', () => {
  const old = { instanceId: 'i-old', since: now - hours(21) };
  const older = { instanceId: 'i-older', since: now - hours(22) };

  it('gives up no instance before hour 20', () => {
    expect(decideAbandon([{ instanceId: 'i-1', since: now - hours(20) + 1 }], undefined, now)).toBeUndefined();
  });

  it('gives up the one that waits longest', () => {
    expect(decideAbandon([old, older], undefined, now)).toBe('i-older');
  });

  it('gives up one a quarter of an hour at the most', () => {
    expect(decideAbandon([old, older], now - minutes(14), now)).toBeUndefined();
    expect(decideAbandon([old, older], now - minutes(15), now)).toBe('i-older');
  });
});

it('backs off from a minute to a quarter of an hour, or as long as the platform asks', () => {
  const waits = [0, 1, 2, 3, 4, 9].map((failures) =>
    Math.round((decideRetry(failures, undefined, now) - now) / minutes(1)),
  );

  expect(waits).toEqual([1, 2, 4, 8, 15, 15]);
  expect(decideRetry(0, hours(1), now) - now).toBeGreaterThanOrEqual(hours(1) - minutes(1));
});
