import { describe, expect, it } from 'vitest';
import type { ShardCopy } from '../../model/shard.ts';
import { forecastZoneLosses, type ZoneLossFacts } from './zone-loss.ts';

const gib = 2 ** 30;
/** `a1` is the first node of zone a; every disk has 100 GiB. */
const nodesIn = (ids: string) => ids.split(' ').map((id) => ({ id, zone: id[0]! }));
const disks = (ids: string, usedGib: number) =>
  ids.split(' ').map((nodeId) => ({ nodeId, totalBytes: 100 * gib, availableBytes: (100 - usedGib) * gib }));

/** Each text is one shard: the nodes of its copies, `-` for one that is not assigned. */
const copiesOn = (shards: readonly string[], bytes: number): ShardCopy[] =>
  shards.flatMap((nodes, shard) =>
    nodes.split(' ').map((node, at) => ({
      index: 'logs',
      shard,
      primary: at === 0,
      state: node === '-' ? ('UNASSIGNED' as const) : ('STARTED' as const),
      nodeId: node === '-' ? undefined : node,
      bytes: node === '-' ? 0 : bytes,
    })),
  );

interface Case {
  readonly nodes: string;
  readonly shards: readonly string[];
  readonly sizeGib?: number;
  readonly usedGib?: number;
  readonly forced?: string;
}

const lossOf = (zone: string, { nodes, shards, sizeGib = 10, usedGib = 30, forced = '' }: Case) => {
  const facts: ZoneLossFacts = {
    nodes: nodesIn(nodes),
    copies: copiesOn(shards, sizeGib * gib),
    disks: disks(nodes, usedGib),
    lowWatermark: { kind: 'used-share', share: 0.85 },
    forcedZones: forced === '' ? [] : forced.split(' '),
  };
  const loss = forecastZoneLosses(facts).find((one) => one.zone === zone)!;
  return [loss.needsBytes, loss.freeBytes, loss.missingBytes].map((bytes) => Math.round(bytes / gib));
};

/** Two nodes in each zone, as in the measurement of decision 67. */
const twoZones = 'a1 a2 b1 b2';
const threeZones = 'a1 a2 b1 b2 c1 c2';

describe('the forecast of a lost zone', () => {
  it.each<[string, Case, readonly number[]]>([
    ['2 zones, 1 replica: again in the other', { nodes: twoZones, shards: ['a1 b1', 'a2 b2'] }, [20, 110, 0]],
    ['2 zones, 1 replica, forced: none', { nodes: twoZones, shards: ['a1 b1', 'a2 b2'], forced: 'a b' }, [0, 110, 0]],
    ['2 zones, 2 replicas: no node for the third copy', { nodes: twoZones, shards: ['a1 a2 b1'] }, [10, 110, 0]],
    [
      '2 zones, 2 replicas, forced: as many as one zone of two may have',
      { nodes: 'a1 a2 b1 b2 b3', shards: ['a1 a2 b1'], forced: 'a b' },
      [10, 165, 0],
    ],
    ['3 zones, 1 replica: in the third', { nodes: threeZones, shards: ['a1 b1', 'a2 c1'] }, [20, 220, 0]],
    [
      '3 zones, 1 replica, forced: the same',
      { nodes: threeZones, shards: ['a1 b1', 'a2 c1'], forced: 'a b c' },
      [20, 220, 0],
    ],
    ['3 zones, 2 replicas: two in one zone', { nodes: threeZones, shards: ['a1 b1 c1'] }, [10, 220, 0]],
    ['3 zones, 2 replicas, forced: none', { nodes: threeZones, shards: ['a1 b1 c1'], forced: 'a b c' }, [0, 220, 0]],
    ['no copy elsewhere: nothing to build it from', { nodes: twoZones, shards: ['a1', 'a1 a2'] }, [0, 110, 0]],
    ['a copy that is not assigned now is wanted all the same', { nodes: twoZones, shards: ['b1 -'] }, [10, 110, 0]],
    ['disks that are too full', { nodes: twoZones, shards: ['a1 b1', 'a2 b2'], usedGib: 80 }, [20, 10, 20]],
    [
      'room in a zone that may not have the copy does not count',
      { nodes: 'a1 b1 b2 c1', shards: ['a1 b1', 'a1 b1'], sizeGib: 50 },
      [100, 165, 50],
    ],
  ])(
    'the forecast shows what Elasticsearch builds again, and what is free for it, in GiB: %s',
    (_, facts, expected) => {
      expect(lossOf('a', facts)).toEqual(expected);
    },
  );

  it('the forecast of a lost zone has a row for each zone with data nodes', () => {
    const facts = { copies: [], disks: [], lowWatermark: undefined, forcedZones: [], nodes: nodesIn(threeZones) };

    expect(forecastZoneLosses(facts).map(({ zone }) => zone)).toEqual(['a', 'b', 'c']);
  });
});
