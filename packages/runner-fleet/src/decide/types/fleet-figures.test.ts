import { metrics } from '@drover/core/names/runner-fleet';
import { describe, expect, it } from 'vitest';
import { apartFigures, fleetFigures, type TypeFigures } from './fleet-figures.ts';

const type = (changes: Partial<TypeFigures> & { readonly values?: Record<string, number> } = {}): TypeFigures => ({
  group: { minSize: 0, maxSize: 10, desiredCapacity: 0, instances: [] },
  figures: { [metrics.idle]: 0, [metrics.hookAge]: 0, [metrics.bootFailures]: 0, ...changes.values },
  oldestLaunchMs: 0,
  signalAgeSeconds: 10,
  ...changes,
});

describe('the figures of a fleet with types', () => {
  it('the oldest signal, hook and launch, and the most failed boots of all types are the figures of the fleet', () => {
    const ofDefault = type({ values: { [metrics.idle]: 3, [metrics.hookAge]: 5 } });
    const large = type({ values: { [metrics.idle]: 7, [metrics.hookAge]: 90 }, oldestLaunchMs: 60_000 });
    const arm = type({ values: { [metrics.bootFailures]: 2 }, signalAgeSeconds: 300 });

    expect(fleetFigures(ofDefault, [large, arm])).toMatchObject({
      [metrics.idle]: 3,
      [metrics.hookAge]: 90,
      [metrics.launchAge]: 60,
      [metrics.bootFailures]: 2,
      [metrics.demandSignalAge]: 300,
    });
  });

  it('one failed boot each of two types is not two of one', () => {
    const one = type({ values: { [metrics.bootFailures]: 1 } });

    expect(fleetFigures(one, [one])).toMatchObject({ [metrics.bootFailures]: 1 });
  });

  it('the least room is that of the fullest group; one that is being removed has none and does not count', () => {
    const full = type({ group: { minSize: 0, maxSize: 4, desiredCapacity: 3, instances: [] } });
    const removed = type({ group: { minSize: 0, maxSize: 0, desiredCapacity: 0, instances: [] } });

    expect(fleetFigures(type(), [full, removed])).toMatchObject({ [metrics.groupRoom]: 1 });
    expect(fleetFigures(undefined, [removed])).not.toHaveProperty(metrics.groupRoom);
  });

  it('a group with a minimum and no instance in service counts as empty, one that may be empty does not', () => {
    const booting = {
      id: 'i-1',
      lifecycleState: 'Pending:Wait',
      healthy: true,
      protectedFromScaleIn: true,
      inWarmPool: false,
    };
    const group = { minSize: 1, maxSize: 4, desiredCapacity: 1 };
    const empty = type({ group: { ...group, instances: [booting] } });
    const serving = type({ group: { ...group, instances: [{ ...booting, lifecycleState: 'InService' }] } });

    expect(fleetFigures(type(), [empty, serving])).toMatchObject({ [metrics.groupsEmpty]: 1 });
  });

  it('a type without jobs and idle runners publishes nothing of its own', () => {
    expect(apartFigures(type())).toBeUndefined();
    expect(apartFigures(type({ values: { [metrics.waitingJobs]: 2 } }))).toEqual({
      [metrics.assignedJobs]: 0,
      [metrics.runningJobs]: 0,
      [metrics.waitingJobs]: 2,
      [metrics.idle]: 0,
    });
  });
});
