import { describe, expect, it } from 'vitest';
import { phaseOfNode } from '../../phase.ts';
import { SearchNodes } from '../../search-readings.ts';
import { searchHealth, searchSource } from '../gather/search.ts';
import { clusterState } from './cluster-state.ts';
import type { AccountFacts } from './facts.ts';

const responses: Readonly<Record<string, unknown>> = {
  '/_cluster/health': { status: 'green', active_shards: 24, unassigned_shards: 0 },
  '/_cat/nodes': [{ id: 'n1', ip: '10.0.0.1', name: 'search-1', master: '*' }],
  '/_cat/shards': [{ index: 'logs', shard: '0', prirep: 'p', state: 'STARTED', node: 'search-1' }],
  '/_cat/recovery': [],
  '/_nodes/shutdown': { nodes: [] },
  '/_cat/count': [{ count: '1000' }],
};

/** A cluster of one node that was read once, at 0, and of which every later reading fails. */
async function readOnce() {
  let responds = true;
  const json = async ({ path }: { path: string }) => {
    if (!responds) throw new Error('no response within 10 s');
    return responses[path.split('?')[0]!];
  };
  const search = searchSource({ client: { json } } as unknown as Parameters<typeof searchSource>[0]);
  const health = search.sources.find(({ what }) => what === searchHealth)!;
  await health.read();
  responds = false;
  await expect(health.read()).rejects.toThrow('no response');
  const instance = { InstanceId: 'i-1', AvailabilityZone: 'eu-west-1a', LifecycleState: 'InService' };
  const facts = {
    watched: { cluster: { clusterName: 'search', groups: { all: ['search', 'search-data'] } } },
    groups: {
      instances: (group: string) => (group === 'search' ? [instance] : []),
      machine: () => ({ privateIp: '10.0.0.1' }),
      refresh: () => undefined,
      group: () => undefined,
    },
    search,
  } as unknown as AccountFacts;
  const nodes = new SearchNodes('search');
  return (now: number, problem?: string) =>
    clusterState(facts, { now, nodes, readings: [{ what: searchHealth, readAt: 0, everyMs: 5_000, problem }] });
}

describe('the cluster of an account', () => {
  it('one failed read of Elasticsearch leaves the cluster as it was read before', async () => {
    const stateAt = await readOnce();
    const state = stateAt(15_000, 'no response within 10 s');
    expect(state).toMatchObject({ health: 'green', activeShards: 24, documents: 1000 });
    expect(state.trouble).toBeUndefined();
    expect(state.nodes.map(phaseOfNode)).toEqual(['idle']);
    expect(state.nodes[0]?.electedMaster).toBe(true);
  });

  it('a cluster that cannot be read for more than a minute is unknown, with the reason, the last reading and its moment', async () => {
    const stateAt = await readOnce();
    const state = stateAt(61_000, 'no response within 10 s');
    expect(state).toMatchObject({
      health: 'unknown',
      trouble: expect.stringMatching(/no response within 10 s.*drover cluster doctor/),
      lastRead: { at: 0, health: 'green', activeShards: 24, unassignedShards: 0, documents: 1000 },
    });
    expect(state.nodes.map(phaseOfNode)).toEqual(['unknown']);
    expect(stateAt(61_000).health).toBe('green');
  });
});
