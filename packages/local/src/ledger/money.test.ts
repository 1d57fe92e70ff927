import { describe, expect, it } from 'vitest';
import { accountMinute, type FleetMinute, type InstanceMinute, type Reason } from './money.ts';

const idle: InstanceMinute = {
  id: '',
  state: 'InService',
  busy: false,
  dead: false,
  outdated: false,
  bootMinutes: 0,
  wasted: -1,
};
const boots = { ...idle, state: 'Pending:Wait' };

function reasons(instances: readonly Partial<InstanceMinute>[], fleet: Partial<FleetMinute> = {}): readonly Reason[] {
  const named = instances.map((instance, index) => ({ ...idle, ...instance, id: `i-${index}` }));
  const facts = { minSize: 0, idleTarget: 0, waitingJobs: 0, mostBootMinutes: 60, bootAlarmOn: false };
  const accounted = accountMinute({ ...facts, ...fleet, instances: named });
  return named.map(({ id }) => accounted.get(id)!);
}

describe('an instance-minute of a fleet', () => {
  it.each<[string, Reason, Partial<InstanceMinute>, Partial<FleetMinute>]>([
    ['with a job', 'job', { busy: true }, {}],
    ['with a job while it leaves', 'drain', { busy: true, state: 'Terminating:Wait' }, {}],
    ['in the warm pool', 'warm pool', { state: 'Warmed:Hibernated' }, {}],
    ['within the idle target', 'idle target', {}, { idleTarget: 1 }],
    ['within the minimum', 'minimum', {}, { minSize: 1 }],
    ['for a job that waits', 'waiting job', {}, { waitingJobs: 1, idleTarget: 1 }],
    ['during a boot', 'boot', boots, { idleTarget: 1 }],
    ['during a boot that no job waits for any more: Auto Scaling lets it end', 'boot', boots, {}],
    ['during a boot that never ends', 'endless boot', { ...boots, bootMinutes: 61 }, { idleTarget: 1 }],
    [
      'of a boot that failed, with an alarm on',
      'kept for inspection',
      { ...boots, bootMinutes: 61 },
      { idleTarget: 1, bootAlarmOn: true },
    ],
    ['beyond all of them', 'surplus', {}, {}],
    ['of an older template', 'retiring', { outdated: true }, {}],
    ['of a machine that failed', 'dead', { dead: true }, { idleTarget: 1 }],
    ['that no group has', 'stray', { state: undefined }, { idleTarget: 1 }],
  ])('%s has the reason: %s', (_, expected, instance, fleet) => {
    expect(reasons([instance], fleet)).toEqual([expected]);
  });

  it('the minimum counts instances with jobs, the idle target does not', () => {
    expect(reasons([{ busy: true }, {}], { minSize: 2 })).toEqual(['job', 'minimum']);
    expect(reasons([{ busy: true }, {}], { minSize: 1 })).toEqual(['job', 'surplus']);
    expect(reasons([{ busy: true }, {}], { idleTarget: 1 })).toEqual(['job', 'idle target']);
  });

  it('an instance of an older template may wait for a newcomer to boot, not longer', () => {
    const newcomer = { state: 'Pending:Wait' };
    expect(reasons([{ outdated: true }, newcomer])).toEqual(['roll-out', 'boot']);
    expect(reasons([{ outdated: true }], { bootAlarmOn: true })).toEqual(['roll-out']);
    expect(reasons([{ outdated: true }, { ...newcomer, outdated: true }])).toEqual(['retiring', 'boot']);
  });

  it('a surplus cannot hide behind taking turns: who had a place keeps it', () => {
    expect(reasons([{ wasted: 5 }, { wasted: -1 }], { idleTarget: 1 })).toEqual(['surplus', 'idle target']);
  });
});
