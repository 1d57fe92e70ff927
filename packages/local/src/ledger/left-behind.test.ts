import { emptyMemory } from '@drover/runner-fleet';
import { describe, expect, it } from 'vitest';
import { Lasting } from './lasting.ts';
import { type FleetRemains, leftByCluster, leftByFleet } from './left-behind.ts';

const fleet: FleetRemains = {
  groupName: 'runners',
  mode: 'idle',
  scaleSets: [],
  memory: emptyMemory,
  memoryBytes: 100,
  instances: new Set(['i-1']),
  secrets: ['i-1'],
  schedules: [],
};
const held = { ...emptyMemory, jobs: { sessionId: 'held' } };

describe('things without an owner', () => {
  it.each<[string, Partial<FleetRemains>, readonly string[]]>([
    ['nothing of a fleet that is well', {}, []],
    ['the scale set of a fleet in idle mode', { scaleSets: ['runners'] }, ['the scale set runners is left at GitHub']],
    ['not the scale set of a fleet in jobs mode', { scaleSets: ['runners'], mode: 'jobs' }, []],
    ['not the scale set of another fleet', { scaleSets: ['others'] }, []],
    [
      'the scale set and the memory of a type that was removed',
      { scaleSets: ['runners'], mode: 'jobs', removed: true, hasTypes: true, secrets: [] },
      ['the scale set runners is left at GitHub', 'the memory of runners is left, whose type was removed'],
    ],
    ['not the memory of the last type', { mode: 'jobs', removed: true, secrets: [] }, []],
    [
      'a drain that the memory keeps of an instance that is gone',
      { memory: { ...emptyMemory, terminatingSince: { 'i-1': 0, 'i-2': 0 } } },
      ["the fleet's memory has i-2, which is gone"],
    ],
    ['not the session that the windows hold', { mode: 'jobs', session: 'held', memory: held }, []],
    [
      'a session that no window holds',
      { mode: 'jobs', session: 'other', memory: held },
      ['the session other is open at GitHub, and no window holds it'],
    ],
    [
      'the token secret of an instance that is gone',
      { secrets: ['i-1', 'i-2'] },
      ['the token secret of i-2 is left, which is gone'],
    ],
    [
      'a schedule of a function that is gone',
      { schedules: ['demand'] },
      ['the schedule demand calls a function that is gone'],
    ],
    [
      'a memory that is larger than its instances need',
      { memoryBytes: 200_000 },
      ["the fleet's memory has 200000 bytes for 1 instances"],
    ],
  ])('a fleet has left behind: %s', (_, change, expected) => {
    expect(leftByFleet({ ...fleet, ...change })).toEqual(expected);
  });

  it('instances in the memory of a removed type count while the fleet has other types, whose functions may delete it', () => {
    const removed = { ...fleet, removed: true, memory: { ...fleet.memory, busyReadings: { 'i-9': 1 } } as never };

    expect(leftByFleet({ ...removed, hasTypes: true })).toContain("the fleet's memory has i-9, which is gone");
    expect(leftByFleet({ ...removed, hasTypes: false })).toEqual([]);
  });

  it('a cluster has left behind: files of another version than the process, records, exclusions, and a note of masters that nothing spreads', () => {
    const node = { name: 'data-1', version: '8.18.8', files: { plugin: '8.19.21', package: undefined } };

    const remains = { nodes: [{ ...node, restarts: false }], records: ['data-2'], exclusions: ['master-1'] };

    expect(leftByCluster({ ...remains, spreads: ['00:00'] })).toEqual([
      'data-1 runs 8.18.8, and 8.19.21 is in plugin',
      'the shutdown record of data-2 is left, which is in service',
      'the voting exclusion of master-1 is left',
      'the note of 00:00 says that masters are being spread, and nothing does it',
    ]);
    const restarting = [{ ...node, restarts: true }];
    expect(leftByCluster({ nodes: restarting, records: [], exclusions: [], spreads: [] })).toEqual([]);
  });

  it('a leftover has lasted too long after more minutes than the limit in which nothing was in the way, and is reported once', () => {
    const lasting = new Lasting(2);
    const told = [true, true, false, true, true].map((good) => lasting.note(['a'], good));

    expect(told).toEqual([[], [], [], ['a'], []]);
    lasting.note([], true);
    expect(lasting.note(['a'], true)).toEqual([]);
  });
});
