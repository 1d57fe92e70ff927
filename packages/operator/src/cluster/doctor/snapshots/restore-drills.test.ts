import type { DrillState } from '@drover/search-cluster';
import { expect, it } from 'vitest';
import type { ClusterFacts } from '../facts.ts';
import { restoreDrills } from './restore-drills.ts';

const day = 86_400_000;
const now = 100 * day;
const waiting = (days: number): DrillState => ({
  ...{ since: 0, runs: 3, okAt: now - 20 * day },
  postponed: { since: now - days * day, because: 'no index of snapshot s has room' },
});

interface Given {
  readonly ageDays?: number | undefined;
  readonly failed?: number;
  readonly tooOld?: boolean;
  readonly note?: DrillState | string;
}

function examine({ ageDays = 20, failed = 0, tooOld = false, note }: Given) {
  return restoreDrills({
    now,
    clusterName: 'logs',
    alarms: [{ name: 'restore_drill_too_old-logs', on: tooOld }],
    drill: {
      ...{ ageSeconds: (ageDays * day) / 1000, failed },
      note: typeof note === 'string' ? { kind: 'failed', message: note } : { kind: 'read', value: note },
    },
  } as unknown as ClusterFacts);
}

it.each<[string, Given, string, RegExp]>([
  ['drills of every 30 days, the last 20 days ago', {}, 'ok', /^the last good one, .* was 20 days ago$/],
  ['one that waits for some hours', { note: waiting(0.5) }, 'ok', /the next has waited for 12 h 0 min: no index of /],
  ['one that has waited for two days', { note: waiting(2) }, 'notice', /waited for 2 days: no index of .* has room$/],
  [
    'one that waits while the alarm is on',
    { note: waiting(13), tooOld: true },
    'problem',
    /waited for 13 days: .* has room$/,
  ],
  ['an alarm without a note', { tooOld: true }, 'problem', /^the last good one, .* was 20 days ago$/],
  ['a note that cannot be read', { tooOld: true, note: 'denied' }, 'problem', /waits could not be read: denied$/],
  ['a failed one', { failed: 1, note: { since: 0, runs: 1, failure: 'x' } }, 'problem', /^the last one failed \(x\); /],
])('drover cluster doctor says why and since when a restore drill waits: %s', (_title, given, verdict, says) => {
  expect(examine(given)).toMatchObject({ verdict, evidence: expect.stringMatching(says) });
});
