import { describe, expect, it } from 'vitest';
import { certificateDays } from './vital-signs.ts';

const day = 86_400_000;
const now = Date.UTC(2026, 0, 1);

describe('certificateDays', () => {
  it.each<[string, number[], object]>([
    ['says nothing where there is no certificate yet', [], {}],
    ['counts the days of the only one', [now + 3650 * day], { CertificateDaysLeft: 3650 }],
    [
      'counts those of an authority that ends before its node',
      [now + 100 * day, now + 20 * day],
      { CertificateDaysLeft: 20 },
    ],
    ['is below zero once it has ended', [now - 2 * day], { CertificateDaysLeft: -2 }],
    ['distinguishes a day from less than a day', [now + day / 2], { CertificateDaysLeft: 0.5 }],
  ])('%s', (_title, endsAt, expected) => {
    expect(certificateDays(endsAt, now)).toEqual(expected);
  });
});
