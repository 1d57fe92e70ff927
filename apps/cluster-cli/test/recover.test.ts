import { MemoryStore } from '@drover/cloud-elasticsearch';
import { expect, it } from 'vitest';
import { crashEverywhere, oneCrashACall, oneCrashAKind } from './support/crash.ts';
import { lostCluster, missingIn, newCluster, recoverStory } from './support/recover-story.ts';

it('recover-cluster brings back data streams that roll over, users, roles, ILM, templates, Kibana and SLM policies, without stale shutdown records', async () => {
  const store = new MemoryStore();
  await lostCluster(store);
  const world = await newCluster(store);
  const [host] = world.inService('search-data') as [string];
  // As every new cluster does before it is recovered.
  await world.run(host, 'cluster-cli snapshots policy');
  await world.run(host, 'cluster-cli snapshots create backups --wait');

  const dry = await world.run(host, 'cluster-cli --format json snapshots recover-cluster --dry-run');
  expect(JSON.parse(dry.stdout)).toMatchObject({
    snapshot: 'good',
    steps: expect.arrayContaining(['restore users, roles and keys']),
  });
  const ended = await world.run(host, 'cluster-cli snapshots recover-cluster --yes');

  expect([ended.exitCode, ended.stderr]).toEqual([0, expect.stringContaining('password of elastic: changed')]);
  expect(ended.stdout).toMatch(/data streams +1 of 1 +yes/);
  expect(ended.stdout).toMatch(/stale shutdown records +0 +yes/);
  expect(await missingIn(world)).toEqual([]);
  const again = await world.run(host, 'cluster-cli --format json snapshots recover-cluster --resume');
  expect([again.exitCode, JSON.parse(again.stdout)]).toMatchObject([0, { snapshot: 'good' }]);
});

it('recover-cluster refuses a cluster with data, and reads the bucket of another cluster only', async () => {
  const store = new MemoryStore();
  await lostCluster(store);
  const world = await newCluster(store);
  const [host] = world.inService('search-data') as [string];
  await world.search('PUT', '/mine', {});
  const full = await world.run(host, 'cluster-cli snapshots recover-cluster --yes');
  expect([full.exitCode, full.stderr]).toEqual([
    3,
    expect.stringContaining('refused (cluster-not-empty): the cluster holds mine'),
  ]);
  await world.search('DELETE', '/mine');

  const ended = await world.run(host, 'cluster-cli snapshots recover-cluster --bucket-name elsewhere --yes');

  expect(ended.exitCode).toBe(0);
  expect(await world.search('GET', '/_snapshot/recovery')).toMatchObject({
    recovery: { settings: { bucket: 'elsewhere', readonly: 'true' } },
  });
  expect(await missingIn(world)).toEqual([]);
});

it('recover-cluster may die at each of its acts and at each kind of question: the next run brings everything back, or says how', {
  timeout: 600_000,
}, async () => {
  // Every call, before and after it: `npm run campaign -- --scenario crash`; each act, and not only the first of its kind: `npm run test:thorough`.
  const { calls, failures } = await crashEverywhere('recover-cluster', recoverStory, (all) =>
    process.env.DROVER_THOROUGH === '1'
      ? oneCrashACall(all).filter(
          ({ at }) => /^(P|DELETE|elasticsearch-users)/.test(all[at.call]!) || all.indexOf(all[at.call]!) === at.call,
        )
      : oneCrashAKind(all),
  );

  expect(failures).toEqual([]);
  expect(calls.length).toBeGreaterThan(30);
});
