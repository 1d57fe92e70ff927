import { expect, it } from 'vitest';
import { CrashPlan, type CrashPoint, crashEverywhere } from './support/crash.ts';
import { Invariants } from './support/invariants.ts';
import { hour, minute, SearchWorld, scheduledDrain } from './support/search-world.ts';

/** Nodes terminate while documents are written; cron drives the drains, a master reaps, until nothing is left of them. */
async function drainStory(masters: number, groups: readonly string[], at: CrashPoint | undefined) {
  let doomed: string[] = [];
  const plan = new CrashPlan(
    ({ argv, machine }) => machine.instance.id === doomed[0] && argv.includes('decommission-node'),
    at,
  );
  const world = await SearchWorld.start({ masters, cron: false, wrap: plan.wrap });
  const invariants = await prepare(world);
  doomed = groups.map((group, index) => world.inService(group)[index]!);
  // A run that dies after it has registered yields at the next scheduled one.
  invariants.overlapLimitMs = doomed.length > 1 ? 6 * minute : 0;
  for (const id of doomed) await world.terminate(id);
  await world.clock.runUntil(() => world.inService('search').length === masters, hour);
  for (const id of doomed) world.world.machines.get(id)!.addCron('decommission', 5 * minute, scheduledDrain);
  const gone = await world.clock.runUntil(() => doomed.every((id) => world.stateOf(id) === undefined), 6 * hour);
  if (!gone) invariants.violated(`the instances never went: ${doomed.map((id) => world.stateOf(id)).join(', ')}`);
  invariants.everyMs = 10 * minute;
  await reapTwice(world, doomed);
  await invariants.stop();
  return { plan, violations: invariants.violations };
}

async function prepare(world: SearchWorld): Promise<Invariants> {
  await world.search('PUT', '/logs', { settings: { number_of_shards: 2, number_of_replicas: 1 } });
  await world.search('PUT', '/solo', { settings: { number_of_shards: 1, number_of_replicas: 0 } });
  // Slow enough that the drain is seen in progress.
  for (let id = 0; id < 20; id++) await world.search('PUT', `/solo/_doc/big${id}`, { text: 'x'.repeat(2000) });
  await world.search('PUT', '/_cluster/settings', { persistent: { 'indices.recovery.max_bytes_per_sec': '5kb' } });
  await world.clock.advance(minute);
  const invariants = new Invariants(world);
  invariants.start();
  return invariants;
}

async function reapTwice(world: SearchWorld, doomed: readonly string[]): Promise<void> {
  const reaper = world.inService('search').find((id) => !doomed.includes(id))!;
  for (const waitMs of [5 * minute, 65 * minute]) {
    await world.clock.advance(waitMs);
    await world.run(reaper, 'cluster-cli --quiet cluster reap');
  }
}

it.each([
  ['a data node', 3, ['search-data']],
  ['a master', 3, ['search']],
  ['the only old master, whose vote has to move', 1, ['search']],
  ['a data node while another one drains too', 3, ['search-data', 'search-data']],
])(
  'the drain of %s may die just before and just after every call it makes: the next scheduled run finishes it',
  { timeout: 600_000 },
  async (title, masters, groups) => {
    const { cases, failures } = await crashEverywhere(`drain of ${title}`, (at) => drainStory(masters, groups, at));

    expect(failures).toEqual([]);
    expect(cases).toBeGreaterThan(40);
  },
);
