import { describe, expect, it } from 'vitest';
import { commission, hour, minute, SearchWorld, secretIds, setGroupSize } from './support/search-world.ts';

const isCommission = (argv: readonly string[]) => argv.includes('commission-node');

/** A cluster whose data group gets one more instance. */
async function launchOne(options: Parameters<typeof SearchWorld.start>[0] = {}) {
  const world = await SearchWorld.start({ cron: false, ...options });
  await world.search('PUT', '/logs', { settings: { number_of_shards: 4, number_of_replicas: 1 } });
  for (let id = 0; id < 40; id++) await world.search('PUT', `/logs/_doc/${id}`, { text: 'x'.repeat(2000) });
  await world.clock.advance(minute);
  const known = new Set(world.members().map(({ id }) => id));
  const before = world.runs.length;
  await setGroupSize(world, 'search-data', 4);
  await world.clock.runUntil(
    () => world.members().some(({ id, state }) => !known.has(id) && state === 'Pending:Wait' && world.nodes.has(id)),
    hour,
  );
  const newcomer = world.members().find(({ id }) => !known.has(id))!.id;
  const ended = () =>
    world.runs.slice(before).find(({ instanceId, argv }) => instanceId === newcomer && isCommission(argv));
  return { world, newcomer, ended };
}

describe('commission-node', () => {
  it('[rule 24] keeps the launch open until recoveries to this node are done, then completes it', async () => {
    const { world, newcomer, ended } = await launchOne();
    const recoveries = () => world.cluster.services!.recoveries;
    recoveries().setSpeed(1e-9);

    // Longer than the hook lives without a heartbeat, and than relocations between other nodes hold a launch up.
    await world.clock.advance(150 * minute);
    const recovering = Object.values(
      await world.search<Record<string, { shards: { target: { id: string } }[] }>>(
        'GET',
        '/_recovery?active_only=true',
      ),
    ).flatMap(({ shards }) => shards);
    const state = world.stateOf(newcomer);
    recoveries().setSpeed(1);
    await world.clock.runUntil(() => world.stateOf(newcomer) === 'InService', 3 * hour);

    expect(recovering.some(({ target }) => target.id === world.nodeOf(newcomer).id)).toBe(true);
    expect(state).toBe('Pending:Wait');
    expect(world.stateOf(newcomer)).toBe('InService');
    expect(ended()?.exitCode).toBe(0);
    expect(ended()?.stderr).toContain('hook launching of');
  });

  it('waits while the security of a node that was launched starts and refuses the right password', async () => {
    const { world, newcomer, ended } = await launchOne({ node: { securityStartMs: 4 * minute } });
    await world.clock.runUntil(() => world.stateOf(newcomer) === 'InService', hour);

    expect(world.stateOf(newcomer)).toBe('InService');
    expect(ended()).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('unable to authenticate user') });
  });

  it('ends with exit 1 when the password of a launch is refused for ten minutes, and at once outside a launch', async () => {
    const { world, newcomer, ended } = await launchOne();
    const SecretId = secretIds.elastic;
    const initial = world.elasticPassword();
    const id = world.inService('search-data')[0]!;
    // The previous version is tried as well.
    for (const SecretString of ['another', 'yet another'])
      await world.aws('secretsmanager', 'PutSecretValue', { SecretId, SecretString });
    const launch = world.begin(newcomer, commission);
    const began = world.clock.now();

    const outside = await world.run(id, 'cluster-cli cluster commission-node');
    const outsideMs = world.clock.now() - began;
    const inLaunch = await world.until(launch, hour);
    const launchMs = world.clock.now() - began;
    await world.aws('secretsmanager', 'PutSecretValue', { SecretId, SecretString: initial });

    expect([outside.exitCode, inLaunch.exitCode, ended()?.exitCode]).toEqual([1, 1, 0]);
    expect(inLaunch.stderr).toContain('check --username and the password');
    expect([outsideMs < minute, launchMs > 10 * minute, launchMs < 12 * minute]).toEqual([true, true, true]);
  });

  it('marks the instance with the cluster that it is in', async () => {
    const { world, newcomer } = await launchOne();
    await world.clock.runUntil(() => world.stateOf(newcomer) === 'InService', 3 * hour);

    const { cluster_uuid } = await world.search<{ cluster_uuid: string }>('GET', '/');

    expect(world.world.observe.instance(newcomer)!.tags['drover:cluster-uuid']).toBe(cluster_uuid);
  });

  it('refuses a node that formed a cluster of its own, and lets it be replaced', async () => {
    const world = await SearchWorld.start({ cron: false });
    const known = new Set(world.members().map(({ id }) => id));
    const taken = world.inService('search-data')[0]!;
    for (const id of world.inService('search-data'))
      await world.aws('ec2', 'CreateTags', {
        Resources: [id],
        Tags: [{ Key: 'drover:cluster-uuid', Value: 'another-cluster' }],
      });
    await world.terminate(taken);
    await world.clock.runUntil(
      () => world.runs.some(({ instanceId, argv }) => !known.has(instanceId) && isCommission(argv)),
      3 * hour,
    );

    const refused = world.runs.find(({ instanceId }) => !known.has(instanceId))!;

    expect(refused.exitCode).toBe(3);
    expect(refused.stderr).toContain('refused (foreign-cluster)');
    await world.clock.advance(minute);
    expect(world.stateOf(refused.instanceId)).not.toBe('InService');
  });

  it('gives up after its time: a node with shards is drained before its launch is abandoned, exit 4', async () => {
    const { world, newcomer } = await launchOne();
    await world.search('PUT', '/_cluster/settings', { persistent: { 'indices.recovery.max_bytes_per_sec': '200b' } });

    const ended = await world.run(newcomer, `${commission} --wait-until-complete 60`, 12 * hour);

    expect(ended.exitCode).toBe(4);
    expect(ended.stderr).toMatch(/abandoned/);
    expect(await world.search('GET', '/logs/_count')).toMatchObject({ count: 40 });
    expect(await world.health()).not.toBe('red');
  });

  it('waits at most 48 hours unless configured otherwise', async () => {
    const { world, newcomer } = await launchOne();
    await world.search('PUT', '/_cluster/settings', { persistent: { 'indices.recovery.max_bytes_per_sec': '1kb' } });

    const ended = await world.run(newcomer, 'cluster-cli cluster commission-node', 12 * hour);

    expect(ended.exitCode).toBe(0);
    expect(ended.stderr.split('\n')[0]).toMatch(/, 48 h 0 min to the deadline$/);
  });

  it('says that there is nothing to complete on an instance in service, and exits 0', async () => {
    const world = await SearchWorld.start({ cron: false, masters: 1, data: 1 });

    const ended = await world.run(world.inService('search-data')[0]!, commission);

    expect(ended.exitCode).toBe(0);
    expect(ended.stderr).toContain('the instance is InService: there is no launch hook to complete');
  });

  it('refuses on an instance that is terminating', async () => {
    const world = await SearchWorld.start({ cron: false });
    const doomed = world.inService('search-data')[0]!;
    await world.terminate(doomed);

    const ended = await world.run(doomed, commission);

    expect(ended.exitCode).toBe(3);
    expect(ended.stderr).toContain('refused (not-launching)');
  });
});
