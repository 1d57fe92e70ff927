import { CrashPlan, type CrashPoint, type CrashStory } from './crash.ts';
import { Invariants } from './invariants.ts';
import { recoverStory } from './recover-story.ts';
import { rotationStory } from './rotation-story.ts';
import { hour, minute, SearchWorld, scheduledDrain, secretIds, setGroupSize } from './search-world.ts';

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
  await reapAfterDrain(world, doomed);
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

async function reapAfterDrain(world: SearchWorld, doomed: readonly string[]): Promise<void> {
  const reaper = world.inService('search').find((id) => !doomed.includes(id))!;
  for (const waitMs of [5 * minute, 65 * minute]) {
    await world.clock.advance(waitMs);
    await world.run(reaper, 'cluster-cli --quiet cluster reap');
  }
}

/** A replacement is launched while documents are written; its commission dies once, and its unit starts it again. */
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
  await setGroupSize(world, 'search-data', 4);
  // Its hook would end the launch after an hour, and its group launch another instance.
  const served = await world.clock.runUntil(() => world.inService('search-data').length === 4, 30 * minute);
  if (!served) invariants.violated('the new node did not come into service within half an hour');
  await world.clock.advance(10 * minute);
  await reapTwice(world, settled);
  await invariants.stop();
  return { plan, violations: invariants.violations };
}

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
  // Only the elected master notifies the alarms, which is one more call to die at.
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

/**
 * The zone of a master is lost: the first attempt to spread the masters finds no capacity there, the second does. A
 * pass of the elected master dies once; the next elected master goes on.
 */
async function spreadStory(at: CrashPoint | undefined) {
  let armed = false;
  const plan = new CrashPlan(
    ({ argv, machine }) => armed && argv.includes('reap') && machine.instance.id === world.electedMaster(),
    at,
  );
  const world = await SearchWorld.start({ data: 2, wrap: plan.wrap });
  await world.search('PUT', '/logs', { settings: { number_of_shards: 1, number_of_replicas: 1 } });
  await world.search('PUT', '/solo', { settings: { number_of_shards: 1, number_of_replicas: 0 } });
  const group = world.world.observe.group('search')!;
  const zones = () => [...group.members.values()].map(({ zone }) => zone).sort();
  const [first] = world.inService('search');
  const zone = group.members.get(first!)!.zone;
  const heal = world.world.engine.faults.add({
    service: 'autoscaling',
    operation: 'Launch',
    subject: zone,
    effect: { kind: 'error' },
  });
  world.world.machines.kill(first!);
  await world.clock.runUntil(
    () => group.members.get(first!) === undefined && world.inService('search').length === 3,
    hour,
  );
  const invariants = new Invariants(world);
  invariants.everyMs = minute;
  invariants.overlapLimitMs = 6 * minute;
  invariants.start();
  armed = true;
  await world.clock.advance(8 * minute);
  heal();
  const isSpread = () => group.members.size === 3 && new Set(zones()).size === 3;
  if (!(await world.clock.runUntil(isSpread, 2 * hour))) invariants.violated(`the masters stayed in ${zones()}`);
  await world.clock.advance(11 * minute);
  armed = false;
  if (!isSpread() || group.desiredCapacity !== 3)
    invariants.violated(`${group.desiredCapacity} masters are wanted, and they are in ${zones()}`);
  // The record of the master that left is reaped after an hour.
  await world.clock.advance(65 * minute);
  await invariants.stop();
  return { plan, violations: invariants.violations };
}

/** The disks of all data nodes are too full for hours; a pass of the elected master dies once, and the next one goes on. */
async function roomStory(at: CrashPoint | undefined) {
  let armed = false;
  const plan = new CrashPlan(
    ({ argv, machine }) => armed && argv.includes('reap') && machine.instance.id === world.electedMaster(),
    at,
  );
  const world = await SearchWorld.start({ masters: 1, data: 2, mostData: 4, wrap: plan.wrap });
  await world.search('PUT', '/logs', { settings: { number_of_shards: 1, number_of_replicas: 1 } });
  const invariants = new Invariants(world);
  invariants.everyMs = 10 * minute;
  invariants.start();
  const group = world.world.observe.group('search-data')!;
  for (const id of world.inService('search-data')) {
    const node = world.nodeOf(id);
    node.setFreeBytes(0.1 * node.diskBytes);
  }
  await world.clock.advance(50 * minute);
  if (group.desiredCapacity !== 2) invariants.violated('it grew within the hour');
  armed = true;
  await world.clock.advance(40 * minute);
  armed = false;
  // The newcomer has room for all of them.
  await world.clock.advance(150 * minute);
  if (group.desiredCapacity !== 3 || world.inService('search-data').length !== 3)
    invariants.violated(`${world.inService('search-data').length} of ${group.desiredCapacity} data nodes, not 3`);
  await invariants.stop();
  return { plan, violations: invariants.violations };
}

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

/** A node is stopped and started with its data in place while documents are written; one of the two commands dies once. */
async function restartStory(group: string, at: CrashPoint | undefined) {
  let host = '';
  let armed = false;
  const plan = new CrashPlan(
    ({ argv, machine }) => armed && machine.instance.id === host && /^(prepare|finish)-restart$/.test(argv[2] ?? ''),
    at,
  );
  const world = await SearchWorld.start({ cron: false, wrap: plan.wrap });
  await world.search('PUT', '/logs', { settings: { number_of_shards: 2, number_of_replicas: 1 } });
  await world.search('PUT', '/solo', { settings: { number_of_shards: 1, number_of_replicas: 1 } });
  await world.clock.advance(minute);
  const invariants = new Invariants(world);
  invariants.start();
  host = world.inService(group)[0]!;
  const node = world.nodeOf(host);
  for (const command of ['prepare-restart --reason crash', 'finish-restart']) {
    armed = true;
    void world.begin(host, `cluster-cli cluster ${command}`);
    await world.clock.advance(10 * minute);
    armed = false;
    const again = await world.run(host, `cluster-cli cluster ${command}`);
    if (again.exitCode !== 0) invariants.violated(`${command} again: ${again.stderr}`);
    if (command.startsWith('prepare') && node.running) invariants.violated('the node was not stopped');
  }
  if (!node.running) invariants.violated('the node did not come back');
  if ((await world.records()).length > 0) invariants.violated('the restart record was left behind');
  await invariants.stop();
  return { plan, violations: invariants.violations };
}

type Play = (at: CrashPoint | undefined) => Promise<CrashStory>;

/** Drains by what is drained: a command that dies is finished by the next scheduled run. */
export const drainStories: Readonly<Record<string, Play>> = {
  'a data node': (at) => drainStory(3, ['search-data'], at),
  'a master': (at) => drainStory(3, ['search'], at),
  'the only old master, whose vote has to move': (at) => drainStory(1, ['search'], at),
  'a data node while another one drains too': (at) => drainStory(3, ['search-data', 'search-data'], at),
};

/** Restarts in place by what is restarted. */
export const restartStories: Readonly<Record<string, Play>> = {
  'a data node': (at) => restartStory('search-data', at),
  'a master': (at) => restartStory('search', at),
};

/** The other commands that change anything, by name. */
export const otherStories = {
  commission: launchStory,
  reap: reapStory,
  'spreading the masters': spreadStory,
  'giving full disks room': roomStory,
  'passwd of elastic': (at: CrashPoint | undefined) => passwdStory(at, 'elastic'),
  'passwd of kibana_system': (at: CrashPoint | undefined) => passwdStory(at, 'kibana_system'),
  'recover-cluster': recoverStory,
  'rotation of token and passwords': rotationStory,
} satisfies Readonly<Record<string, Play>>;
