import type { Finding } from '@drover/operator/doctor/findings';
import { describe, expect, it } from 'vitest';
import { TruthAccount } from './truth.ts';

const minute = 60_000;
const quorum = { id: 'no master is elected', checks: ['quorum-lost', 'cluster-not-green'] };
const said = (check: string, verdict: Finding['verdict'], fix?: string): Finding => ({
  check,
  topic: check,
  condition: check,
  verdict,
  evidence: 'evidence',
  ...(fix === undefined ? {} : { fix }),
});
const named = said('quorum-lost', 'problem', 'restore');

/** Looks every five minutes at a danger that begins at once. */
function after(minutes: number, ...findings: Finding[]): readonly string[] {
  const account = new TruthAccount();
  const found: string[] = [];
  for (let now = 0; now <= minutes * minute; now += 5 * minute)
    found.push(...account.note({ now, findings, dangers: [quorum], troubledAt: 0 }));
  return found.map((text) => text.replace(/, at .*/, ''));
}

describe('the truth account', () => {
  const untrue = [
    'no master is elected since 1970-01-01T00:00:00.000Z, and doctor names none of quorum-lost, cluster-not-green',
  ];

  it.each<[string, readonly string[], readonly string[]]>([
    ['that names the danger with a remedy is true', after(30, named), []],
    ['that says nothing has 20 minutes', after(15), []],
    ['that says nothing is untrue after 20 minutes, reported once', after(40), untrue],
    ['that names another trouble is untrue', after(20, said('disks', 'problem', 'more')), untrue],
    ['that calls it a notice is untrue', after(20, said('quorum-lost', 'notice', 'restore')), untrue],
    ['that has no remedy is untrue', after(20, said('quorum-lost', 'problem')), untrue],
  ])('a doctor %s', (_, found, expected) => {
    expect(found).toEqual(expected);
  });

  it('a danger that doctor named has 20 minutes again once doctor is silent', () => {
    const account = new TruthAccount();
    const look = (minutes: number, ...findings: Finding[]) =>
      account.note({ now: minutes * minute, findings, dangers: [quorum], troubledAt: 0 });

    expect([look(0), look(15, named), look(20), look(30)].flat()).toEqual([]);
    expect(look(35)).toHaveLength(1);
  });

  it('in a quiet hour a problem and what could not be examined are untrue, and notices are not', () => {
    const findings = [said('a', 'ok'), said('b', 'notice'), said('c', 'problem', 'fix'), said('d', 'unknown')];
    const account = new TruthAccount();
    const look = (now: number) => account.note({ now, findings, dangers: [], troubledAt: 0 });

    expect(look(59 * minute)).toEqual([]);
    expect(look(60 * minute).map((text) => text.replace(/,.*/, ''))).toEqual([
      'doctor says c in a quiet hour: evidence',
      'doctor says d in a quiet hour: evidence',
    ]);
    expect(account).toMatchObject({ asked: 2, quiet: 1 });
  });

  it('an hour is not quiet within an hour of a danger', () => {
    const account = new TruthAccount();
    account.note({ now: 0, findings: [named], dangers: [quorum], troubledAt: Number.NEGATIVE_INFINITY });

    expect(account.note({ now: 59 * minute, findings: [named], dangers: [], troubledAt: 0 })).toEqual([]);
  });
});
