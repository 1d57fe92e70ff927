import { CompleteLifecycleActionCommand, DescribeWarmPoolCommand } from '@aws-sdk/client-auto-scaling';
import { GitHubLevel } from '@drover/constructs';
import { describe, expect, it, vi } from 'vitest';
import { CheckedFleetStage } from './checked-fleet-stage.ts';

const minute = 60_000;
const hour = 60 * minute;

describe('drain', { timeout: 300_000 }, () => {
  it('lets a three-hour job finish when allowed_drain_time is four hours', async () => {
    const stage = await CheckedFleetStage.open({ allowedDrainTime: 14_400 });
    await stage.untilOnline(1);
    const [job] = stage.enqueue(180);
    await stage.fleet.until('the job runs', () => job!.state === 'running', 5 * minute);

    await stage.terminate(job!.runnerName!, false);
    await stage.untilGone(job!.runnerName!, 240);

    expect(job!.state).toBe('completed');
    expect(await stage.violationsAtRest()).toEqual([]);
  });

  it('takes no further job, though the queue never ends, and so loses none', async () => {
    const stage = await CheckedFleetStage.open({ asgMinSize: 2, asgMaxSize: 3 });
    await stage.untilOnline(2);
    const jobs = stage.enqueue(4, 40);
    await stage.fleet.until('a job runs', () => jobs[0]!.state === 'running', 5 * minute);
    const leaving = jobs[0]!.runnerName!;

    await stage.terminate(leaving, false);
    const took = await stage.untilGone(leaving, 30);
    await stage.fleet.until('all jobs are done', () => jobs.every(({ state }) => state === 'completed'), 3 * hour);

    expect(took).toBeLessThan(10);
    expect(jobs.filter(({ runnerName }) => runnerName === leaving)).toEqual([jobs[0]]);
    expect(stage.checkers.blames).toEqual({});
    expect(await stage.violationsAtRest()).toEqual([]);
  });

  it('ends the wait when allowed_drain_time is over, which is 900 s by default', async () => {
    const stage = await CheckedFleetStage.open({});
    await stage.untilOnline(1);
    const [job] = stage.enqueue(120);
    await stage.fleet.until('the job runs', () => job!.state === 'running', 5 * minute);

    await stage.terminate(job!.runnerName!, false);
    const took = await stage.untilGone(job!.runnerName!, 60);

    expect(took).toBeGreaterThan(15);
    expect(took).toBeLessThan(18);
    expect(await stage.violationsAtRest()).toEqual([]);
    expect(stage.checkers.blames).toEqual({ 'ended-by-drain-time': 1 });
  });

  it('a drain does not wait for a platform that is down', async () => {
    const stage = await CheckedFleetStage.open({ asgMinSize: 1, asgMaxSize: 4 });
    await stage.setDesired(2);
    await stage.untilOnline(2);
    const [idle] = stage.online;
    stage.fault({
      service: 'platform',
      effect: { kind: 'error', status: 503 },
      untilMs: stage.fleet.clock.now() + 2 * hour,
    });

    await stage.terminate(idle!);

    expect(await stage.untilGone(idle!, 30)).toBeLessThan(12);
    expect(await stage.violationsNow()).toEqual([]);
  });

  // Seconds after the drain began: while the listener still speaks, while it is silent, and at the stop.
  it.each([200, 249, 270, 307, 308, 309])(
    'loses no job that comes after %i s to a host that drains alone',
    async (second) => {
      const stage = await CheckedFleetStage.open({});
      await stage.untilOnline(1);
      const [leaving] = stage.online;
      stage.fault({ service: 'lambda', effect: { kind: 'throttle' }, untilMs: stage.fleet.clock.now() + 20 * minute });
      await stage.terminate(leaving!, false);
      await stage.pass(second / 60);

      const [job] = stage.enqueue(3);
      await stage.untilGone(leaving!, 30);
      await stage.fleet.until('the job is done', () => job!.state === 'completed', 60 * minute);

      expect(stage.checkers.blames).toEqual({});
      expect(await stage.violationsAtRest()).toEqual([]);
    },
  );

  it('goes on when the operator completes the hook by hand', async () => {
    const stage = await CheckedFleetStage.open({});
    await stage.untilOnline(1);
    const [job] = stage.enqueue(120);
    await stage.fleet.until('the job runs', () => job!.state === 'running', 5 * minute);
    await stage.terminate(job!.runnerName!, false);
    await stage.fleet.until('it waits', () => stage.stateOf(job!.runnerName!) === 'Terminating:Wait', 5 * minute);

    const command = new CompleteLifecycleActionCommand({
      AutoScalingGroupName: 'runners',
      LifecycleHookName: 'deregistration',
      InstanceId: job!.runnerName!,
      LifecycleActionResult: 'CONTINUE',
    });
    await stage.fleet.drive(stage.aws.autoscaling.send(command), minute);

    expect(await stage.untilGone(job!.runnerName!, 10)).toBeLessThan(5);
  });

  it('a drain does not hang when the remote command agent is dead', async () => {
    // Far from over, so that it is not the drain time that ends the wait.
    const stage = await CheckedFleetStage.open(
      { allowedDrainTime: 14_400 },
      {
        before: (fleet) =>
          fleet.world.engine.faults.add({ service: 'machine', operation: 'agent', effect: { kind: 'dead-agent' } }),
      },
    );
    await stage.untilOnline(1);
    const [runner] = stage.online;
    const waiting = stage.terminate(runner!, false);
    await stage.fleet.until('it waits', () => stage.stateOf(runner!) === 'Terminating:Wait', 5 * minute);
    stage.fleet.world.machines.kill(runner!);
    await waiting;

    expect(await stage.untilGone(runner!, 60)).toBeLessThan(20);
    expect(await stage.violationsAtRest()).toEqual([]);
  });

  it('a drain does not hold a host that dies in the middle of its drain until allowed_drain_time is over', async () => {
    const stage = await CheckedFleetStage.open({ allowedDrainTime: 14_400 });
    await stage.untilOnline(1);
    const [job] = stage.enqueue(180);
    await stage.fleet.until('the job runs', () => job!.state === 'running', 5 * minute);
    await stage.terminate(job!.runnerName!, false);
    await stage.pass(10);
    expect(stage.stateOf(job!.runnerName!)).toBe('Terminating:Wait');

    stage.fleet.world.machines.kill(job!.runnerName!);

    expect(await stage.untilGone(job!.runnerName!, 60)).toBeLessThan(20);
    expect(await stage.violationsAtRest()).toEqual([]);
    expect(stage.checkers.blames).toEqual({ crash: 1 });
  });
});

describe('registration', { timeout: 300_000 }, () => {
  it('keeps instances Pending through an outage of six hours and registers them all afterwards, without a launch loop', async () => {
    const stage = await CheckedFleetStage.open({ asgMinSize: 1, asgMaxSize: 4, idleRunnersTargetCount: 4 });
    await stage.untilOnline(1);
    stage.fault({
      service: 'platform',
      effect: { kind: 'error', status: 503 },
      untilMs: stage.fleet.clock.now() + 6 * hour,
    });
    await stage.setDesired(4);
    await stage.pass(5 * 60);

    expect([...stage.group.members.values()].filter(({ state }) => state === 'Pending:Wait')).toHaveLength(3);
    await stage.pass(60 + 40);
    await stage.untilOnline(4);

    expect(stage.checkers.watch.launches).toBe(4);
    expect(await stage.violationsAtRest()).toEqual([]);
  });

  it('names bad credentials and what to fix, keeps the instance Pending, and goes on once they are right', async () => {
    const stage = await CheckedFleetStage.open({ asgMinSize: 1, asgMaxSize: 3 });
    await stage.untilOnline(1);
    await stage.pass(5);
    stage.fleet.revokePlatformToken();
    await stage.setDesired(2);
    await stage.pass(60);

    expect([...stage.group.members.values()].map(({ state }) => state).sort()).toEqual(['InService', 'Pending:Wait']);
    const log = await stage.logOf('registration');
    expect(log).toContain('Bad credentials');
    expect(log).toContain('store a valid token');
    expect(log).not.toContain('ghp_');
    stage.fleet.grantPlatformToken();
    await stage.untilOnline(2, 60);
    expect(await stage.violationsAtRest()).toEqual([]);
  });
});

describe('scaling', { timeout: 300_000 }, () => {
  it('meets 20 jobs on 22 idle runners and a target of 20 with one decision of +18', async () => {
    const stage = await CheckedFleetStage.open({ asgMinSize: 22, asgMaxSize: 60, idleRunnersTargetCount: 20 });
    await stage.untilOnline(22, 60);
    await stage.pass(5);
    expect(stage.group.desiredCapacity).toBe(22);

    stage.enqueue(60, 20);
    await stage.pass(8);

    expect(stage.group.desiredCapacity).toBe(40);
    expect(
      (await stage.causes()).filter((cause) => /alarm/i.test(cause) && /from 22 to 40/.test(cause)).length,
    ).toBeGreaterThan(0);
    await stage.pass(20);
    expect(stage.group.desiredCapacity).toBe(40);
    expect(await stage.violationsNow()).toEqual([]);
  });

  it('grows from 2 to 22 runners for 20 waiting jobs in at most five decisions', async () => {
    const stage = await CheckedFleetStage.open({ asgMinSize: 2, asgMaxSize: 22, idleRunnersTargetCount: 1 });
    await stage.untilOnline(2);
    const steps: number[] = [];
    let last = stage.group.desiredCapacity;

    stage.enqueue(240, 22);
    for (let minutes = 0; minutes < 90 && last < 22; minutes++) {
      await stage.pass(1);
      if (stage.group.desiredCapacity !== last) steps.push(stage.group.desiredCapacity);
      last = stage.group.desiredCapacity;
    }

    expect(last).toBe(22);
    expect(steps.length).toBeLessThanOrEqual(5);
    expect(await stage.violationsNow()).toEqual([]);
  });

  it('a fleet adds at most ten runners when 25 busy runners leave none idle for a minute', async () => {
    const stage = await CheckedFleetStage.open({ asgMinSize: 25, asgMaxSize: 100, idleRunnersTargetCount: 1 });
    await stage.untilOnline(25, 60);
    await stage.pass(5);
    const most: number[] = [];

    stage.enqueue(60, 25);
    for (let minutes = 0; minutes < 15; minutes++) {
      await stage.pass(1);
      most.push(stage.group.desiredCapacity);
    }

    expect(Math.max(...most)).toBeGreaterThan(26);
    expect(Math.max(...most)).toBeLessThanOrEqual(35);
    expect(await stage.violationsNow()).toEqual([]);
  });

  it('a fleet stays at its size while the platform lets no runner connect for two hours', async () => {
    const stage = await CheckedFleetStage.open({ asgMinSize: 3, asgMaxSize: 20, idleRunnersTargetCount: 1 });
    await stage.untilOnline(3);
    const sizes: number[] = [];
    stage.fault({
      service: 'platform',
      operation: 'connect',
      effect: { kind: 'error', status: 503 },
      untilMs: stage.fleet.clock.now() + 2 * hour,
    });
    for (const id of stage.online)
      for (const process of stage.fleet.world.machines.get(id)!.processes())
        if (process.argv[0]?.endsWith('/Runner.Listener')) process.signal('SIGKILL');

    stage.enqueue(5, 30);
    for (let minutes = 0; minutes < 120; minutes += 5) {
      await stage.pass(5);
      sizes.push(stage.group.desiredCapacity);
    }

    expect(Math.max(...sizes)).toBeLessThanOrEqual(4);
    await stage.untilOnline(3, 30);
  });

  it('scales in one at a time after a sustained surplus, never below the minimum', async () => {
    const stage = await CheckedFleetStage.open({ asgMinSize: 2, asgMaxSize: 8, idleRunnersTargetCount: 2 });
    await stage.setDesired(5);
    await stage.untilOnline(5);

    await stage.pass(120);

    expect(stage.group.desiredCapacity).toBe(2);
    expect(await stage.violationsAtRest()).toEqual([]);
  });
});

describe('schedules of the idle target', { timeout: 300_000 }, () => {
  it('keep 5 runners of a repository idle from 08:00 on a workday, and later 1 again by the usual scale-in', async () => {
    // The story begins on a Monday at 07:00 there.
    const at = (cron: string, idleRunnersTargetCount: number) => ({
      cron,
      timeZone: 'Asia/Bangkok',
      idleRunnersTargetCount,
    });
    const idleTargetSchedules = [at('0 8 * * 1-5', 5), at('0 12 * * 1-5', 1)];
    const ofRepository = { level: GitHubLevel.repository('example-org/app') };
    const stage = await CheckedFleetStage.open({ ...ofRepository, asgMinSize: 1, asgMaxSize: 8, idleTargetSchedules });
    const start = stage.fleet.clock.now();
    const untilHour = (hours: number, more: number) =>
      stage.pass((Date.parse('2026-01-05T00:00:00Z') + hours * hour - stage.fleet.clock.now()) / minute + more);
    const sizes: number[] = [];

    await untilHour(1, -1);
    const early = stage.online.length;
    await untilHour(1, 10);
    const inTheMorning = stage.online.length;
    for (let minutes = 0; minutes < 225; minutes += 15) {
      await stage.pass(15);
      sizes.push(stage.group.desiredCapacity);
    }
    await untilHour(5, 40);

    expect(start).toBeLessThan(Date.parse('2026-01-05T00:45:00Z'));
    expect([early, inTheMorning]).toEqual([1, 5]);
    expect(new Set(sizes)).toEqual(new Set([5]));
    expect(stage.group.desiredCapacity).toBe(1);
    const causes = (await stage.causes()).filter((cause) => /idle_runners_low-runners/.test(cause));
    expect(causes.some((cause) => /from 1 to 5/.test(cause))).toBe(true);
    expect(await stage.violationsAtRest()).toEqual([]);
  });
});

describe('warm pool', { timeout: 300_000 }, () => {
  const inputs = { asgMinSize: 1, asgMaxSize: 6, idleRunnersTargetCount: 1, warmPoolMinSize: 2, warmPoolMaxSize: 6 };

  it('hibernates an instance, wakes it and has it online again without a new token', async () => {
    const stage = await CheckedFleetStage.open(inputs);
    await stage.fleet.until(
      'two are hibernated',
      () => [...stage.group.members.values()].filter(({ state }) => state === 'Warmed:Hibernated').length >= 2,
      60 * minute,
    );
    const parked = [...stage.group.members.values()]
      .filter(({ state }) => state === 'Warmed:Hibernated')
      .map(({ instanceId }) => instanceId);
    const stopped = parked.map((id) => stage.fleet.world.observe.instance(id)?.state);
    const tokens = stage.fleet.secretValues.length;

    await stage.setDesired(stage.group.desiredCapacity + 1);
    await stage.fleet.until('one of them is online', () => parked.some((id) => stage.online.includes(id)), 15 * minute);

    expect(stopped).toEqual(['stopped', 'stopped']);
    const fresh = [...stage.group.members.keys()].filter((id) => !parked.includes(id)).length;
    expect(stage.fleet.secretValues.length - tokens).toBeLessThanOrEqual(fresh);
    expect(await stage.violationsAtRest()).toEqual([]);
  });

  it('registers a woken instance again when the platform has forgotten its runner', async () => {
    const stage = await CheckedFleetStage.open(inputs);
    await stage.fleet.until(
      'two are hibernated',
      () => [...stage.group.members.values()].filter(({ state }) => state === 'Warmed:Hibernated').length >= 2,
      60 * minute,
    );
    const parked = [...stage.group.members.values()]
      .filter(({ state }) => state === 'Warmed:Hibernated')
      .map(({ instanceId }) => instanceId);
    const { registry } = stage.fleet.codeHost;
    for (const runner of registry.runners) if (parked.includes(runner.name)) registry.remove(runner.id);

    await stage.setDesired(stage.group.desiredCapacity + 2);
    await stage.fleet.until('both are online', () => parked.every((id) => stage.online.includes(id)), 30 * minute);

    expect(await stage.violationsAtRest()).toEqual([]);
  });

  it('a warm pool does not fill when on_demand_base_capacity is not null: the group takes spot instances and has no pool', async () => {
    const warned = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const stage = await CheckedFleetStage.open({ ...inputs, onDemandBaseCapacity: 1 });
    await stage.untilOnline(1);
    await stage.setDesired(2);
    await stage.untilOnline(2);
    warned.mockRestore();
    const bought = [...stage.group.members.keys()].map((id) => stage.fleet.world.observe.instance(id)!.spot);
    await stage.pass(60);

    const command = new DescribeWarmPoolCommand({ AutoScalingGroupName: 'runners' });
    const pool = await stage.fleet.drive(stage.aws.autoscaling.send(command), minute);
    expect(pool).toMatchObject({ Instances: [] });
    expect(pool.WarmPoolConfiguration).toBeUndefined();
    expect(bought.sort()).toEqual([false, true]);
    expect(await stage.violationsAtRest()).toEqual([]);
  });

  it('shows a member that did not hibernate as running instead of stopped', async () => {
    const stage = await CheckedFleetStage.open(inputs, {
      before: (fleet) =>
        fleet.world.engine.faults.add({
          service: 'machine',
          operation: 'hibernate',
          effect: { kind: 'failed-hibernation' },
        }),
    });
    await stage.pass(30);

    const pool = [...stage.group.members.values()].filter(({ state }) => state.startsWith('Warmed:'));
    const shown = pool.map(({ instanceId }) => stage.fleet.world.observe.instance(instanceId)?.state);
    expect(shown).toContain('running');
    expect(shown).not.toContain('stopped');
    expect(await stage.violationsNow()).toEqual([]);
  });
});

it('removes the runner of an instance that was lost, and raises nothing else', { timeout: 300_000 }, async () => {
  const stage = await CheckedFleetStage.open({ asgMinSize: 2, asgMaxSize: 4 });
  await stage.untilOnline(2);
  const [lost] = stage.online;

  stage.fleet.world.machines.kill(lost!);
  await stage.pass(60);

  expect(stage.fleet.codeHost.registry.runners.map(({ name }) => name)).not.toContain(lost);
  expect(await stage.violationsAtRest()).toEqual([]);
});

it('raises the dead-man alarm when the idle count is not published any more', { timeout: 300_000 }, async () => {
  const stage = await CheckedFleetStage.open({});
  await stage.untilOnline(1);
  stage.fault({ service: 'platform', effect: { kind: 'error', status: 503 }, untilMs: stage.fleet.clock.now() + hour });

  await stage.pass(20);

  expect(await stage.alarms('metric_silent-runners')).toMatchObject([{ StateValue: 'ALARM' }]);
  expect(await stage.logOf('record_metric')).toContain('503');
  expect(await stage.violationsNow()).toEqual([]);
});
