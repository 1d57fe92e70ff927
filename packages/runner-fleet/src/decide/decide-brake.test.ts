import { expect, it } from 'vitest';
import type { HostReport } from '../model/fleet.ts';
import { brakeIsOn, noteBootFailures, recentBootFailures } from './decide-brake.ts';

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
  const once = noteBootFailures([], new Map([['i-1', failed(minutes(1))]]), now);
  const again = noteBootFailures(once, new Map([['i-1', failed(minutes(1))]]), now);

  expect(again).toEqual([failure('i-1', minutes(1))]);
  expect(recentBootFailures(again, now)).toHaveLength(1);
});

it('reports of hosts that booted are no failed boots', () => {
  expect(noteBootFailures([], new Map([['i-1', { at: now, phase: 'serving', workers: 1 }]]), now)).toEqual([]);
});

it('failed boots are remembered for a day, the ten newest', () => {
  const many = Array.from({ length: 30 }, (_, index) => failure(`i-${index}`, minutes(100 - index)));

  expect(noteBootFailures(many, new Map(), now).map(({ instanceId }) => instanceId)).toEqual(
    many.slice(-10).map(({ instanceId }) => instanceId),
  );
  expect(noteBootFailures([failure('i-1', minutes(24 * 60))], new Map(), now)).toEqual([]);
});
