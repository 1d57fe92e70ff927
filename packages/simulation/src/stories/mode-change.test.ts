import type { Job } from '@drover/cloud-github';
import { FleetStage } from '@drover/stage/testing';
import { expect, it } from 'vitest';

const minute = 60_000;
const pool = { warmPoolMinSize: 2, warmPoolMaxSize: 2 } as const;
const idle = { asgMinSize: 1, asgMaxSize: 12, idleRunnersTargetCount: 1, extraLabels: ['runners'], ...pool } as const;
const jobs = { ...idle, asgMinSize: 0, extraLabels: [], scalingMode: 'jobs' } as const;

const over = (wanted: readonly Job[]) => () => wanted.every(({ endedAt }) => endedAt !== undefined);
const states = (wanted: readonly Job[]) => [...new Set(wanted.map(({ state }) => state))];

async function parked(stage: FleetStage): Promise<void> {
  const hibernated = () => [...stage.group.members.values()].filter(({ state }) => state === 'Warmed:Hibernated');
  await stage.fleet.until('two are parked', () => hibernated().length === 2, 60 * minute);
}

it('a fleet that goes from jobs to idle mode and back with queued jobs loses none, and no scale set is left in between', async () => {
  const stage = await FleetStage.open({ ...jobs, idleRunnersTargetCount: 0 });
  await parked(stage);
  const works = stage.enqueue(20, 2);
  await stage.fleet.until('both run', () => works.every(({ state }) => state === 'running'), 30 * minute);
  const { scaleSets } = stage.fleet.codeHost;

  works.push(...stage.enqueue(5, 3));
  await stage.update(idle);
  await stage.fleet.until('the jobs are over', over(works), 60 * minute);
  await stage.fleet.until('the scale set is deleted', () => scaleSets.all.length === 0, 10 * minute);

  await stage.update(jobs);
  const later = stage.enqueue(5, 2);
  await stage.fleet.until('the later ones are over', over(later), 60 * minute);

  expect(states([...works, ...later])).toEqual(['completed']);
  expect(scaleSets.all).toEqual([scaleSets.named('runners')]);
});

it('a fleet that goes from jobs to idle mode without a job has an idle runner within ten minutes and grows by one alone', async () => {
  const stage = await FleetStage.open({ ...jobs, idleRunnersTargetCount: 4 });
  await stage.untilOnline(4);
  await parked(stage);
  const before = new Set(stage.group.members.keys());

  await stage.update(idle);
  const sizes: number[] = [];
  const look = () => void sizes.push(stage.group.desiredCapacity);
  const newcomer = () => stage.online.some((name) => !before.has(name));
  for (let passed = 0; passed < 10 && !newcomer(); passed++, look()) await stage.pass(1);
  expect(newcomer()).toBe(true);
  for (let passed = 0; passed < 50; passed++, look()) await stage.pass(1);

  expect(Math.max(...sizes)).toBe(5);
  expect(sizes.at(-1)).toBeLessThan(5);
});
