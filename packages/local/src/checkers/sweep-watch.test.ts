import type { JournalEntry } from '@drover/cloud-engine';
import { expect, it } from 'vitest';
import { SweepWatch } from './sweep-watch.ts';

type Line = Pick<JournalEntry, 'at' | 'kind' | 'source' | 'name'> & Partial<JournalEntry>;

const by = 'role/runners_deregistration';
const looked: Line = { at: 10, kind: 'request', source: 'aws.secretsmanager', name: 'ListSecrets', detail: { by } };
const ended: Line = {
  at: 20,
  kind: 'event',
  source: 'aws.lambda',
  name: 'succeeded',
  subject: 'runners_deregistration',
  detail: { durationMs: 15 },
};

function sweepsIn(...lines: Line[]): number {
  const watch = new SweepWatch('runners_deregistration');
  lines.forEach((line, seq) => {
    watch.note({ seq, ...line });
  });
  return watch.countSince(0);
}

it('counts a pass that looked at everything and ended well', () => {
  expect(sweepsIn(looked, ended)).toBe(1);
  expect(sweepsIn(ended)).toBe(0);
});

const troubles: [string, Line][] = [
  ['was refused something', { ...looked, at: 12, name: 'DeleteSecret', detail: { by, error: 'Throttling' } }],
  [
    'could not remove a runner',
    { at: 12, kind: 'request', source: 'platform', name: 'DELETE', detail: { by, status: 503 } },
  ],
  [
    'got no response from the platform',
    { at: 12, kind: 'fault', source: 'platform', name: 'timeout', subject: 'runners_deregistration' },
  ],
  [
    'met an outage of the platform',
    { at: 12, kind: 'fault', source: 'platform', name: 'error', subject: 'runners_deregistration' },
  ],
];
it.each(troubles)('the sweep watch does not count a pass that %s', (_, trouble) => {
  expect(sweepsIn(looked, trouble, ended)).toBe(0);
});

it('counts one beside which another program got no response', () => {
  const other = {
    at: 12,
    kind: 'fault',
    source: 'platform',
    name: 'timeout',
    subject: 'runners_record_metric',
  } as const;

  expect(sweepsIn(looked, other, ended)).toBe(1);
});
