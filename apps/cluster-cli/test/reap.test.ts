import type { ProcessContext } from '@drover/cloud-machines';
import { searchNodeFacts } from '@drover/core/names/search-cluster';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Io } from '../src/io.ts';
import { hour, minute, SearchWorld, setGroupSize } from './support/search-world.ts';

let world: SearchWorld;
let master: string;
/** Called after each request to Elasticsearch. */
let stopAfter: (context: ProcessContext) => Promise<void>;
let hasMetadata: boolean;
const watched =
  (io: Io, context: ProcessContext): Io['exchange'] =>
  async (request) => {
    if (!hasMetadata && request.host === '169.254.169.254') return { status: 500, headers: {}, body: '' };
    const response = await io.exchange(request);
    if (request.host.startsWith('127.')) await stopAfter(context);
    return response;
  };
const reap = () => world.run(master, 'cluster-cli --format json cluster reap');
const actions = (stdout: string) => (JSON.parse(stdout) as { action: string }[]).map(({ action }) => action);

beforeEach(async () => {
  stopAfter = async () => {};
  hasMetadata = true;
  world = await SearchWorld.start({ cron: false, wrap: (io, context) => ({ ...io, exchange: watched(io, context) }) });
  [master] = world.inService('search') as [string];
  await world.search('PUT', '/logs', { settings: { number_of_shards: 2, number_of_replicas: 1 } });
  await world.clock.advance(minute);
});

describe('reap', () => {
  it('prints nothing and exits 0 when nothing is left behind', async () => {
    expect(await world.run(master, 'cluster-cli cluster reap')).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
  });

  it('[rule 22] deletes the record of a node that left over an hour ago, not before', async () => {
    const doomed = world.inService('search-data')[0]!;
    const { id } = world.nodeOf(doomed);
    await world.terminate(doomed);
    await world.search('PUT', `/_nodes/${id}/shutdown`, { type: 'remove', reason: 'instance_refresh' });
    await world.clock.advance(10 * minute);
    await world.aws('autoscaling', 'CompleteLifecycleAction', {
      AutoScalingGroupName: 'search-data',
      LifecycleHookName: 'terminating',
      InstanceId: doomed,
      LifecycleActionResult: 'CONTINUE',
    });
    await world.clock.runUntil(() => world.stateOf(doomed) === undefined, hour);
    await world.clock.advance(5 * minute);

    expect(actions((await reap()).stdout)).toEqual(['mark-absent']);
    await world.clock.advance(50 * minute);
    expect(actions((await reap()).stdout)).toEqual([]);
    expect(await world.records()).toHaveLength(1);
    await world.clock.advance(15 * minute);
    expect(actions((await reap()).stdout)).toEqual(['delete-record']);
    expect(await world.records()).toEqual([]);
  });

  it('deletes it at once when AWS shows that no node left within the hour and every instance has its node', async () => {
    await world.search('PUT', '/_nodes/gone-for-long/shutdown', { type: 'remove', reason: 'old' });
    await world.clock.advance(2 * hour);

    expect(actions((await reap()).stdout)).toEqual(['delete-record']);
  });

  it('leaves the record of a node that drains alone', async () => {
    const { id } = world.nodeOf(world.inService('search-data')[0]!);
    await world.search('PUT', `/_nodes/${id}/shutdown`, { type: 'remove', reason: 'by hand' });
    await world.clock.advance(3 * hour);

    expect(actions((await reap()).stdout)).toEqual([]);
    expect(await world.records()).toHaveLength(1);
  });

  it('completes the hook of a node that left a green cluster, and only then', async () => {
    const doomed = world.inService('search-data')[0]!;
    await world.terminate(doomed);
    world.nodeOf(doomed).stop();
    await world.clock.advance(2_000);
    const early = await reap();
    await world.clock.runUntil(() => world.inService('search-data').length === 3, hour);
    await world.clock.advance(10 * minute);

    expect(actions(early.stdout)).toEqual(['report']);
    expect(early.stderr).toContain('kept until it is green');
    expect(actions((await reap()).stdout)).toEqual(['complete-hook']);
    await world.clock.advance(minute);
    expect(world.stateOf(doomed)).not.toBe('Terminating:Wait');
  });

  it.each([1, 2, 3, 4])(
    'reap never completes the hook of a node that leaves after %i of its requests',
    async (requests) => {
      const doomed = world.inService('search-data')[0]!;
      await world.terminate(doomed);
      let left = requests;
      stopAfter = async ({ clock }) => {
        if (--left !== 0) return;
        world.nodeOf(doomed).stop();
        await clock.sleep(2_000);
      };
      const { stdout } = await reap();

      expect(left).toBeLessThanOrEqual(0);
      expect(actions(stdout)).not.toContain('complete-hook');
      expect(world.stateOf(doomed)).toBe('Terminating:Wait');
    },
  );

  it('ends the launch of an instance that died while it booted, and its group launches another one', async () => {
    const before = world.members().map(({ id }) => id);
    await setGroupSize(world, 'search-data', 4);
    const launched = () =>
      world.members().find(({ id, state }) => state === 'Pending:Wait' && !before.includes(id))?.id;
    await world.clock.runUntil(() => launched() !== undefined, 5 * minute);
    const doomed = launched()!;
    world.world.machines.crash(doomed);
    await world.clock.advance(14 * minute);
    const early = await reap();
    await world.clock.advance(minute);

    expect(actions(early.stdout)).toEqual([]);
    expect(actions((await reap()).stdout)).toEqual(['end-launch']);
    expect(await world.clock.runUntil(() => world.inService('search-data').length === 4, 10 * minute)).toBe(true);
    expect(world.stateOf(doomed)).toMatch(/^Terminating/);
  });

  it('[rule 1] releases a retained instance whose node has left, and reports one whose node has not', async () => {
    const doomed = world.inService('search-data')[0]!;
    await world.terminate(doomed);
    await world.aws('autoscaling', 'CompleteLifecycleAction', {
      AutoScalingGroupName: 'search-data',
      LifecycleHookName: 'terminating',
      InstanceId: doomed,
      LifecycleActionResult: 'ABANDON',
    });
    await world.clock.runUntil(
      () => world.stateOf(doomed) === 'Terminating:Retained' && world.inService('search-data').length === 3,
      hour,
    );
    const present = await reap();
    world.nodeOf(doomed).stop();
    await world.clock.advance(15 * minute);
    const left = await reap();
    await world.clock.advance(10 * minute);

    expect(actions(present.stdout)).toEqual(['report']);
    expect(present.stderr).toContain(`drover cluster release ${doomed}`);
    expect(actions(left.stdout)).toEqual(['release-retained']);
    expect(world.stateOf(doomed)).toBeUndefined();
  });

  it.each([
    [1, 'on an instance', true],
    [0, 'elsewhere', false],
  ])('exits %i without a metadata service %s, and clears up Elasticsearch', async (code, _, isInstance) => {
    await world.search('PUT', '/_nodes/gone-for-long/shutdown', { type: 'remove', reason: 'old' });
    if (isInstance) world.world.machines.get(master)!.files.set(searchNodeFacts.file, '{"search_node":{}}');
    hasMetadata = false;

    const { exitCode, stdout, stderr } = await world.run(master, 'cluster-cli --quiet --format json cluster reap');

    expect([exitCode, actions(stdout)]).toEqual([code, ['mark-absent']]);
    expect(stderr.includes('nothing of AWS: the instance metadata service')).toBe(isInstance);
  });

  it('[rule 25] clears voting exclusions when every excluded master is gone', async () => {
    const [, second] = world.inService('search');
    const { id } = world.nodeOf(second!);
    await world.search('POST', `/_cluster/voting_config_exclusions?node_ids=${id}`);
    const present = await reap();
    world.nodeOf(second!).stop();
    await world.clock.advance(5 * minute);
    const gone = await reap();

    expect(actions(present.stdout)).toEqual(['report']);
    expect(actions(gone.stdout)).toContain('clear-exclusions');
  });
});

describe('the metrics of a cluster', () => {
  const electedMaster = async () => {
    const { master_node } = await world.search<{ master_node: string }>('GET', '/_cluster/state/master_node');
    return world.inService('search').find((id) => world.nodeOf(id).id === master_node)!;
  };
  const published = () => world.world.engine.journal.entries.filter(({ name }) => name === 'PutMetricData').length;

  it('metrics are published by the elected master and by no other node', async () => {
    const elected = await electedMaster();
    for (const id of world.inService('search').filter((one) => one !== elected))
      expect(await world.run(id, 'cluster-cli cluster reap')).toMatchObject({ exitCode: 0, stderr: '' });
    expect(published()).toBe(0);

    expect(await world.run(elected, 'cluster-cli cluster reap')).toMatchObject({ exitCode: 0, stderr: '' });
    // Vital signs, and the zones of the masters.
    expect(published()).toBe(2);
  });

  it('metrics that cannot be published do not keep reap from clearing up', async () => {
    await world.search('PUT', '/_nodes/gone-for-long/shutdown', { type: 'remove', reason: 'old' });
    await world.clock.advance(2 * hour);
    world.world.engine.faults.add({
      service: 'monitoring',
      operation: 'PutMetricData',
      effect: { kind: 'error', code: 'AccessDenied', status: 403 },
    });

    const { exitCode, stdout, stderr } = await world.run(
      await electedMaster(),
      'cluster-cli --quiet --format json cluster reap',
    );

    expect([exitCode, actions(stdout)]).toEqual([0, ['delete-record']]);
    expect(stderr.trim().split('\n')).toEqual([
      expect.stringContaining('the metrics of the cluster could not be published'),
    ]);
  });

  it('say so also when clearing up fails', async () => {
    const elected = await electedMaster();
    world.world.engine.faults.add({
      service: 'autoscaling',
      operation: 'DescribeAutoScalingGroups',
      effect: { kind: 'error', code: 'AccessDenied', status: 403 },
    });

    const { exitCode, stderr } = await world.run(elected, 'cluster-cli --quiet cluster reap');

    expect(exitCode).toBe(1);
    expect(stderr).toContain('will be missing among the metrics');
    expect(published()).toBe(1);
  });
});
