import { expect } from 'vitest';
import { contract } from './contract.ts';

/** Of the whole cluster: other cases and the server itself have shards too. */
const ofTheCluster = ['active_primary_shards', 'active_shards', 'number_of_pending_tasks', 'number_of_in_flight_fetch'];

contract(
  'cluster health returns the recorded fields',
  async (target) => {
    await target.rest();
    await target.see('plain', 'GET', '/_cluster/health', {}, { varying: ofTheCluster });
    await target.see(
      'human',
      'GET',
      '/_cluster/health?human',
      {},
      { varying: [...ofTheCluster, 'task_max_waiting_in_queue'] },
    );
    await target.see('trailing slash', 'GET', '/_cluster/health/', {}, { varying: ofTheCluster });
    await target.see('local', 'GET', '/_cluster/health?local=true', {}, { varying: ofTheCluster });
  },
  { needs: ['three data nodes'] },
);

contract(
  'cluster health of an index returns the levels cluster, indices and shards',
  async (target) => {
    await target.index('contract-levels', { number_of_shards: 2, number_of_replicas: 1 });

    const path = '/_cluster/health/contract-levels';
    const view = {
      varying: ['number_of_pending_tasks', 'number_of_in_flight_fetch', 'active_shards_percent_as_number'],
    };
    await target.see('cluster', 'GET', `${path}?level=cluster`, {}, view);
    await target.see('indices', 'GET', `${path}?level=indices`, {}, view);
    await target.see('shards', 'GET', `${path}?level=shards`, {}, view);
  },
  { needs: ['three data nodes'] },
);

contract(
  'cluster health is yellow while a replica has no node, and green when the replica is removed',
  async (target) => {
    await target.index('contract-yellow', { number_of_shards: 1, number_of_replicas: 3 }, 'yellow');
    await target.until('three copies', async () => {
      const { body } = await target.get('/_cluster/health/contract-yellow');
      return body.active_shards === 3 && body.initializing_shards === 0;
    });

    const view = {
      varying: ['active_shards_percent_as_number', 'number_of_pending_tasks', 'number_of_in_flight_fetch'],
    };
    await target.see('yellow', 'GET', '/_cluster/health/contract-yellow?level=shards', {}, view);
    await target.must('PUT', '/contract-yellow/_settings', { body: { number_of_replicas: 2 } });
    await target.see('green', 'GET', '/_cluster/health/contract-yellow?wait_for_status=green', {}, view);
  },
  { needs: ['three data nodes'] },
);

contract(
  'cluster health of a pattern without some of its indices has the colour and the shards of the others',
  async (target) => {
    await target.index('contract-part-kept', { number_of_shards: 2, number_of_replicas: 0, hidden: true });
    await target.index('contract-part-left', { number_of_shards: 1, number_of_replicas: 9 }, 'yellow');
    const health = async (expression: string) => {
      const { status, body } = await target.get(`/_cluster/health/${expression}`);
      return [status, body.status, body.active_shards];
    };

    expect((await health('contract-part-*'))[1]).toBe('yellow');
    expect(await health('contract-part-*,-contract-part-l*')).toEqual([200, 'green', 2]);
    expect(await health('contract-part-*,-contract-part-*')).toEqual([200, 'green', 0]);
  },
);

contract('cluster health is red while no node may hold a primary', async (target) => {
  const settings = { number_of_shards: 1, number_of_replicas: 0, 'index.routing.allocation.require._name': 'nobody' };
  target.cleanup(() => target.delete('/contract-red?ignore_unavailable=true'));
  await target.must('PUT', '/contract-red?wait_for_active_shards=0', { body: { settings } });

  const view = { varying: ['active_shards_percent_as_number', 'number_of_pending_tasks', 'number_of_in_flight_fetch'] };
  await target.see('red', 'GET', '/_cluster/health/contract-red?level=shards', {}, view);
});

contract(
  'cluster health returns 408 and the present health when its timeout is over',
  async (target) => {
    await target.rest();
    const view = { varying: [...ofTheCluster, 'active_shards_percent_as_number'] };
    await target.see('more nodes', 'GET', '/_cluster/health?wait_for_nodes=5&timeout=1s', {}, view);
    await target.see('missing index', 'GET', '/_cluster/health/contract-missing?timeout=1s', {}, view);
    const older = 'wait_for_nodes=5&timeout=1s&return_200_for_cluster_health_timeout=true';
    await target.see('the old way to wait', 'GET', `/_cluster/health?${older}`, {}, view);
  },
  { needs: ['three data nodes'] },
);

contract(
  'wait_for_nodes takes numbers and comparisons',
  async (target) => {
    for (const nodes of ['3', '>=3', 'ge(2)', '<4', 'le(3)', '>2', 'gt(2)', 'lt(9)'])
      expect(
        (await target.get(`/_cluster/health?wait_for_nodes=${encodeURIComponent(nodes)}&timeout=1s`)).status,
        nodes,
      ).toBe(200);
    for (const nodes of ['2', '>3', '<3'])
      expect(
        (await target.get(`/_cluster/health?wait_for_nodes=${encodeURIComponent(nodes)}&timeout=1s`)).status,
        nodes,
      ).toBe(408);
  },
  { needs: ['three data nodes'] },
);

contract(
  'cluster health waits for events, active shards and the end of relocations',
  async (target) => {
    await target.index('contract-wait', { number_of_shards: 1, number_of_replicas: 1 });
    const status = async (query: string) =>
      (await target.get(`/_cluster/health/contract-wait?timeout=2s&${query}`)).status;

    expect(await status('wait_for_active_shards=2')).toBe(200);
    expect(await status('wait_for_active_shards=all')).toBe(200);
    expect(await status('wait_for_active_shards=3')).toBe(408);
    expect(await status('wait_for_no_relocating_shards=true')).toBe(200);
    expect(await status('wait_for_no_initializing_shards=true')).toBe(200);
    expect(await status('wait_for_events=languid')).toBe(200);
    expect(await status('wait_for_events=never')).toBe(400);
  },
  { needs: ['three data nodes'] },
);

contract('health report returns its indicators', async (target) => {
  for (const indicator of ['master_is_stable', 'disk', 'repository_integrity', 'shards_capacity'])
    await target.see(indicator, 'GET', `/_health_report/${indicator}`, {}, { as: 'shape' });
  await target.see('unknown', 'GET', '/_health_report/nope');
  await target.see('not verbose', 'GET', '/_health_report/disk?verbose=false', {}, { as: 'shape' });
  await target.see('bad size', 'GET', '/_health_report?size=-1');
});

contract(
  'health report names unassigned shards',
  async (target) => {
    await target.index('contract-report', { number_of_replicas: 5 }, 'yellow');
    // A copy on each of the three nodes.
    await target.get('/_cluster/health/contract-report?wait_for_active_shards=3&timeout=60s');
    const { body } = await target.get('/_health_report/shards_availability');
    expect(body.indicators.shards_availability).toMatchObject({
      status: 'yellow',
      symptom: expect.stringContaining('unavailable replica'),
      details: { unassigned_replicas: 3, started_primaries: expect.any(Number) },
    });
  },
  { needs: ['the health indicator shards_availability'] },
);
