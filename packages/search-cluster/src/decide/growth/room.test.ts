import { expect, it } from 'vitest';
import type { GroupRoom } from '../../model/growth/room.ts';
import { minute, now } from '../facts.test-support.ts';
import { decideRoom, mayGrow, type RoomFacts } from './room.ts';

const gib = 2 ** 30;
const hour = 60 * minute;
/** Disks of 100 GiB by how full they are, in percent. */
const disks = (...used: readonly number[]) =>
  used.map((percent, at) => ({ nodeId: `d${at}`, totalBytes: 100 * gib, availableBytes: (100 - percent) * gib }));
const full = disks(90, 90, 90);

interface Case {
  readonly room?: GroupRoom;
  readonly disks?: ReturnType<typeof disks>;
  readonly group?: Partial<RoomFacts['groups'][number]['frame']>;
  readonly leastGiB?: number;
  readonly obstacles?: readonly string[];
}
const told = ({ room = { fullSince: now - hour }, group = {}, ...over }: Case) => {
  const frame = { groupName: 'logs-data', maxSize: 5, desired: 3, volumeMaxGiB: undefined, ...group };
  const { act, note, waits, atMaximum } = decideRoom(
    {
      groups: [{ frame, disks: over.disks ?? full }],
      note: { 'logs-data': room },
      leastGiB: over.leastGiB,
      lowWatermark: { kind: 'used-share', share: 0.85 },
      obstacles: over.obstacles ?? [],
    },
    now,
  );
  const did = act === undefined ? 'nothing' : `${act.kind} ${act.kind === 'count' ? act.desired : act.volumeGiB}`;
  const { fullSince, step } = note['logs-data']!;
  return { did, since: fullSince, step, waits: waits.length, atMaximum: atMaximum.length };
};
const step = (minutesAgo: number, desired = 4) => ({ kind: 'count', at: now - minutesAgo * minute, desired }) as const;
const volumes = (minutesAgo: number, smallestBytes = 100 * gib) =>
  ({ kind: 'volume', at: now - minutesAgo * minute, volumeGiB: 150, smallestBytes }) as const;
const fullSince = now - 24 * hour;

it.each<[string, Case, string]>([
  ['that is full for the first time', { room: {} }, 'nothing'],
  ['that has been full for 59 minutes', { room: { fullSince: now - 59 * minute } }, 'nothing'],
  ['that has been full for an hour', {}, 'count 4'],
  ['with one full disk among others with room', { disks: disks(97, 50, 50) }, 'nothing'],
  ['none of whose nodes responds', { disks: [] }, 'nothing'],
  ['in whose cluster something is in progress', { obstacles: ['i-1 is Pending:Wait'] }, 'nothing'],
  ['that got a node 59 minutes ago', { room: { fullSince, step: step(59) }, group: { desired: 4 } }, 'nothing'],
  [
    'that got a node an hour ago, and is full all the same',
    { room: { fullSince, step: step(60) }, group: { desired: 4 } },
    'count 5',
  ],
  ['whose run died between its note and its act', { room: { fullSince, step: step(5) } }, 'count 4'],
  ['whose node an operator took back', { room: { fullSince, step: step(30) } }, 'nothing'],
  ['with its largest number of nodes', { group: { desired: 5 } }, 'nothing'],
  ['whose volumes may grow', { group: { volumeMaxGiB: 500 } }, 'volume 150'],
  [
    'whose volumes may grow, with something in progress',
    { group: { volumeMaxGiB: 500 }, obstacles: ['yellow'] },
    'volume 150',
  ],
  ['whose volumes may grow a little', { group: { volumeMaxGiB: 120 } }, 'volume 120'],
  ['whose volumes have been grown before', { group: { volumeMaxGiB: 900 }, leastGiB: 400 }, 'volume 600'],
  ['whose next size is nearly the largest', { group: { volumeMaxGiB: 160 } }, 'volume 160'],
  ['whose volumes are as large as they may be', { group: { volumeMaxGiB: 400 }, leastGiB: 400 }, 'count 4'],
  [
    'whose volumes were to grow an hour ago, and have not',
    { room: { fullSince, step: volumes(60) }, group: { volumeMaxGiB: 500 } },
    'nothing',
  ],
  [
    'whose volumes have not grown for two hours',
    { room: { fullSince, step: volumes(120) }, group: { volumeMaxGiB: 500 } },
    'count 4',
  ],
  [
    'whose volumes have grown an hour ago, and are full again',
    { room: { fullSince, step: volumes(60, 60 * gib) }, group: { volumeMaxGiB: 500 }, leastGiB: 150 },
    'volume 225',
  ],
  [
    'whose volumes and number are at their largest',
    { group: { volumeMaxGiB: 400, desired: 5 }, leastGiB: 400 },
    'nothing',
  ],
])('what a group gets %s', (_title, facts, expected) => {
  expect(told(facts).did).toBe(expected);
});

it('a step is in the note before the act; a group that has room again gets a whole hour the next time, and keeps its last step', () => {
  expect(told({}).step).toEqual({ kind: 'count', at: now, desired: 4 });
  expect(told({ room: {} }).since).toBe(now);
  expect(told({ room: { fullSince, step: step(90) }, disks: disks(50, 50, 50) })).toEqual({
    did: 'nothing',
    since: undefined,
    step: step(90),
    waits: 0,
    atMaximum: 0,
  });
});

it('a group is at its maximum only when it would get more after its hour, and a step that waits says why', () => {
  expect(told({ group: { desired: 5 } }).atMaximum).toBe(1);
  expect(told({ group: { desired: 5 }, room: {} }).atMaximum).toBe(0);
  expect(told({ obstacles: ['the cluster is red'] }).waits).toBe(1);
});

it('a group may grow when it may have more nodes or larger volumes than the template says', () => {
  const group = { groupName: 'logs-data', minSize: 3, maxSize: 3, desired: 3, zones: [], suspended: [], members: [] };

  expect(mayGrow(group)).toBe(false);
  expect(mayGrow({ ...group, maxSize: 4 })).toBe(true);
  expect(mayGrow({ ...group, volumeMaxGiB: 500 })).toBe(true);
});
