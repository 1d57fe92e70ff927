import { drainReasonTag, hooks } from '@drover/core/names/search-cluster';
import type { DocumentWriter } from '@drover/stage/cluster';
import { ClusterStage } from '@drover/stage/testing';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ClusterWatch } from '../../../local/src/checkers/cluster-watch.test-support.ts';

const minute = 60_000;
const hour = 60 * minute;
const manual = 'cluster-cli cluster decommission-node --reason retained';
/** So short that AWS ends the hook after 100 x 360 s instead of 48 h: the same limit, reached sooner; cron runs every 300 s. */
const heartbeatSeconds = 360;

/** One cluster for all stories, under constant writes; after each of them it must be whole. */
describe('a cluster in trouble, under constant writes', () => {
  let stage: ClusterStage;
  let writer: DocumentWriter;
  beforeAll(async () => {
    stage = await ClusterStage.open({ masterCount: 3, dataCount: 3 });
    writer = await stage.startWriting({ docs: { number_of_shards: 2, number_of_replicas: 1 } }, 20_000);
    await stage.deployed.aws('autoscaling', 'PutLifecycleHook', {
      AutoScalingGroupName: stage.groups.data,
      LifecycleHookName: hooks.terminating.name,
      HeartbeatTimeout: heartbeatSeconds,
    });
    await stage.pass(5);
  }, 300_000);
  beforeEach(async () => {
    await whole();
  });

  const data = () => stage.deployed.inService(stage.groups.data);
  const stateOf = (id: string) => stage.deployed.stateOf(id);
  const replicas = (count: number) =>
    stage.deployed.search('PUT', '/docs/_settings', { index: { number_of_replicas: count } });
  const gone = (id: string) => stage.until(`${id} is gone`, () => stateOf(id) === undefined, 12 * hour);
  const outputsOn = (id: string) =>
    stage.deployed.runs.filter(({ instanceId, exitCode }) => instanceId === id && exitCode !== 0);
  const tagOf = (id: string) => stage.world.observe.instance(id)!.tags[drainReasonTag];

  /** All in service, green, and nothing lost. */
  async function whole(): Promise<void> {
    await stage.until('all are in service', () => stage.deployed.inService().length === 6 && data().length === 3);
    await stage.pass(10);
    expect(await stage.deployed.health()).toBe('green');
    expect(await writer.missing()).toEqual([]);
  }

  it('a yellow cluster refuses a decommission and cancels the refresh; once green the node is drained', async () => {
    await replicas(9);
    await stage.startRefresh(stage.groups.data);
    const refresh = stage.refreshOf(stage.groups.data)!;
    await stage.until('it is being cancelled', () => refresh.status.startsWith('Cancel'), 3 * hour);
    await stage.pass(2);
    const [waiting] = stage.deployed.members().filter(({ state }) => state === 'Terminating:Wait');
    const [refused] = outputsOn(waiting!.id);

    expect(refused).toMatchObject({ exitCode: 3, stderr: expect.stringMatching(/yellow/) });
    expect(stage.deployed.nodeOf(waiting!.id).running).toBe(true);
    await replicas(1);
    await gone(waiting!.id);
    await whole();
  }, 120_000);

  it('replaces a node while another one is still bootstrapping', async () => {
    const [first, second] = data() as [string, string];
    await stage.deployed.terminate(first);
    await stage.until('its replacement boots', () =>
      stage.deployed.members().some(({ state }) => state.startsWith('Pending')),
    );
    const watch = new ClusterWatch(stage.deployed);
    await stage.deployed.terminate(second);
    await gone(first);
    await gone(second);
    await whole();
    watch.stop();

    expect({ redMs: watch.redMs, mostDraining: watch.mostDraining }).toEqual({ redMs: 0, mostDraining: 1 });
  }, 120_000);

  it('lets a node that crashed while terminating go when the cluster is green without it', async () => {
    const [crashed] = data() as [string];
    await stage.deployed.terminate(crashed);
    stage.deployed.nodeOf(crashed).crash({ silently: true });
    stage.world.machines.crash(crashed);
    await gone(crashed);
    await whole();
  }, 120_000);

  it('loses a zone and gets it back: nothing is lost, writes go on, and every zone has its nodes again', async () => {
    const { world, deployed } = stage;
    const [struck] = data();
    const zone = world.observe.instance(struck!)!.availabilityZone;
    let lost = true;
    const inZone = () =>
      world.observe.instances().filter((one) => one.availabilityZone === zone && one.state === 'running');
    world.observe.onInstanceState((instance) => {
      if (lost && instance.state === 'running' && instance.availabilityZone === zone) world.machines.kill(instance.id);
    });
    for (const { id } of inZone()) {
      deployed.nodes.get(id)?.crash({ silently: true });
      world.machines.kill(id);
    }
    const written = writer.count;
    await stage.pass(30);
    expect(writer.count).toBeGreaterThan(written + 30);
    expect(inZone()).toEqual([]);

    lost = false;
    await whole();
    const zones = world.observe
      .instances()
      .flatMap((one) => (one.state === 'running' && data().includes(one.id) ? [one.availabilityZone] : []));
    expect(new Set(zones).size).toBeGreaterThanOrEqual(2);
  }, 120_000);

  it('keeps a node that cannot be drained: the refresh is cancelled, shard and reason are shown, the hook is kept open to its end, then the node is retained', async () => {
    const { deployed, groups } = stage;
    const [stuck] = data() as [string];
    const { name } = deployed.nodeOf(stuck);
    const pinned = { 'index.routing.allocation.require._name': name };
    await deployed.search('PUT', '/solo', { settings: { number_of_shards: 1, number_of_replicas: 0, ...pinned } });
    await deployed.search('PUT', '/solo/_doc/1?refresh=true', { kept: true });
    await stage.startRefresh(groups.data);
    await stage.until('the stuck one is to go', () => stateOf(stuck) === 'Terminating:Wait', 3 * hour);
    const began = stage.clock.now();
    const refresh = stage.refreshOf(groups.data)!;
    await stage.until('it is being cancelled', () => refresh.status.startsWith('Cancel'), 2 * hour);
    await stage.pass(15);

    const [told] = outputsOn(stuck);
    expect([3, 5]).toContain(told!.exitCode);
    expect(told!.stderr).toMatch(/\[?solo\]?.*\[?0\]?/);
    expect(told!.stderr).toMatch(/filter|require|_name/);
    expect(tagOf(stuck)).toMatch(/solo/);
    await stage.until('AWS ends the hook', () => stateOf(stuck) !== 'Terminating:Wait', 20 * hour);
    expect((stage.clock.now() - began) / hour).toBeGreaterThan(9.9);
    expect((stage.clock.now() - began) / hour).toBeLessThan(10.5);
    await stage.pass(5);
    expect(stateOf(stuck)).toBe('Terminating:Retained');
    expect(deployed.nodeOf(stuck).running).toBe(true);

    await deployed.search('PUT', '/solo/_settings', { index: { 'routing.allocation.require._name': null } });
    expect(await deployed.run(stuck, manual)).toMatchObject({ exitCode: 0 });
    const release = { InstanceId: stuck, ShouldDecrementDesiredCapacity: false };
    await deployed.aws('autoscaling', 'TerminateInstanceInAutoScalingGroup', release);
    await gone(stuck);
    await whole();
    expect(await deployed.search('GET', '/solo/_doc/1')).toMatchObject({ found: true });
  }, 240_000);
});
