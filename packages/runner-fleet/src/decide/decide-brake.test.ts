import { expect, it } from 'vitest';
import type { HostReport } from '../model/fleet.ts';
import {
  brakeIsOn,
  decideSilentBoots,
  noteBootFailures,
  recentBootFailures,
  reportedFailures,
  type WaitingBoot,
} from './decide-brake.ts';

const minutes = (count: number) => count * 60_000;
const now = minutes(10_000);
const failed = (ago: number): HostReport => ({ at: now - ago, phase: 'failed', workers: 0, failure: 'puppet failed' });
const failure = (instanceId: string, ago: number) => ({ instanceId, at: now - ago, reason: 'puppet failed' });

it('the brake is on after two failed boots within an hour, and off an hour after the last', () => {
  expect(brakeIsOn(undefined, now)).toBe(false);
  expect(brakeIsOn([failure('i-1', minutes(5))], now)).toBe(false);
  expect(brakeIsOn([failure('i-1', minutes(5)), failure('i-2', minutes(59))], now)).toBe(true);
  expect(brakeIsOn([failure('i-1', minutes(5)), failure('i-2', minutes(60))], now)).toBe(false);
});

it('a failed boot counts once, however often its report is read', () => {
  const reported = reportedFailures(new Map([['i-1', failed(minutes(1))]]));
  const again = noteBootFailures(noteBootFailures([], reported, now), reported, now);

  expect(again).toEqual([failure('i-1', minutes(1))]);
  expect(recentBootFailures(again, now)).toHaveLength(1);
});

it('reports of hosts that booted are no failed boots', () => {
  expect(reportedFailures(new Map([['i-1', { at: now, phase: 'serving', workers: 1 }]]))).toEqual([]);
});

it('failed boots are remembered for a day, the ten newest', () => {
  const many = Array.from({ length: 30 }, (_, index) => failure(`i-${index}`, minutes(100 - index)));

  expect(noteBootFailures(many, [], now).map(({ instanceId }) => instanceId)).toEqual(
    many.slice(-10).map(({ instanceId }) => instanceId),
  );
  expect(noteBootFailures([failure('i-1', minutes(24 * 60))], [], now)).toEqual([]);
});

it.each([[10], [30], [115]])(
  'boots that fall silent for %s minutes, one after the other, keep the brake on from the second on',
  (silent) => {
    const silentMs = minutes(silent);
    const ended = [1, 2, 3].map((nth) => ({ ...failure(`i-${nth}`, 0), at: nth * (silentMs + minutes(6)), silentMs }));
    const before = (nth: number) => ended[nth - 1]!.at - 1;

    expect(brakeIsOn(ended.slice(0, 1), before(2))).toBe(false);
    expect(brakeIsOn(ended.slice(0, 2), before(3))).toBe(true);
    expect(brakeIsOn(ended, before(3) + silentMs + minutes(6))).toBe(true);
  },
);

const boot = (instanceId: string, sinceMinutes: number, report?: Partial<HostReport>): WaitingBoot => ({
  instanceId,
  since: now - minutes(sinceMinutes),
  report: report === undefined ? undefined : { at: now, phase: 'booting', workers: 0, ...report },
});
const silentBoots = (waiting: readonly WaitingBoot[], memory: Parameters<typeof decideSilentBoots>[1] = {}) =>
  decideSilentBoots(waiting, memory, minutes(30), now);

it.each([
  ['a boot of 29 minutes', boot('a', 29), {}, []],
  ['a boot of 30 minutes without a report', boot('a', 30), {}, ['a']],
  ['a boot of 40 minutes that reported four minutes ago', boot('a', 40, { at: now - minutes(4) }), {}, []],
  ['a boot of 40 minutes that reported 30 minutes ago', boot('a', 40, { at: now - minutes(30) }), {}, ['a']],
  ['a boot that its host gave up', boot('a', 40, { at: now - minutes(31), failure: 'puppet' }), {}, []],
  ['a boot that could not be registered before', boot('a', 200), { registrableSince: now - minutes(29) }, []],
  ['a boot that can be registered since 30 minutes', boot('a', 200), { registrableSince: now - minutes(30) }, ['a']],
  ['a boot that is noted already', boot('a', 40), { bootFailures: [failure('a', minutes(1))] }, []],
])('decideSilentBoots with %s', (_, waiting, memory, ended) => {
  const { failed: noted, abandon } = silentBoots([waiting], memory);

  expect([noted.map(({ instanceId }) => instanceId), abandon]).toEqual([ended, ended]);
});

it('two of many boots that fall silent are ended at once, and the brake holds the places of the others', () => {
  const many = ['a', 'b', 'c', 'd'].map((id) => boot(id, 31));

  expect(silentBoots(many)).toMatchObject({ failed: [{}, {}, {}, {}], abandon: ['a', 'b'] });
  expect(silentBoots(many, { bootFailures: [failure('x', minutes(5)), failure('y', minutes(5))] }).abandon).toEqual([]);
});

it('the reason of a boot that fell silent has the last lines of its log, or says that there was no sign of life', () => {
  const { failed: noted } = silentBoots([
    boot('a', 50, { at: now - minutes(31), bootLog: 'docker pull large' }),
    boot('b', 30),
  ]);

  expect(noted.map(({ reason }) => reason)).toEqual([
    'nothing new in the boot log for 31 minutes (boot_timeout), which ends with\ndocker pull large',
    expect.stringContaining('no sign of life in 30 minutes since the launch (boot_timeout)'),
  ]);
});
