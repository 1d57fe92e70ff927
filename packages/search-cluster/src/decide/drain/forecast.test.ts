import { describe, expect, it } from 'vitest';
import {
  before,
  copy,
  hour,
  manualCase,
  minute,
  noDisks,
  now,
  recovery,
  terminatingCase,
  topology,
} from '../facts.test-support.ts';
import { decideDecommission } from './decommission.ts';
import { checkTime, forecastDrain, forecastRest, recoverySpeed } from './forecast.ts';

const gib = 2 ** 30;
const mib = 2 ** 20;
const forecast = (copies: Parameters<typeof forecastDrain>[0]['copies'], mbPerSecond = 40, leaving: string[] = []) =>
  forecastDrain({
    nodeId: 'd1',
    topology: topology(),
    leaving: new Set(leaving),
    copies,
    speed: { bytesPerSecond: mbPerSecond * mib, concurrent: 2 },
  });
const replica = { primary: false };
const big = { bytes: 400 * gib };

describe('the forecast of a drain', () => {
  it.each([
    ['primaries leave through their own node', [copy('a', 'd1', big), copy('b', 'd1', big)], (800 * gib) / (40 * mib)],
    [
      'replicas are copied from the nodes with their primaries, which also take them',
      [
        copy('a', 'd2', big),
        copy('a', 'd1', { ...big, ...replica }),
        copy('b', 'd3', big),
        copy('b', 'd1', { ...big, ...replica }),
      ],
      (800 * gib) / (40 * mib),
    ],
    ['a node without shards', [copy('a', 'd2', big)], 0],
    [
      'a copy that every other node has moves nowhere',
      [copy('a', 'd1', big), copy('a', 'd2', replica), copy('a', 'd3', replica)],
      0,
    ],
  ])('%s', (_title, copies, seconds) => {
    const { ms } = forecast(copies);
    expect(ms / 1000).toBeGreaterThanOrEqual(seconds);
    expect(ms / 1000).toBeLessThanOrEqual(seconds + 2);
  });

  it('one node that is left takes everything', () => {
    const copies = [copy('a', 'd1', big), copy('b', 'd1', big)];
    expect(forecast(copies, 40, ['d3']).ms).toBe(forecast(copies, 40).ms);
    expect(forecast([copy('a', 'd2', big), copy('a', 'd1', { ...big, ...replica })], 40, ['d3']).bytes).toBe(0);
  });

  it('many small shards take time by their number', () => {
    const copies = Array.from({ length: 1000 }, (_, shard) => copy('a', 'd1', { shard, bytes: 0 }));
    expect(forecast(copies).ms).toBe(500_000);
  });

  it.each([
    ['40mb', undefined, 40 * mib],
    ['40mb', 16e6, 16e6],
    ['0b', undefined, Number.POSITIVE_INFINITY],
    ['-1', 100e6, 100e6],
    [undefined, undefined, Number.POSITIVE_INFINITY],
  ])('a setting of %s on a machine with %s bytes per second', (maxBytesPerSec, machine, expected) => {
    expect(recoverySpeed({ ...recovery, maxBytesPerSec }, machine).bytesPerSecond).toBe(expected);
  });
});

describe('the rest of a drain that runs', () => {
  it.each([
    ['by its plan at first', { bytes: 10, ms: minute }, 100, 10_000],
    ['by what was measured after five minutes', { bytes: 3_000, ms: 5 * minute }, 100, 100_000],
    ['by its plan while nothing has moved', { bytes: 0, ms: hour }, 100, 10_000],
    ['unknown without plan and measurement', { bytes: 0, ms: minute }, undefined, undefined],
  ])('the rest is forecast %s', (_title, observed, planned, expected) => {
    expect(forecastRest(1_000, observed, planned)).toBe(expected);
  });
});

describe('a drain that cannot end in time', () => {
  const placement = { ...noDisks, copies: [copy('a', 'd1', { bytes: 2048 * gib })] };
  const decide = (context: ReturnType<typeof manualCase>) =>
    decideDecommission(before({ case: context, placement }), now);

  it('a drain by hand that cannot end in time is refused with the figures and what helps', () => {
    const step = decide(manualCase());
    expect(step).toMatchObject({ kind: 'done', outcome: { kind: 'refused', refusal: { name: 'cannot-end-in-time' } } });
    const refusal = checkTime('d1', forecast(placement.copies), hour)!;
    expect(refusal.reason).toBe(
      '2048.0 GiB in 1 shard have to move from node d1, which takes about 14 h 34 min at 40 MiB/s for each node, but there are only 1 h 0 min',
    );
    expect(refusal.remedy).toContain('--wait-until-complete 68400');
    expect(refusal.remedy).toContain('"indices.recovery.max_bytes_per_sec":"729mb"');
    expect(refusal.remedy).toContain('--allow-timeout');
  });

  it('begins all the same when that is allowed, with a warning', () => {
    const step = decide(manualCase({ allowTimeout: true }));
    expect(step).toMatchObject({ kind: 'wait', actions: [{ kind: 'warn' }, { kind: 'register-shutdown' }] });
  });

  it('a drain in Terminating:Wait that cannot end in time is never refused, only warned about', () => {
    const step = decide(terminatingCase({ deadlineAt: now + 10 * hour }));
    expect(step).toMatchObject({ kind: 'wait', actions: [{ kind: 'warn' }, { kind: 'register-shutdown' }] });
  });

  it('a drain by hand with enough time begins without a warning', () => {
    const step = decide(manualCase({ deadlineAt: now + 15 * hour }));
    expect(step).toMatchObject({ kind: 'wait', actions: [{ kind: 'register-shutdown' }] });
  });

  it('a slow machine counts, whatever the setting says', () => {
    const step = decide(manualCase({ deadlineAt: now + 15 * hour, machineBytesPerSecond: 16e6 }));
    expect(step).toMatchObject({ kind: 'done', outcome: { kind: 'refused' } });
  });
});
