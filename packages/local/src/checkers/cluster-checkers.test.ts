import { SeededRandom } from '@drover/core';
import { createGroups, DeployedCluster, DocumentWriter } from '@drover/stage/cluster';
import { beforeEach, describe, expect, it } from 'vitest';
import { ClusterCheckers } from './cluster-checkers.ts';

const minute = 60_000;
let deployed: DeployedCluster;
let checkers: ClusterCheckers;

beforeEach(async () => {
  await DeployedCluster.preload();
  deployed = new DeployedCluster({ cron: false });
  await createGroups(deployed, { masters: 3, data: 2 });
  await deployed.search('PUT', '/solo', { settings: { number_of_shards: 1, number_of_replicas: 0 } });
  await deployed.clock.advance(minute);
  checkers = new ClusterCheckers(deployed, {
    nodesStruck: () => false,
    searchTroubleMs: () => 0,
    isDead: () => false,
  });
  checkers.start();
});

/** The data node that holds the only copy. */
const holder = () => {
  const [copy] = deployed.core.state.routing.get('solo')![0]!;
  return [...deployed.nodes].find(([, node]) => node.id === copy!.node)!;
};
const register = (id: string) =>
  deployed.search('PUT', `/_nodes/${id}/shutdown`, { type: 'remove', reason: 'planted' });

describe('checkers of a search cluster', () => {
  it('find nothing where nothing is wrong', async () => {
    await deployed.clock.advance(10 * minute);
    checkers.checkAtRest();

    expect(checkers.violations).toEqual([]);
    expect(checkers.checks).toBeGreaterThan(100);
  });

  it('find a node that is let go with the last copy of a shard, and the red that follows', async () => {
    const [instanceId] = holder();
    await deployed.aws('ec2', 'TerminateInstances', { InstanceIds: [instanceId] });
    await deployed.clock.advance(5 * minute);

    expect(checkers.violations.join('\n')).toContain('was let go with the last copy of [solo][0]');
    expect(checkers.violations.join('\n')).toContain('red, and no fault took a node');
  });

  it('find a lost quorum', async () => {
    for (const id of deployed.inService('search').slice(0, 2)) deployed.nodeOf(id).stop();
    await deployed.clock.advance(5 * minute);

    expect(checkers.violations.join('\n')).toContain('no master for over 3 minutes');
  });

  it('find two nodes that drain, and records and exclusions that are left', async () => {
    const [first, second] = deployed.inService('search').map((id) => deployed.nodeOf(id).id);
    await register(first!);
    await register(second!);
    await deployed.search('POST', `/_cluster/voting_config_exclusions?node_ids=${first}`);
    await deployed.clock.advance(10 * minute);
    checkers.checkAtRest();

    const found = checkers.violations.join('\n');
    expect(found).toContain('2 nodes drain at the same time');
    expect(found).toContain(`the shutdown record of node ${first} (present) is left`);
    expect(found).toMatch(/the voting exclusion of master-i-\w+ is left/);
  });

  it('find an instance whose hook is not kept open', async () => {
    await deployed.terminate(deployed.inService('search-data')[0]!);
    await deployed.clock.advance(70 * minute);

    expect(checkers.violations.join('\n')).toContain('was retained: its hook was not kept open');
  });

  it('find an acknowledged document that is gone', async () => {
    const writer = new DocumentWriter(deployed, new SeededRandom(1), ['solo'], 1_000);
    writer.start();
    await deployed.clock.advance(minute);
    writer.stop();
    expect(await writer.missing()).toEqual([]);

    await deployed.search('DELETE', '/solo/_doc/7');
    expect(await writer.missing()).toEqual(['solo/7']);
  });
});
