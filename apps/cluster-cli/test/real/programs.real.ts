import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RealWorld } from './real-world.ts';

/** On real nodes: `npm run test:elasticsearch` boots them. */
let world: RealWorld;
const bucket = 'drover-snapshots';

beforeAll(async () => {
  world = await RealWorld.start();
  await world.ask('PUT', '/programs-logs', { settings: { number_of_shards: 3, number_of_replicas: 1 } });
  await world.ask('PUT', '/programs-solo', { settings: { number_of_shards: 3, number_of_replicas: 0 } });
  for (let id = 1; id <= 20; id++) await world.ask('PUT', `/programs-logs/_doc/${id}?refresh=true`, { id });
  expect(await world.green()).toBe('green');
});

afterAll(async () => {
  for (const [id] of Object.entries((await world.ask('GET', '/_nodes/_all/none')).nodes))
    await world.ask('DELETE', `/_nodes/${id}/shutdown`);
  await world.ask('DELETE', '/programs-logs,programs-solo,programs-back?ignore_unavailable=true');
  await world.ask('PUT', '/_cluster/settings', { persistent: { 'slm.retention_schedule': null } });
  await world.ask('DELETE', '/_snapshot/backups/*');
  await world.ask('DELETE', '/_snapshot/backups');
});

it('the first drain of a terminating instance moves every shard off its real node and completes its hook', async () => {
  const leaving = world.instances[2]!;
  expect(await world.shardsOn(2)).not.toEqual([]);
  await world.embedded.terminate(leaving);

  const ended = await world.run(
    2,
    'cluster-cli cluster decommission-node --only-if-terminating --reason instance_refresh --complete-lifecycle-action',
  );

  expect([ended.exitCode, ended.stderr]).toEqual([0, expect.stringContaining('completed with CONTINUE')]);
  expect(await world.shardsOn(2)).toEqual([]);
  const { nodes } = await world.ask('GET', '/_nodes/shutdown');
  expect(nodes).toMatchObject([{ type: 'REMOVE', reason: 'instance_refresh', status: 'COMPLETE' }]);
  await world.ask('DELETE', `/_nodes/${nodes[0].node_id}/shutdown`);
  expect((await world.ask('GET', '/programs-logs/_count')).count).toBe(20);
});

it('a real node is stopped and started in place, and has its shards again without a record', async () => {
  expect(await world.green()).toBe('green');
  const prepared = await world.run(1, 'cluster-cli cluster prepare-restart --reason kernel --allow-unavailable');
  expect([prepared.exitCode, prepared.stderr]).toEqual([0, expect.stringContaining('the node is stopped')]);
  const { nodes } = await world.ask('GET', '/_nodes/shutdown');
  expect(nodes).toMatchObject([{ type: 'RESTART', reason: 'kernel [in place]' }]);
  expect((await world.ask('GET', '/_cluster/health')).number_of_nodes).toBe(2);

  const finished = await world.run(1, 'cluster-cli cluster finish-restart');

  expect([finished.exitCode, finished.stderr]).toEqual([0, expect.stringContaining('the node is back')]);
  expect((await world.ask('GET', '/_nodes/shutdown')).nodes).toEqual([]);
  expect(await world.green()).toBe('green');
  expect((await world.ask('GET', '/programs-logs/_count')).count).toBe(20);
});

it('a real cluster registers a bucket, takes a snapshot, restores from it, drills and installs policies', async () => {
  const { nodes } = await world.ask('GET', '/_nodes/settings');
  const { repo } = (Object.values(nodes)[0] as { settings: { path: { repo: string | string[] } } }).settings.path;
  const folder = join([repo].flat()[0]!, bucket);
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o777);
  const succeeds = async (command: string) => {
    const ended = await world.run(0, `cluster-cli ${command}`);
    expect([command, ended.exitCode, ended.exitCode === 0 ? '' : ended.stderr + ended.stdout]).toEqual([
      command,
      0,
      '',
    ]);
    return ended.stdout;
  };

  await succeeds(`snapshots create-repository backups ${bucket}`);
  const name = (await succeeds('snapshots create backups --wait')).trim().split('\n').at(-1)!;
  await succeeds(
    `snapshots restore backups ${name} --index programs-logs --rename-pattern logs --rename-replacement back --yes --wait`,
  );
  await world.ask('POST', '/programs-back/_refresh');
  expect((await world.ask('GET', '/programs-back/_count')).count).toBe(20);

  expect(await world.green()).toBe('green');
  await succeeds('snapshots drill');
  expect(await succeeds('snapshots policy')).toContain('created');
  expect(await succeeds('snapshots policy')).not.toMatch(/created|changed\b(?<!unchanged)/);
  await succeeds('snapshots policy --check');
  for (const id of Object.keys(await world.ask('GET', '/_slm/policy'))) await world.ask('DELETE', `/_slm/policy/${id}`);
});
