import { expect, it } from 'vitest';
import { takersOf } from '../../model/topology.ts';
import { copy, record, topology, verdict } from '../facts.test-support.ts';
import { checkDisk, forecastDisk, headroom, parseByteSize, parseWatermark } from './check-disk.ts';
import { checkHasPlace, loneShards } from './check-last-copy.ts';
import { explainStall, stalledShard } from './explain-stall.ts';
import { decidersWithRemedy, remedyFor } from './remedies.ts';

const nobody = new Set<string>();
const gib = 2 ** 30;

it.each([
  ['85%', undefined, { kind: 'used-share', share: 0.85 }],
  ['0.85', undefined, { kind: 'used-share', share: 0.85 }],
  ['85%', '200gb', { kind: 'used-share', share: 0.85, maxHeadroomBytes: 200 * gib }],
  ['50gb', undefined, { kind: 'free-bytes', bytes: 50 * gib }],
  ['500mb', undefined, { kind: 'free-bytes', bytes: 500 * 2 ** 20 }],
  ['nonsense', undefined, undefined],
])('reads the watermark %s (headroom %s)', (text, maxHeadroom, expected) => {
  expect(parseWatermark(text, maxHeadroom)).toEqual(expected);
});

it.each([
  ['1kb', 1024],
  ['1.5gb', 1.5 * gib],
  ['12b', 12],
  ['7', 7],
  ['2 tb', 2 * 2 ** 40],
  ['x', undefined],
])('reads the size %s', (text, expected) => {
  expect(parseByteSize(text)).toBe(expected);
});

it.each([
  ['a share leaves the rest free', { kind: 'used-share', share: 0.85 } as const, 85],
  [
    'a headroom limits what must stay free',
    { kind: 'used-share', share: 0.85, maxHeadroomBytes: 10 * gib } as const,
    90,
  ],
  ['bytes stay free', { kind: 'free-bytes', bytes: 30 * gib } as const, 70],
  ['never below nothing', { kind: 'free-bytes', bytes: 300 * gib } as const, 0],
])('counts the room on an empty disk of 100 GiB: %s', (_title, watermark, expected) => {
  expect(headroom({ nodeId: 'd2', totalBytes: 100 * gib, availableBytes: 100 * gib }, watermark) / gib).toBeCloseTo(
    expected,
  );
});

it('calls a shard lone when no other copy serves on a node that stays', () => {
  const copies = [
    copy('alone', 'd1'),
    copy('safe', 'd1'),
    copy('safe', 'd2', { primary: false }),
    copy('leaving-too', 'd1'),
    copy('leaving-too', 'd3', { primary: false }),
    copy('unassigned', 'd1'),
    copy('unassigned', undefined, { primary: false }),
    copy('starting', 'd1'),
    copy('starting', 'd2', { primary: false, state: 'INITIALIZING' }),
  ];

  const lone = loneShards(copies, 'd1', new Set(['d3'])).map(({ index }) => index);

  expect(lone).toEqual(['alone', 'leaving-too', 'unassigned', 'starting']);
});

it.each([
  ['one node would take it', [verdict('d2', 'filter'), verdict('d3')], nobody, undefined],
  ['all others say no', [verdict('d2', 'filter'), verdict('d3', 'filter')], nobody, 'filter'],
  ['the only taker leaves too', [verdict('d2', 'same_shard'), verdict('d3')], new Set(['d3']), 'same_shard'],
  ['there is no other node', [], nobody, 'no other data node'],
  [
    'the rule of most nodes is named',
    [verdict('d2', 'filter'), verdict('d3', 'disk_threshold'), verdict('d4', 'disk_threshold')],
    nobody,
    'disk_threshold',
  ],
])('looks for a place for a last copy: %s', (_title, verdicts, leaving, expected) => {
  const refusal = checkHasPlace(copy('logs', 'd1'), verdicts, leaving);

  if (expected === undefined) expect(refusal).toBeUndefined();
  else {
    expect(refusal?.name).toBe('last-copy');
    expect(refusal?.reason).toContain('shard [0] [primary] of index [logs]');
    expect(refusal?.reason).toContain(expected);
    expect(refusal?.remedy).toBeTruthy();
  }
});

const disks = ['d1', 'd2', 'd3'].map((nodeId) => ({ nodeId, totalBytes: 100 * gib, availableBytes: 20 * gib }));
const lowWatermark = { kind: 'used-share', share: 0.85 } as const;

it.each([
  ['it fits', [copy('a', 'd1', { bytes: 9 * gib })], nobody, lowWatermark, false],
  ['it does not fit', [copy('a', 'd1', { bytes: 11 * gib })], nobody, lowWatermark, true],
  ['a node that leaves takes nothing', [copy('a', 'd1', { bytes: 9 * gib })], new Set(['d3']), lowWatermark, true],
  ['disk-based allocation is off', [copy('a', 'd1', { bytes: 99 * gib })], nobody, undefined, false],
  [
    'copies that all others hold stay behind',
    ['d1', 'd2', 'd3'].map((nodeId) => copy('a', nodeId, { bytes: 50 * gib })),
    nobody,
    lowWatermark,
    false,
  ],
])('forecasts the disks: %s', (_title, copies, leaving, watermark, refused) => {
  const facts = { nodeId: 'd1', topology: topology(), leaving, copies, disks, lowWatermark: watermark };

  expect(checkDisk(facts)?.name).toBe(refused ? 'disk-watermark' : undefined);
  if (refused) expect(checkDisk(facts)?.reason).toContain('disk_threshold');
  expect(forecastDisk(facts).bytesToMove).toBeGreaterThanOrEqual(0);
});

it('turns a stall into shard, decider and the command that unblocks it', () => {
  const stalled = record('d1', {
    status: 'STALLED',
    explanation: 'shard [2] [replica] of index [logs] cannot move, see [node_allocation_decision] for details',
  });

  const refusal = explainStall(stalled, [
    verdict('d2', 'shards_limit', 'too many shards'),
    verdict('d3', 'shards_limit'),
  ]);

  expect(stalledShard(stalled)).toEqual({ index: 'logs', shard: 2, primary: false });
  expect(refusal.name).toBe('stalled');
  expect(refusal.reason).toBe(
    'shard [2] [replica] of index [logs] cannot move: decider shards_limit says no: too many shards',
  );
  expect(refusal.remedy).toContain('cluster-cli api PUT /logs/_settings');
});

it.each([
  ['no explanation at all', undefined, 'does not say why'],
  ['an explanation without a shard', 'the node is odd', 'the node is odd'],
])('says what it knows of a stall with %s', (_title, explanation, expected) => {
  const refusal = explainStall(record('d1', { status: 'STALLED', explanation }), []);

  expect(refusal.reason).toContain(expected);
  expect(refusal.remedy).toContain('allocation-explain');
});

it('every known allocation decider has a remedy, and an unknown one has a command that explains it', () => {
  for (const decider of decidersWithRemedy)
    expect(remedyFor({ decider, explanation: '' }, { index: 'logs' }).length).toBeGreaterThan(10);
  expect(remedyFor({ decider: 'brand_new', explanation: '' }, { index: 'logs' })).toContain('--index logs');
});

it.each([
  ['the nodes of its tier', ['data_hot', 'data_content'], ['data_content'], ['data_warm'], 'alike'],
  ['the nodes with the generic role', ['data_warm'], ['data'], ['data_hot'], 'alike'],
  ['all others when its tier has no other node', ['data_warm'], ['data_hot'], ['data_hot'], 'alike and other'],
])('shards of a node that goes need room on %s', (_title, roles, alike, other, expected) => {
  const node = (id: string, own: readonly string[]) => ({ id, name: id, ip: id, roles: own });
  const nodes = [node('going', roles), node('alike', alike), node('other', other), node('m', ['master'])];
  const found = takersOf({ nodes }, 'going', nobody).map(({ id }) => id);
  expect(found.join(' and ')).toBe(expected);
});
