import { SeededRandom } from '@drover/core';
import { createGroups, DeployedCluster, DocumentWriter } from '@drover/stage/cluster';
import { beforeEach, describe, expect, it } from 'vitest';
import { ClusterCheckers } from './cluster-checkers.ts';

const minute = 60_000;
let simulation: DeployedCluster;
let checkers: ClusterCheckers;

beforeEach(async () => {
  await DeployedCluster.preload();
  simulation = new DeployedCluster({ cron: false });
  await createGroups(simulation, { masters: 3, data: 2 });
  await simulation.search('PUT', '/solo', { settings: { number_of_shards: 1, number_of_replicas: 0 } });
  await simulation.clock.advance(minute);
  checkers = new ClusterCheckers(simulation, {
    nodesStruck: () => false,
    searchTroubleMs: () => 0,
    isDead: () => false,
  });
  checkers.start();
});

/** The data node that holds the only copy. */
const holder = () => {
  const [copy] = simulation.cluster.services!.core.state.routing.get('solo')![0]!;
  return [...simulation.nodes].find(([, node]) => node.id === copy!.node)!;
};
const register = (id: string) =>
  simulation.search('PUT', `/_nodes/${id}/shutdown`, { type: 'remove', reason: 'planted' });

describe('checkers of a search cluster', () => {
  it('find nothing where nothing is wrong', async () => {
    await simulation.clock.advance(10 * minute);
    checkers.checkAtRest();

    expect(checkers.violations).toEqual([]);
    expect(checkers.checks).toBeGreaterThan(100);
  });

  it('find a node that is let go with the last copy of a shard, and the red that follows', async () => {
    const [instanceId] = holder();
    await simulation.aws('ec2', 'TerminateInstances', { InstanceIds: [instanceId] });
    await simulation.clock.advance(5 * minute);

    expect(checkers.violations.join('\n')).toContain('was let go with the last copy of [solo][0]');
    expect(checkers.violations.join('\n')).toContain('red, and no fault took a node');
  });

  it('find a lost quorum', async () => {
    for (const id of simulation.inService('search').slice(0, 2)) simulation.nodeOf(id).stop();
    await simulation.clock.advance(5 * minute);

    expect(checkers.violations.join('\n')).toContain('no master for over 3 minutes');
  });

  it('find two nodes that drain, and records and exclusions that are left', async () => {
    const [first, second] = simulation.inService('search').map((id) => simulation.nodeOf(id).id);
    await register(first!);
    await register(second!);
    await simulation.search('POST', `/_cluster/voting_config_exclusions?node_ids=${first}`);
    await simulation.clock.advance(10 * minute);
    checkers.checkAtRest();

    const found = checkers.violations.join('\n');
    expect(found).toContain('2 nodes drain at the same time');
    expect(found).toContain(`the shutdown record of node ${first} (present) is left`);
    expect(found).toMatch(/the voting exclusion of master-i-\w+ is left/);
  });

  it('find an instance whose hook nobody keeps open', async () => {
    await simulation.terminate(simulation.inService('search-data')[0]!);
    await simulation.clock.advance(70 * minute);

    expect(checkers.violations.join('\n')).toContain('was retained: its hook was not kept open');
  });

  it('find an acknowledged document that is gone', async () => {
    const writer = new DocumentWriter(simulation, new SeededRandom(1), ['solo'], 1_000);
    writer.start();
    await simulation.clock.advance(minute);
    writer.stop();
    expect(await writer.missing()).toEqual([]);

    await simulation.search('DELETE', '/solo/_doc/7');
    expect(await writer.missing()).toEqual(['solo/7']);
  });
});
