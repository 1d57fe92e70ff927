import { functionName } from '@drover/core/names/runner-fleet';
import { describe, expect, it } from 'vitest';
import { CheckedFleetStage } from './checked-fleet-stage.ts';

const minute = 60_000;
const { MAX_SAFE_INTEGER: ever } = Number;

/** From now on no schedule starts anything: what happens, happens because of an event. */
const withoutSchedules = (stage: CheckedFleetStage) =>
  stage.fault({ service: 'events', operation: 'Scheduled Event', effect: { kind: 'lose' }, untilMs: ever });

/** Milliseconds from the transition of an instance into `state` to the first call of `operation` by the function. */
function reactionMs(
  stage: CheckedFleetStage,
  state: string,
  operation: string,
  suffix: 'registration' | 'deregistration',
) {
  const { entries } = stage.fleet.world.engine.journal;
  const began = entries.findLast(({ kind, name }) => kind === 'transition' && name.endsWith(`-> ${state}`))!;
  const caller = functionName('runners', suffix);
  const call = entries.find(
    ({ seq, kind, name, detail, subject }) =>
      seq > began.seq && kind === 'request' && name === operation && `${detail?.by} ${subject}`.includes(caller),
  );
  return call === undefined ? ever : call.at - began.at;
}

describe('the launch of an instance', { timeout: 300_000 }, () => {
  it('a launch event makes the registration function register the runner at once, without any schedule', async () => {
    const stage = await CheckedFleetStage.open({ asgMaxSize: 2 });
    await stage.untilOnline(1);
    withoutSchedules(stage);
    await stage.pass(2);

    await stage.setDesired(2);
    await stage.untilOnline(2);

    expect(reactionMs(stage, 'Pending:Wait', 'CreateSecret', 'registration')).toBeLessThan(10_000);
    expect([...stage.group.members.values()].map(({ state }) => state)).toEqual(['InService', 'InService']);
    expect(await stage.violationsNow()).toEqual([]);
  });
});

describe('the termination of an instance', { timeout: 300_000 }, () => {
  it('a termination event makes the deregistration function run at once: it removes the runner and completes the hook', async () => {
    const stage = await CheckedFleetStage.open({ asgMinSize: 1, asgMaxSize: 3 });
    await stage.setDesired(2);
    await stage.untilOnline(2);
    const [leaving] = stage.online;
    const resume = withoutSchedules(stage);
    await stage.pass(2);

    await stage.terminate(leaving!);
    await stage.pass(1);
    const looked = reactionMs(stage, 'Terminating:Wait', 'GET /orgs/{org}/actions/runners', 'deregistration');
    const waiting = stage.stateOf(leaving!);
    resume();
    await stage.untilGone(leaving!, 10);

    expect(looked).toBeLessThan(10_000);
    expect(waiting).toBe('Terminating:Wait');
    const removal = stage.fleet.world.engine.journal.entries.filter(
      ({ source, name, subject }) => source === 'platform' && name.startsWith('DELETE') && subject !== 'operator',
    );
    expect(removal.map(({ subject, detail }) => [subject, detail?.status])).toEqual([['runners_deregistration', 204]]);
    expect(stage.fleet.codeHost.registry.runners.map(({ name }) => name)).not.toContain(leaving);
    expect(await stage.violationsAtRest()).toEqual([]);
  });
});

describe('the schedule of the deregistration function', { timeout: 300_000 }, () => {
  it('the deregistration schedule removes orphaned runners: without it they stay', async () => {
    const stage = await CheckedFleetStage.open({ asgMinSize: 2, asgMaxSize: 4 });
    await stage.untilOnline(2);
    const [lost] = stage.online;
    // No function learns of the termination, so the runner is left when the hook has timed out.
    stage.fault({ service: 'events', operation: /.*FunctionsTerminate.*/, effect: { kind: 'lose' }, times: 1 });
    const rule = { service: 'events', operation: /.*Functionsderegistration.*/, untilMs: ever };
    const resume = stage.fault({ ...rule, effect: { kind: 'lose' } });
    stage.fleet.world.machines.kill(lost!);
    await stage.untilGone(lost!, 120);
    await stage.pass(60);
    const names = () => stage.fleet.codeHost.registry.runners.map(({ name }) => name);
    const before = names();

    resume();
    await stage.pass(35);

    expect(before).toContain(lost);
    expect(names()).not.toContain(lost);
    expect(await stage.violationsAtRest()).toEqual([]);
  });
});

describe('the idle-runner metric', { timeout: 300_000 }, () => {
  it('the idle-runner metric has one alarm named idle_runners_low-…, which calls the scaling policies while too few are idle', async () => {
    const stage = await CheckedFleetStage.open({ asgMinSize: 1, asgMaxSize: 2, idleRunnersTargetCount: 1 });
    await stage.untilOnline(1);
    await stage.pass(5);
    const calm = await stage.alarms('idle_runners_low-');

    stage.enqueue(30);
    await stage.fleet.until('it scales up', () => stage.group.members.size === 2, 10 * minute);
    const low = await stage.alarms('idle_runners_low-');

    const shape = { AlarmName: 'idle_runners_low-runners', MetricName: 'IdleRunnersCount', Statistic: 'Average' };
    expect(calm).toMatchObject([{ ...shape, Namespace: 'Drover/ActionsRunner', StateValue: 'OK' }]);
    expect(low).toMatchObject([{ ...shape, StateValue: 'ALARM' }]);
    expect(low[0]!.AlarmActions).toEqual([expect.stringContaining(':scalingPolicy:')]);
    expect((await stage.causes()).join('\n')).toContain('idle_runners_low-runners');
    expect(await stage.violationsNow()).toEqual([]);
  });
});
