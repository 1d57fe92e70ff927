import { describe, expect, it } from 'vitest';
import { dangersOf } from './standing.ts';
import { type ClusterShape, clusterSurvives, type FleetShape, fleetSurvives, type Survival } from './survives.ts';

describe('which single losses a configuration survives', () => {
  it.each<[ClusterShape, Survival['machine'], Survival['zones'], string]>([
    [
      { masters: 3, dataNodes: 3, zones: 3 },
      true,
      'any',
      'survives the loss of any one machine, or any one of 3 zones',
    ],
    [
      { masters: 5, dataNodes: 6, zones: 3 },
      true,
      'any',
      'survives the loss of any one machine, or any one of 3 zones',
    ],
    [
      { masters: 3, dataNodes: 2, zones: 3 },
      true,
      'any',
      'survives the loss of any one machine, or any one of 3 zones',
    ],
    [
      { masters: 3, dataNodes: 3, zones: 2 },
      true,
      'some',
      'survives the loss of any one machine, or a zone with the smaller part of the masters; a zone has 2 of 3 masters',
    ],
    [
      { masters: 3, dataNodes: 3, zones: 1 },
      true,
      'none',
      'survives the loss of any one machine; a zone has 3 of 3 masters',
    ],
    [
      { masters: 1, dataNodes: 3, zones: 3 },
      false,
      'some',
      'survives the loss of a zone with the smaller part of the masters; 1 master has no majority without itself',
    ],
    [
      { masters: 1, dataNodes: 1, zones: 1 },
      false,
      'none',
      'survives the loss of no machine; 1 master has no majority without itself, one data node has the only copy of each shard',
    ],
    [
      { masters: 3, dataNodes: 3, zones: 3, copies: 1 },
      false,
      'none',
      'survives the loss of no machine; shards have no replica',
    ],
  ])('a cluster with %o survives: any machine %s, zones %s', (shape, machine, zones, line) => {
    expect(clusterSurvives(shape)).toEqual({ machine, zones, line });
  });

  it.each<[FleetShape, Survival['zones'], string]>([
    [
      { mode: 'idle', zones: 3, functionZones: 2 },
      'any',
      'survives the loss of any one machine, or any one of 3 zones, or any run of a function',
    ],
    [
      { mode: 'jobs', zones: 2, functionZones: 2 },
      'any',
      'survives the loss of any one machine, or any one of 2 zones, or any run of a function, or its session with GitHub',
    ],
    [
      { mode: 'idle', zones: 2, functionZones: 1 },
      'some',
      'survives the loss of any one machine, or a zone without its functions, or any run of a function; all its functions are in one zone',
    ],
    [
      { mode: 'idle', zones: 1, functionZones: 2 },
      'none',
      'survives the loss of any one machine, or any run of a function; all its runners are in one zone',
    ],
  ])('a fleet with %o survives any machine, zones %s', (shape, zones, line) => {
    expect(fleetSurvives(shape)).toEqual({ machine: true, zones, line });
  });
});

describe('what the next single loss would take', () => {
  const survival = clusterSurvives({ masters: 3, dataNodes: 3, zones: 3 });
  const at = (...zones: string[]) => zones.map((zone, index) => ({ machine: `i-${zone}${index}`, zone }));
  const standing = { voters: ['a', 'b', 'c'], votes: 3, shards: [at('a', 'b'), at('b', 'c')] };

  it('nothing, in a cluster whose masters and copies are spread', () => {
    expect(dangersOf(standing, survival)).toEqual([]);
  });

  it('the cluster, where most masters are in one zone', () => {
    expect(dangersOf({ ...standing, voters: ['b', 'b', 'c'] }, survival)).toEqual([
      '2 of 3 voting masters are in b: losing it would be final',
    ]);
  });

  it('the cluster, where a master is missing', () => {
    expect(dangersOf({ ...standing, voters: ['b', 'c'] }, survival)).toEqual([
      '2 of 3 voting masters are there: one more loss is final',
      '1 of 3 voting masters are in b: losing it would be final',
      '1 of 3 voting masters are in c: losing it would be final',
    ]);
  });

  it('documents, where all copies of a shard are in one zone or on one machine', () => {
    const shards = [at('a', 'a'), [{ machine: 'i-1', zone: 'b' }]];

    expect(dangersOf({ ...standing, shards }, survival)).toEqual([
      '1 shards are on one machine alone',
      '1 shards are in a alone',
      '1 shards are in b alone',
    ]);
  });

  it('nothing beyond what the configuration survives is asked for', () => {
    const small = clusterSurvives({ masters: 1, dataNodes: 1, zones: 1 });

    expect(dangersOf({ voters: ['a'], votes: 1, shards: [at('a')] }, small)).toEqual([]);
  });
});
