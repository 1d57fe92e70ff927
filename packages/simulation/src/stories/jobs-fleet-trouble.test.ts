import type { FaultRule } from '@drover/cloud-engine';
import { expect, it } from 'vitest';
import { CheckedFleetStage } from './checked-fleet-stage.ts';

const minute = 60_000;
const inputs = { scalingMode: 'jobs', asgMinSize: 0, asgMaxSize: 6, idleRunnersTargetCount: 1 } as const;

const strike = (stage: CheckedFleetStage, rule: FaultRule) => stage.fleet.world.engine.faults.add(rule);
const registered = ({ fleet }: CheckedFleetStage) => fleet.codeHost.registry.runners.map(({ name }) => name);

it('in jobs mode every instance gets the configuration of a runner that exists, also when each call takes five seconds', async () => {
  const stage = await CheckedFleetStage.open(inputs);
  await stage.untilOnline(1, 60);
  const faster = strike(stage, { effect: { kind: 'slow', ms: 5_000 } });

  const jobs = stage.enqueue(3, 4);
  await stage.fleet.until('the jobs are over', () => jobs.every(({ endedAt }) => endedAt !== undefined), 60 * minute);
  faster();

  expect(jobs.map(({ state }) => state)).toEqual(['completed', 'completed', 'completed', 'completed']);
  await stage.pass(25);
  expect(await stage.violationsAtRest()).toEqual([]);
}, 120_000);

it('the demand of a fleet in jobs mode removes the runner of an instance that came and went while no window ran', async () => {
  const stage = await CheckedFleetStage.open({ ...inputs, warmPoolMinSize: 1, warmPoolMaxSize: 4 });
  const parked = () => [...stage.group.members.values()].filter(({ state }) => state === 'Warmed:Hibernated');
  await stage.untilOnline(1, 60);
  const resume = strike(stage, { service: 'lambda', operation: 'runners_demand', effect: { kind: 'throttle' } });
  await stage.pass(3);

  const before = registered(stage);
  stage.fleet.world.machines.kill(before[0]!);
  await stage.fleet.until(
    'another one is online',
    () => stage.online.some((name) => !before.includes(name)),
    60 * minute,
  );
  const overlooked = stage.online.find((name) => !before.includes(name))!;
  stage.fleet.world.machines.kill(overlooked);
  await stage.untilGone(overlooked, 60);
  // As a registration leaves it that came too late.
  const { scaleSets } = stage.fleet.codeHost;
  scaleSets.addRunner(scaleSets.named('runners')!, overlooked);
  resume();
  await stage.pass(8);

  expect(registered(stage)).not.toContain(overlooked);
  const asked = stage.fleet.world.observe
    .logLines('/aws/lambda/runners_demand')
    .filter((line) => line.includes('runner at the service'));
  expect(parked()).not.toEqual([]);
  expect(parked().filter(({ instanceId }) => asked.some((line) => line.includes(instanceId)))).toEqual([]);
  expect(await stage.violationsAtRest()).toEqual([]);
}, 120_000);
