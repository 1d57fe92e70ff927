import type { InstanceState, TypeState } from '@drover/observation/api';
import { describe, expect, it } from 'vitest';
import { byType, typeFigures } from './type-figures.ts';

const type = (name: string, more: Partial<TypeState> = {}): TypeState => ({
  name,
  groupName: `runners-${name}`,
  minSize: 0,
  maxSize: 4,
  desiredCapacity: 1,
  idleTarget: 0,
  demand: { assigned: 0, waiting: 0 },
  ...more,
});
const instance = (id: string, ofType: string, warmPool = false) => ({ id, type: ofType, warmPool }) as InstanceState;

describe('the types of a fleet in the scene', () => {
  it('a type has its jobs that run and wait, and its hosts without those of the warm pool', () => {
    const types = [type('default', { demand: { assigned: 5, waiting: 2 } }), type('large')];
    const instances = [instance('i-1', 'default'), instance('i-2', 'default', true), instance('i-3', 'large')];

    expect(typeFigures({ types, instances })).toMatchObject([
      { name: 'default', running: 3, demand: { waiting: 2 }, hosts: 1, full: false },
      { name: 'large', running: 0, hosts: 1, full: false },
    ]);
  });

  it('a type is full when it has its maximum, unless that is 0 because it is being removed', () => {
    const types = [
      type('full', { desiredCapacity: 4 }),
      type('growing', { desiredCapacity: 3 }),
      type('removed', { desiredCapacity: 0, maxSize: 0 }),
    ];

    expect(typeFigures({ types, instances: [] }).map(({ full }) => full)).toEqual([true, false, false]);
  });

  it('instances are grouped in the order of the types, and a fleet without types has no groups', () => {
    const instances = [instance('i-1', 'large'), instance('i-2', 'default'), instance('i-3', 'large')];
    const grouped = byType(instances, [type('default'), type('arm'), type('large')]);

    expect(grouped?.map(({ name, instances: own }) => [name, own.map(({ id }) => id)])).toEqual([
      ['default', ['i-2']],
      ['large', ['i-1', 'i-3']],
    ]);
    expect(byType(instances, undefined)).toBeUndefined();
    expect(typeFigures({ types: undefined, instances })).toEqual([]);
  });
});
