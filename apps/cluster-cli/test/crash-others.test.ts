import { expect, it } from 'vitest';
import { CrashPlan, type CrashPoint, crashEverywhere } from './support/crash.ts';
import { Invariants } from './support/invariants.ts';
import { hour, minute, SearchWorld, secretIds } from './support/search-world.ts';

/** A replacement is launched while documents are written; its commission dies once. */
async function launchStory(at: CrashPoint | undefined) {
  let settled: string[] = [];
  const plan = new CrashPlan(
    ({ argv, machine }) =>
      settled.length > 0 && !settled.includes(machine.instance.id) && argv.includes('commission-node'),
    at,
  );
  const world = await SearchWorld.start({ cron: () => settled.length > 0, wrap: plan.wrap });
  await world.search('PUT', '/logs', { settings: { number_of_shards: 3, number_of_replicas: 1 } });
  await world.search('PUT', '/solo', { settings: { number_of_shards: 1, number_of_replicas: 0 } });
  const invariants = new Invariants(world);
  invariants.everyMs = minute;
  invariants.overlapLimitMs = 6 * minute;
  invariants.start();
  settled = world.members().map(({ id }) => id);
  await world.aws('autoscaling', 'SetDesiredCapacity', { AutoScalingGroupName: 'search-data', DesiredCapacity: 4 });
  const served = await world.clock.runUntil(() => world.inService('search-data').length === 4, 6 * hour);
  if (!served) invariants.violated('the new node never came into service');
  await world.clock.advance(10 * minute);
  await reapTwice(world, settled);
  await invariants.stop();
  return { plan, violations: invariants.violations };
}

it('a commission may die at every call: its hook abandons the node, which drains, and the next one settles', {
  timeout: 600_000,
}, async () => {
  const { cases, failures } = await crashEverywhere('commission', launchStory);

  expect(failures).toEqual([]);
  expect(cases).toBeGreaterThan(30);
});

async function reapTwice(world: SearchWorld, hosts: readonly string[]): Promise<void> {
  const reaper = world.inService('search').find((id) => hosts.includes(id))!;
  for (const waitMs of [0, 65 * minute]) {
    await world.clock.advance(waitMs);
    await world.run(reaper, 'cluster-cli --quiet cluster reap');
  }
}

/** A master and a data node are gone and have left records, a vote and a waiting hook behind; reap dies once. */
async function reapStory(at: CrashPoint | undefined) {
  let armed = false;
  const plan = new CrashPlan(({ argv }) => armed && argv.includes('reap'), at);
  const world = await SearchWorld.start({ cron: false, wrap: plan.wrap });
  await world.search('PUT', '/logs', { settings: { number_of_shards: 2, number_of_replicas: 1 } });
  await world.search('PUT', '/solo', { settings: { number_of_shards: 1, number_of_replicas: 0 } });
  const invariants = new Invariants(world);
  // Only the elected master tells the alarms, which is one more call to die at.
  const reaper = world.electedMaster();
  const master = world.inService('search').find((id) => id !== reaper);
  const gone = world.nodeOf(master!);
  await world.search('PUT', `/_nodes/${gone.id}/shutdown`, { type: 'remove', reason: 'by hand' });
  await world.search('POST', `/_cluster/voting_config_exclusions?node_ids=${gone.id}`);
  await world.terminate(master!);
  gone.stop();
  await world.clock.advance(5 * minute);
  armed = true;
  for (const waitMs of [5 * minute, 5 * minute, 65 * minute, 5 * minute]) {
    await world.clock.advance(waitMs);
    void world.begin(reaper, 'cluster-cli --quiet cluster reap');
  }
  await world.clock.advance(minute);
  if (world.stateOf(master!) !== undefined)
    invariants.violated(`the hook of the gone master was not completed: ${world.stateOf(master!)}`);
  await invariants.stop();
  return { plan, violations: invariants.violations };
}

it('reap may die at every call: the next one clears what is left', { timeout: 600_000 }, async () => {
  const { cases, calls, failures } = await crashEverywhere('reap', reapStory);

  expect(failures).toEqual([]);
  expect(cases).toBeGreaterThan(20);
  expect(calls).toContain('PutMetricData');
});

/** The superuser's own password changes; the change dies once. */
async function passwdStory(at: CrashPoint | undefined, username: 'elastic' | 'kibana_system') {
  const violations: string[] = [];
  const plan = new CrashPlan(({ argv }) => argv.includes('passwd'), at);
  const world = await SearchWorld.start({ cron: false, masters: 1, data: 1, wrap: plan.wrap });
  const host = world.inService('search')[0]!;
  const secretId = username === 'elastic' ? secretIds.elastic : secretIds.kibana;
  const before = world.world.observe.secretValue(secretId);
  const works = async () =>
    (await world.run(host, `cluster-cli --quiet --username ${username} cluster-health`)).exitCode === 0;
  const change = () => world.begin(host, `cluster-cli passwd --username ${username}`);

  void change();
  await world.clock.advance(10 * minute);
  if (username === 'elastic' && !(await works())) violations.push('neither version lets the user in');
  if (at !== undefined) {
    const again = await world.until(change(), hour);
    if (again.exitCode !== 0) violations.push(`the next run failed: ${again.stderr}`);
  }
  if (!(await works())) violations.push('the user cannot log in');
  const after = world.world.observe.secretValue(secretId);
  if (after === before) violations.push('the password is the old one');
  if (world.runs.some(({ stderr, stdout }) => [before, after].some((password) => (stderr + stdout).includes(password))))
    violations.push('a password shows');
  const stages = (await world.aws('secretsmanager', 'DescribeSecret', { SecretId: secretId })) as {
    VersionIdsToStages: Record<string, string[]>;
  };
  if (
    Object.values(stages.VersionIdsToStages).some((list) => list.includes('AWSPENDING') && !list.includes('AWSCURRENT'))
  )
    violations.push('a pending version is left');
  return { plan, violations };
}

it.each(['elastic', 'kibana_system'] as const)(
  'passwd of %s may die at every call: one of two versions works, and the next run converges',
  { timeout: 600_000 },
  async (username) => {
    const { cases, failures } = await crashEverywhere(`passwd of ${username}`, (at) => passwdStory(at, username));

    expect(failures).toEqual([]);
    expect(cases).toBeGreaterThan(12);
  },
);
