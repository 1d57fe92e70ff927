import { alarmName, drainReasonTag } from '@drover/core/names/search-cluster';
import { ClusterStage } from '@drover/stage/testing';
import { beforeAll, describe, expect, it } from 'vitest';

const minute = 60_000;
const hour = 60 * minute;
/** AWS's own end of every lifecycle hook; with the heartbeat timeout of the template 100 of them would be longer. */
const globalLimitMs = 172_800_000;
/** Time before the limit at which the commands stop waiting, so that they can still act. */
const marginMs = 15 * minute;
const manual = 'cluster-cli cluster decommission-node --reason retained';

/**
 * One cluster whose recoveries stand still, so that nothing but the limit of 48 hours ends a wait: of two data nodes one is
 * replaced, its copy can only go to the newcomer, and never gets there.
 */
// Two days, in the lane that plays more than `npm test`. What a command does at the limit is held by `decommission.test.ts` of cluster-cli, too.
const thorough = process.env.DROVER_THOROUGH === '1';

describe.runIf(thorough)('a lifecycle hook that is about to reach its limit of 48 hours', () => {
  let stage: ClusterStage;
  let leaving: string;
  let coming: string;
  let began: number;
  /** Indices on the node that leaves: `docs`, and `.security-7` once a master has set the password of the web UI. */
  let held: readonly string[];
  beforeAll(async () => {
    stage = await ClusterStage.open({ masterCount: 1, dataCount: 2 });
    const { deployed, groups } = stage;
    await deployed.search('PUT', '/docs', { settings: { number_of_shards: 1, number_of_replicas: 1 } });
    await deployed.search('PUT', '/docs/_doc/1?refresh=true', { text: 'x'.repeat(40_000) });
    await stage.pass(5);
    recoverySpeed(1e-12);
    [leaving] = deployed.inService(groups.data) as [string];
    const rows = await deployed.search<{ index: string; node: string }[]>('GET', '/_cat/shards?format=json');
    held = rows.filter(({ node }) => node === deployed.nodeOf(leaving).name).map(({ index }) => index);
    await deployed.terminate(leaving);
    began = stage.clock.now();
    const pending = () => deployed.members().find(({ state }) => state === 'Pending:Wait')?.id;
    await stage.until('another one is launched', () => pending() !== undefined);
    coming = pending()!;
    await stage.until('it has joined', () => deployed.nodes.get(coming)?.attached === true);
    const pinned = { 'index.routing.allocation.require._name': deployed.nodeOf(coming).name };
    await deployed.search('PUT', '/solo', { settings: { number_of_shards: 1, number_of_replicas: 0, ...pinned } });
    await deployed.search('PUT', '/solo/_doc/1?refresh=true', { kept: true });
  }, 300_000);

  const recoverySpeed = (factor: number) => stage.deployed.setRecoverySpeed(factor);
  const stateOf = (id: string) => stage.deployed.stateOf(id);
  /** How a command gave up on an instance. */
  const givenUpBy = (id: string, command: string) =>
    stage.deployed.runs.find((run) => run.instanceId === id && run.argv.includes(command) && run.exitCode === 4);
  const sinceMs = () => stage.clock.now() - began;

  it('AWS ends a lifecycle hook of the template after 172,800 s and not after 100 heartbeat timeouts', async () => {
    const { LifecycleHooks } = (await stage.deployed.aws('autoscaling', 'DescribeLifecycleHooks', {
      AutoScalingGroupName: stage.groups.data,
    })) as { LifecycleHooks: readonly { HeartbeatTimeout: number; GlobalTimeout: number }[] };

    expect(LifecycleHooks).toHaveLength(2);
    for (const { HeartbeatTimeout, GlobalTimeout } of LifecycleHooks) {
      expect(100 * HeartbeatTimeout).toBeGreaterThan(globalLimitMs / 1000);
      expect(GlobalTimeout).toBe(globalLimitMs / 1000);
    }
  });

  it('a drain is given up 15 minutes before the limit of its hook, reported, and a refresh cancelled', {
    timeout: 600_000,
  }, async () => {
    const { groups } = stage;
    await stage.pass(20);
    expect(await stage.deployed.records()).toMatchObject([{ node_id: stage.deployed.nodeOf(leaving).id }]);
    await stage.setSchedule(6 * 60);
    await stage.pass(47 * 60 - sinceMs() / minute);
    await stage.setSchedule('as configured');
    await stage.pass(30);
    expect(givenUpBy(leaving, 'decommission-node')).toBeUndefined();
    await stage.startRefresh(groups.data);
    await stage.until('it is given up', () => givenUpBy(leaving, 'decommission-node') !== undefined, hour);

    expect(Math.abs(sinceMs() - globalLimitMs + marginMs)).toBeLessThan(2 * minute);
    expect(held).toContain('docs');
    const left = held.length === 1 ? '1 shard left' : `${held.length} shards left`;
    const { stderr } = givenUpBy(leaving, 'decommission-node')!;
    expect(stderr).toMatch(new RegExp(`timed out: ${left} to move.*record stays`));
    expect(stage.world.observe.instance(leaving)!.tags[drainReasonTag]).toMatch(new RegExp(`^timed-out: ${left}`));
    expect(stage.refreshOf(groups.data)!.status).toMatch(/^Cancel/);
    expect(stateOf(leaving)).toBe('Terminating:Wait');
  });

  it('a termination hook that AWS ends leaves the node retained, with its shard and an alarm', async () => {
    await stage.until('AWS ends the hook', () => stateOf(leaving) !== 'Terminating:Wait', hour);
    expect(Math.abs(sinceMs() - globalLimitMs)).toBeLessThan(minute);
    await stage.pass(7);

    expect(stateOf(leaving)).toBe('Terminating:Retained');
    expect(stage.deployed.nodeOf(leaving).running).toBe(true);
    expect([...stage.deployed.nodeOf(leaving).copies.values()].map(({ index }) => index)).toContain('docs');
    expect(await stage.alarmState(alarmName.retainedInstance('logs'))).toBe('ALARM');
    expect(await stage.deployed.search('GET', '/docs/_doc/1')).toMatchObject({ found: true });
  });

  it('a launch whose node can neither settle nor be drained is kept in service before AWS abandons it', async () => {
    await stage.until('it is decided', () => givenUpBy(coming, 'commission-node') !== undefined, hour);
    await stage.pass(10);

    expect(stateOf(coming)).toBe('InService');
    expect(stage.deployed.nodeOf(coming).running).toBe(true);
    expect(await stage.deployed.search('GET', '/solo/_doc/1')).toMatchObject({ found: true });
  });

  it('loses nothing: once recoveries go on, the retained node is drained by hand and released', async () => {
    const { deployed, groups } = stage;
    recoverySpeed(1);
    await stage.pass(10);
    expect(await deployed.run(leaving, manual)).toMatchObject({ exitCode: 0 });
    const release = { InstanceId: leaving, ShouldDecrementDesiredCapacity: false };
    await deployed.aws('autoscaling', 'TerminateInstanceInAutoScalingGroup', release);
    await stage.until('it is gone', () => stateOf(leaving) === undefined);

    await stage.until('both are in service', () => deployed.inService(groups.data).length === 2);
    expect(await deployed.health()).toBe('green');
    expect(await deployed.search('GET', '/docs/_doc/1')).toMatchObject({ found: true });
  });
});
