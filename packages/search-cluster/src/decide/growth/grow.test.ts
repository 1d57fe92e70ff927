import { describe, expect, it } from 'vitest';
import type { DataVolume } from '../../model/volume.ts';
import { decideGrow, describeGrowth, type GrowFacts, type GrowNode } from './grow.ts';
import { growSmallVolumes, type VolumeGrowth } from './small-volumes.ts';

const minute = 60_000;
const now = Date.UTC(2026, 10, 18, 12);
const modification = (state: 'modifying' | 'optimizing' | 'completed' | 'failed', targetGiB: number) =>
  ({ state, targetGiB, startedAt: now - minute, progressPercent: 40 }) as const;
const node = (
  id: string,
  sizeGiB: number,
  change: Partial<GrowNode> = {},
  volume: Partial<DataVolume> = {},
): GrowNode => ({
  instanceId: `i-${id}`,
  lifecycleState: 'InService',
  volume: { volumeId: `vol-${id}`, instanceId: `i-${id}`, sizeGiB, modification: undefined, ...volume },
  agent: 'Online',
  notNow: undefined,
  command: undefined,
  ...change,
});
const sent = (state: 'running' | 'succeeded' | 'failed', output = '') => ({ command: { state, output } });
const facts = (nodes: readonly GrowNode[], change: Partial<GrowFacts> = {}): GrowFacts => ({
  wantedGiB: 1000,
  leastGiB: 1000,
  nodes,
  records: [],
  blockedSince: undefined,
  ...change,
});
const restart = {
  nodeId: 'n1',
  type: 'RESTART',
  reason: 'software-0.9.0 [in place]',
  startedAt: now,
  status: 'COMPLETE',
  shardsRemaining: 0,
  explanation: undefined,
  verdicts: [],
} as const;
const act = (found: GrowFacts) => {
  const step = decideGrow(found, now);
  return step.kind === 'wait' ? (step.actions?.[0] ?? step.because) : step.outcome;
};

describe('growth of the volumes of data nodes', () => {
  it.each<[string, GrowFacts, RegExp]>([
    ['smaller volumes', facts([node('a', 500), node('b', 1000)]), /^It would grow 1 of 2 data nodes to 1000 GiB\.$/],
    ['volumes of the size', facts([node('a', 1000)]), /^Every data node has 1000 GiB\.$/],
    ['larger volumes', facts([node('a', 2000)]), /^It would be refused \(smaller-than-now\): .*; give 2000 or more\.$/],
    [
      'data on a root volume',
      facts([node('a', 8, { volume: undefined })]),
      /^It would be refused \(no-data-volume\): /,
    ],
    [
      'a volume that is modified for a smaller size',
      facts([node('a', 500, {}, { modification: modification('optimizing', 500) })]),
      /^It would have to go on later: vol-a of i-a is optimizing since /,
    ],
  ])('a growth that is only planned says what it would do with %s', (_title, found, says) => {
    expect(describeGrowth(found)).toMatch(says);
  });

  it('the size is noted before any volume is modified', () => {
    expect(act(facts([node('a', 500)], { leastGiB: undefined }))).toEqual({ kind: 'note' });
    expect(act(facts([node('a', 500)], { leastGiB: 500 }))).toEqual({ kind: 'note' });
  });

  it.each<[string, GrowNode[], unknown]>([
    [
      'a volume that is modified is waited for, even if EC2 shows its new size already',
      [node('a', 1000, {}, { modification: modification('modifying', 1000) })],
      'vol-a of i-a is modified',
    ],
    [
      'a small volume is modified, the first node first',
      [node('b', 500), node('a', 500)],
      { kind: 'modify', volume: node('a', 500).volume },
    ],
    [
      'a volume that is being modified is waited for, and no other one is begun',
      [node('a', 500, {}, { modification: modification('modifying', 1000) }), node('b', 500)],
      'vol-a of i-a is modified',
    ],
    [
      'the file system grows as soon as the disk has the size, while the volume is optimizing',
      [node('a', 1000, {}, { modification: modification('optimizing', 1000) })],
      { kind: 'resize', instanceId: 'i-a' },
    ],
    [
      'a file system that grows is waited for',
      [node('a', 1000, sent('running')), node('b', 500)],
      'the file system of i-a grows to 1000 GiB',
    ],
    [
      'a node whose file system has grown is followed by the next',
      [node('a', 1000, sent('succeeded')), node('b', 500)],
      { kind: 'modify', volume: node('b', 500).volume },
    ],
    ['every node has the size', [node('a', 1000, sent('succeeded'))], { kind: 'grown', progress: { grown: 1, of: 1 } }],
    [
      'a volume whose modification failed is modified again',
      [node('a', 500, {}, { modification: modification('failed', 1000) })],
      { kind: 'modify', volume: node('a', 500, {}, { modification: modification('failed', 1000) }).volume },
    ],
    [
      'a node that is launched is left to the watch',
      [node('a', 1000, sent('succeeded')), node('b', 500, { lifecycleState: 'Pending:Wait' })],
      { kind: 'grown', progress: { grown: 1, of: 1 } },
    ],
    [
      'a file system that cannot grow stops the run before the next node',
      [node('a', 1000, sent('failed', 'a\nresize2fs: Permission denied\n')), node('b', 500)],
      { kind: 'stopped', because: 'i-a: resize2fs: Permission denied', progress: { grown: 0, of: 2 } },
    ],
    [
      'a volume that EC2 does not modify now is left for later, after all others',
      [node('a', 500, { notNow: 'Wait until noon' }), node('b', 500)],
      { kind: 'modify', volume: node('b', 500).volume },
    ],
    [
      'a run in which only such volumes are left ends with the words of EC2',
      [node('a', 500, { notNow: 'Wait until noon' }), node('b', 1000, sent('succeeded'))],
      { kind: 'blocked', because: 'vol-a of i-a: Wait until noon', progress: { grown: 1, of: 2 } },
    ],
  ])('%s', (_what, nodes, expected) => {
    expect(act(facts(nodes))).toEqual(expected);
  });

  it('a volume that is still optimizing after a smaller growth is left for later, with the reason', () => {
    const found = act(facts([node('a', 700, {}, { modification: modification('optimizing', 700) })]));

    expect(found).toMatchObject({
      kind: 'blocked',
      because: expect.stringContaining('is optimizing since 2026-11-18T11:59:00.000Z (40 %)'),
    });
  });

  it('a size below that of a volume, or below what was asked for before, is refused', () => {
    const smaller = { kind: 'refused', refusal: { name: 'smaller-than-now' } };

    expect(act(facts([node('a', 1001)]))).toMatchObject(smaller);
    expect(act(facts([node('a', 500)], { leastGiB: 2000 }))).toMatchObject(smaller);
  });

  it('nodes whose data is on the root volume are refused, with the way to a volume of their own', () => {
    expect(act(facts([node('a', 500, { volume: undefined })]))).toMatchObject({
      kind: 'refused',
      refusal: { name: 'no-data-volume', remedy: expect.stringContaining('separate_data_volume') },
    });
  });

  it('a node that restarts in place is waited for, and ends the run after 15 minutes', () => {
    expect(act(facts([node('a', 500)], { records: [restart] }))).toContain('node n1 has a shutdown record');
    expect(act(facts([node('a', 500)], { records: [restart], blockedSince: now - 15 * minute }))).toMatchObject({
      kind: 'blocked',
    });
  });

  it('a drain, which may wait for room, and an Elasticsearch that does not respond are not in the way', () => {
    const modify = { kind: 'modify', volume: node('a', 500).volume };

    expect(act(facts([node('a', 500)], { records: [{ ...restart, type: 'REMOVE' }] }))).toEqual(modify);
    expect(act(facts([node('a', 500)], { records: undefined }))).toEqual(modify);
  });

  it('an instance that Systems Manager does not reach is waited for before its volume is modified', () => {
    expect(act(facts([node('a', 500, { agent: undefined })]))).toBe(
      'Systems Manager does not reach i-a (never registered)',
    );
  });
});

describe('volumes below the size that a cluster was grown to', () => {
  const instance = (instanceId: string, lifecycleState = 'InService', groupName = 'logs-data') => ({
    instanceId,
    lifecycleState,
    groupName,
    privateIp: undefined,
    tags: {},
  });
  const acts = (found: readonly VolumeGrowth[]) =>
    found.map((one) => (one.kind === 'note-growth' ? `note ${one.leastGiB}` : `${one.volume.volumeId} ${one.sizeGiB}`));
  const small = (id: string, change: Partial<DataVolume> = {}) => node(id, 500, {}, change).volume!;

  it('volumes of data nodes that stay are grown by the watch, and those that are modified or large enough are not', () => {
    const instances = [
      ...['i-a', 'i-b', 'i-c'].map((id) => instance(id)),
      instance('i-d', 'Terminating:Wait'),
      instance('i-e', 'Pending:Wait'),
      instance('i-f', 'InService', 'logs'),
    ];
    const volumes = [
      small('a'),
      small('b', { modification: modification('modifying', 1000) }),
      small('c', { sizeGiB: 1000 }),
      ...['d', 'e', 'f'].map((id) => small(id)),
    ];

    const growth = { leastGiB: 1000, askedGiB: undefined, mostGiB: undefined, volumes };
    expect(acts(growSmallVolumes('logs', instances, growth))).toEqual(['vol-a 1000', 'vol-e 1000']);
    expect(growSmallVolumes('logs', instances, undefined)).toEqual([]);
  });

  it.each([
    ['up to the limit of the input', { askedGiB: 750, mostGiB: 2000 }, ['note 750', 'vol-a 750']],
    ['and no further', { askedGiB: 9000, mostGiB: 2000 }, ['note 2000', 'vol-a 2000']],
    ['and not at all without such a limit', { askedGiB: 750, mostGiB: undefined }, []],
    ['as noted already', { leastGiB: 750, askedGiB: 750, mostGiB: 2000 }, ['vol-a 750']],
    ['or as an operator has grown them', { leastGiB: 1000, askedGiB: 750, mostGiB: 2000 }, ['vol-a 1000']],
  ] as const)('volumes that a master asks to be larger are grown %s', (_title, change, expected) => {
    const growth = { leastGiB: undefined, volumes: [small('a')], ...change };
    expect(acts(growSmallVolumes('logs', [instance('i-a')], growth))).toEqual(expected);
  });
});
