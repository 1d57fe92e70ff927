import { beforeEach, describe, expect, it } from 'vitest';
import { prepareDrain } from './support/prepare-drain.ts';
import { hour, minute, type SearchWorld, scheduledDrain } from './support/search-world.ts';

const drain = scheduledDrain.replace(' --quiet', '');
let world: SearchWorld;
let doomed: string;

const prepare = async (options: Parameters<typeof SearchWorld.start>[0] = {}): Promise<void> => {
  ({ world, doomed } = await prepareDrain(options));
};

const refreshes = () =>
  world.aws('autoscaling', 'DescribeInstanceRefreshes', { AutoScalingGroupName: 'search-data' }) as Promise<{
    InstanceRefreshes: { Status: string }[];
  }>;
const startRefresh = () =>
  world.aws('autoscaling', 'StartInstanceRefresh', {
    AutoScalingGroupName: 'search-data',
    Preferences: { MinHealthyPercentage: 100, MaxHealthyPercentage: 150 },
  });
const requests = (source: string) =>
  world.world.engine.journal.entries
    .filter((entry) => entry.kind === 'request' && entry.source === source)
    .map(({ name }) => name);

describe('step 1: is the instance terminating?', () => {
  beforeEach(() => prepare());

  it('[rule 10] does nothing on a node in service, whatever the colour, and asks neither Elasticsearch nor AWS', async () => {
    await world.search('PUT', '/wide', { settings: { number_of_shards: 1, number_of_replicas: 3 } });
    expect(await world.health()).toBe('yellow');
    const before = requests('aws.autoscaling').length;
    world.nodeOf(doomed).stop();

    const ended = await world.run(doomed, drain);

    expect(ended).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
    expect(requests('aws.autoscaling').length).toBe(before);
  });

  it('stands aside on an instance that its hook retained, and no other node waits for it', async () => {
    await world.terminate(doomed);
    await world.search('PUT', `/_nodes/${world.nodeOf(doomed).id}/shutdown`, {
      type: 'remove',
      reason: 'instance_refresh',
    });
    await world.aws('autoscaling', 'CompleteLifecycleAction', {
      AutoScalingGroupName: 'search-data',
      LifecycleHookName: 'terminating',
      InstanceId: doomed,
      LifecycleActionResult: 'ABANDON',
    });
    await world.clock.runUntil(() => world.stateOf(doomed) === 'Terminating:Retained', hour);

    const ended = await world.run(doomed, drain);

    expect(ended.exitCode).toBe(0);
    expect(ended.stderr).toContain('is retained');
    expect(await world.records()).toMatchObject([{ reason: 'instance_refresh [gave up: retained]' }]);
  });
});

describe('the options of decommission-node', () => {
  it('need a reason, act only in Terminating:Wait, drain, and complete the hook only when asked to', async () => {
    await prepare();
    const command = 'cluster-cli cluster decommission-node';
    const records = async () => (await world.records()).map(({ reason, status }) => [reason, status]);

    expect((await world.run(doomed, `${command} --only-if-terminating`)).exitCode).toBe(2);
    expect((await world.run(doomed, `${command} --only-if-terminating --reason early`)).exitCode).toBe(0);
    expect(await records()).toEqual([]);

    await world.terminate(doomed);
    expect((await world.run(doomed, `${command} --only-if-terminating --reason refresh`)).exitCode).toBe(0);
    expect([await records(), world.stateOf(doomed)]).toEqual([[['refresh', 'COMPLETE']], 'Terminating:Wait']);

    const completing = `${command} --only-if-terminating --reason refresh --complete-lifecycle-action`;
    expect((await world.run(doomed, completing)).exitCode).toBe(0);
    await world.clock.runUntil(() => world.stateOf(doomed) === undefined, 10 * minute);
    expect(world.stateOf(doomed)).toBeUndefined();
  });
});

describe('step 2: one run at a time, and a deadline', () => {
  beforeEach(() => prepare());

  it('leaves the work to the run that is under way on this host', async () => {
    await world.terminate(doomed);
    const first = world.begin(doomed, drain);
    await world.clock.advance(1);

    const second = await world.run(doomed, drain, minute);

    expect(second.exitCode).toBe(0);
    expect(second.stderr).toContain('another run on this host');
    expect((await world.until(first)).exitCode).toBe(0);
  });

  it('[rule 2] heartbeats for 48 hours, stops 15 minutes before AWS ends the hook: exit 4, and the record stays', async () => {
    for (let id = 0; id < 50; id++) await world.search('PUT', `/solo/_doc/big${id}`, { text: 'x'.repeat(5000) });
    await world.search('PUT', '/_cluster/settings', { persistent: { 'indices.recovery.max_bytes_per_sec': '1b' } });
    await world.terminate(doomed);
    const startedAt = world.clock.now();

    const ended = await world.run(doomed, drain, 60 * hour);

    const tookMs = world.clock.now() - startedAt;
    expect(ended.exitCode).toBe(4);
    expect(ended.stderr).toContain('timed out: 1 shard left to move (IN_PROGRESS)');
    expect(tookMs).toBeGreaterThan(47.5 * hour);
    expect(tookMs).toBeLessThan(47.75 * hour + minute);
    expect(world.stateOf(doomed)).toBe('Terminating:Wait');
    expect(await world.records()).toMatchObject([{ reason: 'instance_refresh [gave up: timed-out]' }]);
  });
});

describe('step 3: green, or a refusal', () => {
  beforeEach(() => prepare());

  it('refuses on yellow, cancels the instance refresh, heartbeats and exits 3', async () => {
    await world.terminate(doomed);
    await startRefresh();
    await world.search('PUT', '/wide', { settings: { number_of_shards: 1, number_of_replicas: 3 } });

    const ended = await world.run(doomed, drain);

    expect(ended.exitCode).toBe(3);
    expect(ended.stderr).toContain('refused (not-green): cluster search is yellow');
    expect((await refreshes()).InstanceRefreshes[0]!.Status).toMatch(/Cancel/);
    expect(requests('aws.autoscaling')).toContain('RecordLifecycleActionHeartbeat');
    expect(await world.records()).toEqual([]);
    expect(world.stateOf(doomed)).toBe('Terminating:Wait');
  });

  it('goes on when its own record exists already, although the cluster is not green now', async () => {
    await world.terminate(doomed);
    await world.search('PUT', `/_nodes/${world.nodeOf(doomed).id}/shutdown`, {
      type: 'remove',
      reason: 'instance_refresh',
    });
    await world.search('PUT', '/wide', { settings: { number_of_shards: 1, number_of_replicas: 3 } });

    const ended = await world.run(doomed, drain);

    expect(ended.exitCode).toBe(0);
    expect(world.stateOf(doomed)).not.toBe('Terminating:Wait');
  });
});

describe('step 4: quorum, last copies, disks', () => {
  it('[rule 25] refuses to let a master go while another one is missing', async () => {
    await prepare();
    const [first, second] = world.inService('search');
    await world.aws('autoscaling', 'UpdateAutoScalingGroup', { AutoScalingGroupName: 'search', MinSize: 1 });
    await world.terminate(first!, { replace: false });
    world.nodeOf(second!).crash();
    await world.clock.advance(5 * minute);

    const ended = await world.run(first!, drain);

    expect(ended.exitCode).toBe(3);
    expect(ended.stderr).toContain('refused (quorum-at-risk): only 1 of 3 voting masters would remain');
    expect(world.stateOf(first!)).toBe('Terminating:Wait');
  });

  it('moves the vote first when the voting configuration rests on who goes', async () => {
    await prepare({ masters: 1 });
    const [only] = world.inService('search');
    await world.terminate(only!);
    await world.clock.runUntil(() => world.inService('search').length === 1, hour);

    const ended = await world.run(only!, drain);

    expect(ended.exitCode).toBe(0);
    await world.clock.runUntil(() => world.stateOf(only!) === undefined, hour);
    expect(await world.health()).toBe('green');
  });

  it('refuses when the last copy of a shard has nowhere to go, naming shard, decider and remedy', async () => {
    await prepare();
    await world.search('PUT', '/solo/_settings', {
      'index.routing.allocation.require._name': world.nodeOf(doomed).name,
    });
    await world.terminate(doomed);

    const ended = await world.run(doomed, drain);

    expect(ended.exitCode).toBe(3);
    expect(ended.stderr).toContain(
      'refused (last-copy): shard [0] [primary] of index [solo] has its only copy here and nowhere to go: decider filter says no',
    );
    expect(ended.stderr).toContain('To fix it: look at the allocation filters');
    expect(await world.records()).toEqual([]);
  });

  it('refuses when the disks of the others would pass the low watermark', async () => {
    await prepare();
    for (const id of world.inService('search-data')) if (id !== doomed) world.nodeOf(id).setFreeBytes(1);
    await world.clock.advance(2 * minute);
    await world.terminate(doomed);

    const ended = await world.run(doomed, drain);

    expect(ended.exitCode).toBe(3);
    expect(ended.stderr).toContain('disk_threshold');
  });
});

describe('step 5: one drain at a time over both groups', () => {
  beforeEach(() => prepare());

  it('waits without writing while another present node has a record, then goes', async () => {
    const master = world.inService('search')[0]!;
    const { id } = world.nodeOf(master);
    await world.search('PUT', `/_nodes/${id}/shutdown`, { type: 'remove', reason: 'by hand' });
    await world.terminate(doomed);
    const run = world.begin(doomed, drain);
    await world.clock.advance(30 * minute);
    expect(await world.records()).toMatchObject([{ node_id: id }]);

    await world.search('DELETE', `/_nodes/${id}/shutdown`);

    expect((await world.until(run)).exitCode).toBe(0);
    expect(
      requests('aws.autoscaling').filter((name) => name === 'RecordLifecycleActionHeartbeat').length,
    ).toBeGreaterThanOrEqual(2);
  });

  it('the later one of two drains that register at the same moment withdraws', async () => {
    const other = world.inService('search-data')[1]!;
    await world.terminate(doomed);
    await world.terminate(other);
    const runs = [doomed, other].map((id) => world.begin(id, drain));
    let most = 0;
    for (let at = 0; at < 120; at++) {
      await world.clock.advance(1000);
      most = Math.max(most, (await world.records()).length);
      if (at > 5)
        expect(
          (await world.records()).filter(({ node_id }) => [...world.nodes.values()].some((node) => node.id === node_id))
            .length,
        ).toBeLessThanOrEqual(1);
    }

    const ended = await world.until(Promise.all(runs));

    expect(ended.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect(most).toBeLessThanOrEqual(2);
  });

  it('a drain does not wait for a node that is absent or has given up', async () => {
    const other = world.nodeOf(world.inService('search')[0]!);
    await world.search('PUT', '/_nodes/gone-long-ago/shutdown', { type: 'remove', reason: 'old' });
    await world.search('PUT', `/_nodes/${other.id}/shutdown`, { type: 'remove', reason: 'x [gave up: stalled]' });
    await world.terminate(doomed);

    expect((await world.run(doomed, drain, hour)).exitCode).toBe(0);
  });
});

describe('step 6: drained', () => {
  beforeEach(() => prepare());

  it('[rule 23] completes the hook with CONTINUE; the record stays until the node has left', async () => {
    await world.terminate(doomed);

    const ended = await world.run(doomed, drain);

    expect(ended.exitCode).toBe(0);
    expect(ended.stderr).toContain('completed with CONTINUE');
    expect(await world.records()).toMatchObject([{ reason: 'instance_refresh', status: 'COMPLETE' }]);
    await world.clock.runUntil(() => world.stateOf(doomed) === undefined, hour);
    expect(await world.health()).toBe('green');
    expect(await world.search('GET', '/solo/_count')).toMatchObject({ count: 1 });
  });

  it('[rule 22] does not wait for shards whose copies all other nodes hold', async () => {
    await world.search('PUT', '/everywhere', { settings: { number_of_shards: 1, number_of_replicas: 2 } });
    await world.clock.advance(minute);
    await world.terminate(doomed);
    await world.clock.advance(1);

    expect((await world.run(doomed, drain, 2 * hour)).exitCode).toBe(0);
  });

  it('a response that cannot be read is never taken for "drained", and the hook stays open meanwhile', async () => {
    await world.terminate(doomed);
    const now = world.clock.now();
    world.world.engine.faults.add({
      service: 'search',
      operation: 'shutdown.get_node',
      effect: { kind: 'error', status: 503 },
      fromMs: now + 2000,
      untilMs: now + 2 * hour,
    });

    const ended = await world.run(doomed, drain, 6 * hour);

    expect(ended.exitCode).toBe(0);
    expect(world.clock.now() - now).toBeGreaterThan(2 * hour);
  });
});

describe('a record that is no drain', () => {
  it('[rule 22] never takes COMPLETE of a restart for "drained": a restart moves no shard', async () => {
    await prepare();
    await world.search('PUT', `/_nodes/${world.nodeOf(doomed).id}/shutdown`, { type: 'restart', reason: 'upgrade' });
    await world.terminate(doomed);

    const ended = await world.run(doomed, drain);

    expect(ended.exitCode).toBe(0);
    expect(await world.records()).toMatchObject([{ type: 'REMOVE', reason: 'instance_refresh' }]);
    await world.clock.runUntil(() => world.stateOf(doomed) === undefined, hour);
    expect(await world.search('GET', '/solo/_count')).toMatchObject({ count: 1 });
  });
});

describe('step 7: stalled or out of time', () => {
  beforeEach(async () => {
    await prepare();
    await world.terminate(doomed);
  });

  const pin = () =>
    world.search('PUT', '/solo/_settings', { 'index.routing.allocation.require._name': world.nodeOf(doomed).name });

  it('names shard, decider and remedy, tags the instance, cancels the refresh, exits 5, and the record stays', async () => {
    await pin();
    await world.search('PUT', `/_nodes/${world.nodeOf(doomed).id}/shutdown`, {
      type: 'remove',
      reason: 'instance_refresh',
    });

    const ended = await world.run(doomed, drain, 3 * hour);

    expect(ended.exitCode).toBe(5);
    expect(ended.stderr).toContain('stalled: shard [0] [primary] of index [solo] cannot move: decider filter says no');
    expect(ended.stderr).toContain('The shutdown record stays');
    expect(await world.records()).toMatchObject([{ reason: 'instance_refresh [gave up: stalled]', status: 'STALLED' }]);
    expect(requests('aws.autoscaling')).toContain('CancelInstanceRefresh');
    expect(world.world.observe.instance(doomed)!.tags['drover:drain']).toContain('stalled');
    expect(world.stateOf(doomed)).toBe('Terminating:Wait');
  });

  it('later runs heartbeat and look again; when the shard can move the drain goes on and ends', async () => {
    await pin();
    await world.search('PUT', `/_nodes/${world.nodeOf(doomed).id}/shutdown`, {
      type: 'remove',
      reason: 'instance_refresh',
    });
    expect((await world.run(doomed, drain, 3 * hour)).exitCode).toBe(5);
    const startedAt = world.clock.now();
    expect((await world.run(doomed, drain, 3 * hour)).exitCode).toBe(5);
    expect(world.clock.now() - startedAt).toBeLessThan(minute);

    await world.search('PUT', '/solo/_settings', { 'index.routing.allocation.require._name': null });

    expect((await world.run(doomed, drain, 3 * hour)).exitCode).toBe(0);
  });
});
