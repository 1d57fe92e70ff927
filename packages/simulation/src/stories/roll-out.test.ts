import { DescribeAutoScalingGroupsCommand } from '@aws-sdk/client-auto-scaling';
import type { Job } from '@drover/cloud-github';
import { expect, it } from 'vitest';
import { CheckedFleetStage } from './checked-fleet-stage.ts';

const minute = 60_000;
/** Much longer than the default `allowed_drain_time`. */
const long = 40;

const idle = { asgMinSize: 1, asgMaxSize: 6, idleRunnersTargetCount: 1 } as const;
const jobs = { ...idle, asgMinSize: 0, scalingMode: 'jobs' } as const;

const running = (wanted: readonly Job[]) => () => wanted.every(({ state }) => state === 'running');
const over = (wanted: readonly Job[]) => () => wanted.every(({ state }) => state === 'completed' || state === 'lost');

const versions = (stage: CheckedFleetStage) =>
  [...stage.group.members.values()]
    .filter(({ state }) => state === 'InService')
    .map(({ template }) => template.version);

async function suspendedProcesses({ aws, fleet }: CheckedFleetStage): Promise<readonly (string | undefined)[]> {
  const { AutoScalingGroups = [] } = await fleet.drive(
    aws.autoscaling.send(new DescribeAutoScalingGroupsCommand({})),
    minute,
  );
  return AutoScalingGroups.flatMap(({ SuspendedProcesses = [] }) =>
    SuspendedProcesses.map(({ ProcessName }) => ProcessName),
  );
}

it.each([
  ['idle', idle],
  ['jobs', jobs],
] as const)(
  'a deployment with a changed template in %s mode ends no job of 40 minutes, renews the idle host, and later jobs run on the new template',
  async (_, inputs) => {
    const stage = await CheckedFleetStage.open(inputs);
    await stage.untilOnline(1);
    const works = stage.enqueue(long, 2);
    await stage.fleet.until('both run', running(works), 30 * minute);

    await stage.update({ ...inputs, rootVolumeSize: 40 });
    await stage.fleet.until('both are over', over(works), 90 * minute);
    await stage.fleet.until(
      'all hosts are new',
      () => versions(stage).every((version) => version === '2') && versions(stage).length > 0,
      180 * minute,
    );
    const later = stage.enqueue(5, 2);
    await stage.fleet.until('the later ones are over', over(later), 60 * minute);

    expect([...works, ...later].map(({ state }) => state)).toEqual(Array(4).fill('completed'));
    expect((await stage.causes()).filter((cause) => /instance refresh/.test(cause))).toEqual([]);
    expect(await suspendedProcesses(stage)).toEqual(['AZRebalance']);
    expect(await stage.violationsAtRest()).toEqual([]);
  },
);

it('a template that gives no host stops the roll-out at its first host: the hosts of before go on, and an alarm fires', async () => {
  const stage = await CheckedFleetStage.open(idle);
  await stage.untilOnline(1);
  const before = [...stage.group.members.keys()];
  const mend = stage.fault({ service: 'machine', operation: 'configure', effect: { kind: 'boot-failure' } });

  await stage.update({ ...idle, rootVolumeSize: 40 });
  await stage.pass(120);
  const [job] = stage.enqueue(5) as [Job];
  await stage.fleet.until('the job is over', over([job]), 30 * minute);

  expect([job.state, versions(stage)]).toEqual(['completed', ['1']]);
  expect(before.map((id) => stage.stateOf(id))).toEqual(['InService']);
  expect(await stage.alarms('rollout_stopped-runners')).toMatchObject([{ StateValue: 'ALARM' }]);

  mend();
  await stage.update({ ...idle, rootVolumeSize: 41 });
  await stage.fleet.until('all hosts are new', () => versions(stage).join() === '3', 180 * minute);
  await stage.pass(20);
  expect(await stage.alarms('rollout_stopped-runners')).toMatchObject([{ StateValue: 'OK' }]);
});

it.each([
  ['idle', 'jobs', idle, jobs],
  ['jobs', 'idle', jobs, idle],
] as const)(
  'a change from %s to %s mode ends no job of 40 minutes that runs, and later jobs run',
  async (_, to, inputs, changed) => {
    const stage = await CheckedFleetStage.open(inputs);
    await stage.untilOnline(1);
    const works = stage.enqueue(long, 2);
    await stage.fleet.until('both run', running(works), 30 * minute);

    await stage.update(changed);
    await stage.pass(5);
    const runsOn = to === 'jobs' ? { runsOn: ['runners'] } : {};
    const next = [5, 5].map((minutes) =>
      stage.fleet.codeHost.registry.queue.enqueue({ durationMs: minutes * minute, ...runsOn }),
    );
    await stage.fleet.until('the next are over', over(next), 30 * minute);
    await stage.fleet.until('all are over', over(works), 60 * minute);
    await stage.fleet.until(
      'all hosts are new',
      () => versions(stage).every((version) => version === '2'),
      120 * minute,
    );

    expect([...works, ...next].map(({ state }) => state)).toEqual(Array(4).fill('completed'));
  },
);

it.each([
  ['idle', 'jobs', idle, jobs],
  ['jobs', 'idle', jobs, idle],
] as const)(
  'a warm pool that was prepared for %s mode does not strand jobs after the change to %s mode: its members give way at once',
  async (_, to, inputs, changed) => {
    const pool = { warmPoolMinSize: 2, warmPoolMaxSize: 2 };
    const stage = await CheckedFleetStage.open({ ...inputs, ...pool });
    const parked = () => [...stage.group.members.values()].filter(({ state }) => state === 'Warmed:Hibernated');
    await stage.fleet.until('two are parked', () => parked().length === 2, 60 * minute);
    const before = new Set(stage.group.members.keys());

    await stage.update({ ...changed, ...pool });
    const runsOn = to === 'jobs' ? { runsOn: ['runners'] } : {};
    const works = [1, 2, 3].map(() =>
      stage.fleet.codeHost.registry.queue.enqueue({ durationMs: 5 * minute, ...runsOn }),
    );
    await stage.pass(3);
    const hanging = [...before].filter((id) => stage.stateOf(id).startsWith('Pending'));
    await stage.fleet.until('all are over', over(works), 60 * minute);
    await stage.fleet.until(
      'the pool is renewed',
      () => parked().length === 2 && parked().every(({ instanceId }) => !before.has(instanceId)),
      120 * minute,
    );

    expect(works.map(({ state }) => state)).toEqual(['completed', 'completed', 'completed']);
    expect(hanging).toEqual([]);
    expect(await stage.alarms('boots_failing-runners')).toMatchObject([{ StateValue: 'OK' }]);
  },
);
