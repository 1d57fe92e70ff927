import { describe, expect, it } from 'vitest';
import { CheckedFleetStage } from './checked-fleet-stage.ts';

const minute = 60_000;

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
