import { describe, expect, it } from 'vitest';
import { CheckedFleetStage } from './checked-fleet-stage.ts';

const minute = 60_000;

/** A job with the script `break-host` takes the configuration of its runner away. */
function breakable({ fleet }: CheckedFleetStage, id: string): void {
  const { files } = fleet.world.machines.get(id)!;
  fleet.world.machines.get(id)!.defineCommand('break-host', async () => {
    files.delete('/opt/actions-runner/.runner');
    return 0;
  });
}

describe('trouble on a runner host', { timeout: 300_000 }, () => {
  it('a host whose reports are denied from its launch on serves, finishes its job in the drain and ends by itself', async () => {
    const stage = await CheckedFleetStage.open(
      { asgMinSize: 1, asgMaxSize: 3, allowedDrainTime: 7200 },
      {
        before: ({ world }) =>
          world.engine.faults.add({
            service: 's3',
            operation: 'PutObject',
            subject: '/i-',
            effect: { kind: 'error', status: 403, code: 'AccessDenied' },
          }),
      },
    );
    await stage.untilOnline(1);
    const [id = ''] = stage.online;
    // Longer than the hook's timeout of 30 minutes: without heartbeats the job would be lost.
    const [job] = stage.enqueue(45);
    await stage.fleet.until('the job runs', () => job?.state === 'running', 5 * minute);

    await stage.terminate(id, false);
    const minutes = await stage.untilGone(id, 90);

    expect(job?.state).toBe('completed');
    expect(minutes).toBeLessThan(45 + 15);
    expect(await stage.violationsAtRest()).toEqual([]);
  });

  it('a listener that is killed comes back once its Worker has ended, not before', async () => {
    const stage = await CheckedFleetStage.open({ asgMinSize: 1, asgMaxSize: 1 });
    await stage.untilOnline(1);
    const [id = ''] = stage.online;
    stage.enqueue(8);
    const machine = stage.fleet.world.machines.get(id)!;
    const named = (name: string) => machine.processes().find(({ argv }) => argv[0]?.endsWith(name));
    await stage.fleet.until('the job runs', () => named('/Runner.Worker') !== undefined, 10 * minute);

    named('/Runner.Listener')?.signal('SIGKILL');
    await stage.pass(5);
    expect([named('/Runner.Worker') !== undefined, named('/Runner.Listener') !== undefined]).toEqual([true, false]);

    await stage.pass(10);
    expect(stage.online).toEqual([id]);
  });

  it('a host with a full disk takes no further job and is replaced', async () => {
    const stage = await CheckedFleetStage.open({ asgMinSize: 1, asgMaxSize: 2 });
    await stage.untilOnline(1);
    const [id = ''] = stage.online;
    stage.fleet.world.machines.get(id)!.disk.freeBytes = 1000;

    await stage.fleet.until('it is offline', () => !stage.online.includes(id), 15 * minute);
    await stage.untilGone(id, 60);
    await stage.untilOnline(1);

    expect(stage.online).not.toContain(id);
    expect(await stage.violationsAtRest()).toEqual([]);
  });

  it('a host that a job has broken fails at most a minute of jobs, and is replaced', async () => {
    const stage = await CheckedFleetStage.open({ asgMinSize: 1, asgMaxSize: 2 });
    await stage.untilOnline(1);
    const [id = ''] = stage.online;
    const { queue } = stage.fleet.codeHost.registry;
    breakable(stage, id);
    queue.enqueue({ durationMs: minute, script: 'break-host' });
    const others = Array.from({ length: 40 }, () => queue.enqueue({ durationMs: 5_000 }));

    await stage.fleet.until('it is offline', () => !stage.online.includes(id), 20 * minute);
    await stage.untilGone(id, 60);
    await stage.fleet.until(
      'all jobs are over',
      () => others.every(({ endedAt }) => endedAt !== undefined),
      60 * minute,
    );

    const lost = others.filter(({ lostBecause }) => lostBecause === 'worker-killed');
    expect(lost.length).toBeGreaterThan(0);
    expect(lost.length).toBeLessThan(15);
    expect(others.filter(({ state }) => state === 'completed').length).toBe(others.length - lost.length);
    expect(stage.checkers.blames).toEqual({});
    expect(await stage.violationsAtRest()).toEqual([]);
    expect(stage.checkers.blames).toEqual({ 'broken-host': lost.length });
  });

  it('a job that fails before its hook by its own fault changes nothing on its host', async () => {
    const stage = await CheckedFleetStage.open({ asgMinSize: 1, asgMaxSize: 1 });
    await stage.untilOnline(1);
    const [id = ''] = stage.online;
    const { queue } = stage.fleet.codeHost.registry;
    const job = queue.enqueue({ durationMs: 1_000, uses: 'example-org/missing@v1' });
    await stage.fleet.until('it has failed', () => job.state === 'completed', 10 * minute);
    await stage.pass(40);

    expect([job.result, stage.online]).toEqual(['failed', [id]]);
    expect(await stage.violationsAtRest()).toEqual([]);
  });

  it('a fleet whose every host breaks has its alarm, and two launches an hour for a place', async () => {
    const launched: string[] = [];
    const stage = await CheckedFleetStage.open(
      { asgMinSize: 1, asgMaxSize: 1 },
      {
        before: ({ world }) =>
          world.observe.onInstanceState(({ id, state }) => void (state === 'pending' && launched.push(id))),
      },
    );
    const { queue } = stage.fleet.codeHost.registry;
    for (let minutes = 0; minutes < 180; minutes += 5) {
      for (const id of stage.online) breakable(stage, id);
      queue.enqueue({ durationMs: 10_000, script: 'break-host' });
      queue.enqueue({ durationMs: 10_000 });
      await stage.pass(5);
    }

    expect(launched.length).toBeGreaterThanOrEqual(3);
    expect(launched.length).toBeLessThanOrEqual(7);
    expect(await stage.alarms('boots_failing-runners')).toMatchObject([{ StateValue: 'ALARM' }]);
  });

  it('a wrong checksum of the runner launches at most six instances in the first hour on a group of two', async () => {
    const launched: string[] = [];
    const stage = await CheckedFleetStage.open(
      { asgMinSize: 2, asgMaxSize: 2 },
      {
        before: ({ world }) => {
          world.engine.faults.add({ service: 'machine', operation: 'configure', effect: { kind: 'boot-failure' } });
          world.observe.onInstanceState(({ id, state }) => void (state === 'pending' && launched.push(id)));
        },
      },
    );
    const { clock } = stage.fleet;
    const began = clock.now();
    await stage.fleet.until('the first launch', () => launched.length > 0, 10 * minute);

    await stage.pass(60 - (clock.now() - began) / minute);

    expect(launched.length).toBeGreaterThanOrEqual(4);
    expect(launched.length).toBeLessThanOrEqual(6);
    expect(await stage.alarms('boots_failing-runners')).toMatchObject([{ StateValue: 'ALARM' }]);
    const held = [...stage.group.members.values()].filter(({ state }) => state === 'Pending:Wait');
    expect(held.length).toBeGreaterThan(0);
    expect(await stage.violationsNow()).toEqual([]);
  });

  it('launches go on at full speed when boots succeed again, and the failed ones leave', async () => {
    const stage = await CheckedFleetStage.open(
      { asgMinSize: 2, asgMaxSize: 2 },
      {
        before: ({ world, clock }) =>
          world.engine.faults.add({
            service: 'machine',
            operation: 'configure',
            untilMs: clock.now() + 40 * minute,
            effect: { kind: 'boot-failure' },
          }),
      },
    );

    await stage.untilOnline(2, 120);

    await stage.pass(70);
    expect(await stage.alarms('boots_failing-runners')).toMatchObject([{ StateValue: 'OK' }]);
    expect(await stage.violationsAtRest()).toEqual([]);
  });
});
