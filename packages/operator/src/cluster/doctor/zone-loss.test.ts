import { expect, it } from 'vitest';
import { roomForLostZone } from './zone-loss.ts';

const gib = 2 ** 30;
const read = <T>(value: T) => ({ kind: 'read' as const, value });
const ids = ['a', 'b', 'c'];

/** A data node in each of three zones, two of which hold a shard of 60 GiB. */
const facts = (usedGib: number, change: object = {}) => ({
  topology: read({
    clusterName: 'logs',
    clusterUuid: 'u',
    nodes: [...ids.map((id) => ({ id, name: id, ip: id, roles: ['data'] })), master],
  }),
  shards: read(
    ['a', 'b'].map((nodeId) => ({
      ...{ index: 'docs', shard: 0, primary: nodeId === 'a', state: 'STARTED' as const },
      ...{ nodeId, bytes: 60 * gib },
    })),
  ),
  disks: read(ids.map((nodeId) => ({ nodeId, totalBytes: 100 * gib, availableBytes: (100 - usedGib) * gib }))),
  allocation: read({ enabled: true, low: '85%', lowMaxHeadroom: undefined, forcedZones: [] as string[] }),
  instances: ids.map((id) => ({ ...instance, instanceId: `i-${id}`, privateIp: id, zone: `eu-west-1${id}` })),
  ...change,
});

const master = { id: 'm', name: 'm', ip: 'm', roles: ['master'] };
const instance = { groupName: 'logs-data', lifecycleState: 'InService', tags: {} };

it.each<[string, ReturnType<typeof facts>, string, RegExp]>([
  [
    'room for what is built again',
    facts(20),
    'ok',
    /^losing eu-west-1a needs 60\.0 GiB in the other zones, 130\.0 GiB are free below the low watermark$/,
  ],
  [
    'too little room',
    facts(40),
    'problem',
    /^losing eu-west-1a needs 60\.0 GiB in the other zones, 90\.0 GiB are free below the low watermark: 60\.0 GiB find no place; losing eu-west-1b/,
  ],
  [
    'no limit, because disk-based allocation is off',
    facts(40, { allocation: read({ enabled: false, low: undefined, lowMaxHeadroom: undefined, forcedZones: [] }) }),
    'ok',
    /needs 60\.0 GiB .* 120\.0 GiB are free/,
  ],
  [
    'one zone alone',
    facts(40, { instances: facts(40).instances.map((one) => ({ ...one, zone: 'eu-west-1a' })) }),
    'ok',
    /no data nodes in two zones/,
  ],
  [
    'disks that could not be read',
    facts(40, { disks: { kind: 'failed', message: 'timed out' } }),
    'unknown',
    /could not be read: timed out/,
  ],
])('drover cluster doctor compares what a lost zone needs with what is free: %s', (_, found, verdict, says) => {
  const outcome = roomForLostZone(found);

  expect(outcome.verdict).toBe(verdict);
  expect(outcome.evidence).toMatch(says);
});
