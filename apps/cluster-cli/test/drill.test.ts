import { MemoryStore, type OpenStore } from '@drover/cloud-elasticsearch';
import {
  clusterDimension,
  drillObject,
  drillPrefix,
  metricNamespace,
  metrics,
} from '@drover/core/names/search-cluster';
import type { DrillState } from '@drover/search-cluster';
import { expect, it } from 'vitest';
import { CrashPlan, type CrashPoint, type CrashStory, crashEverywhere } from './support/crash.ts';
import { hour, minute, SearchWorld } from './support/search-world.ts';

const day = 24 * hour;
const bucket = 'search-snapshots';

/** The bucket in the embedded S3 as a repository's storage. */
function bucketOf(world: () => SearchWorld): ReturnType<OpenStore> {
  const s3 = async (operation: string, input: object) =>
    (await world().aws('s3', operation, { Bucket: bucket, ...input })) as {
      Body?: Uint8Array;
      Contents?: { Key: string }[];
    };
  return {
    put: async (Key, Body) => void (await s3('PutObject', { Key, Body: Buffer.from(Body) })),
    get: async (Key) =>
      await s3('GetObject', { Key }).then(
        ({ Body }) => Body,
        () => undefined,
      ),
    list: async (Prefix) => ((await s3('ListObjectsV2', { Prefix })).Contents ?? []).map(({ Key }) => Key),
    delete: async (keys) => {
      for (const Key of keys) await s3('DeleteObject', { Key });
    },
  };
}

async function withSnapshot(options: Parameters<typeof SearchWorld.start>[0] = {}, onS3 = false) {
  const memory = new MemoryStore();
  let world: SearchWorld | undefined;
  const store = onS3 ? bucketOf(() => world!) : memory;
  world = await SearchWorld.start({
    masters: 1,
    data: 2,
    cron: false,
    cluster: { openStore: () => store },
    ...options,
  });
  if (onS3) await world.aws('s3', 'CreateBucket', { Bucket: bucket });
  await world.search('PUT', '/_index_template/web', { index_patterns: ['web-*'], data_stream: {} });
  await world.search('POST', '/web-app/_doc?refresh=true', { '@timestamp': '2026-01-05T00:00:00Z' });
  for (const id of ['1', '2', '3']) await world.search('PUT', `/docs/_doc/${id}?refresh=true`, { id });
  await world.search('PUT', '/docs/_alias/papers');
  const master = world.electedMaster();
  const created = await world.run(master, 'cluster-cli snapshots create backups --wait');
  expect([created.exitCode, created.stderr]).toEqual([0, expect.any(String)]);
  return { world, master, store };
}

const copies = async (world: SearchWorld) =>
  [...world.core.state.indices.keys()].filter((name) => name.startsWith(drillPrefix));
const live = async (world: SearchWorld) => [
  (await world.search('GET', '/docs/_count')).count,
  (await world.search('GET', '/papers/_count')).count,
  (await world.search('GET', '/web-app/_count')).count,
];
/** The newest values that the masters have published. */
const metricsOf = async (world: SearchWorld) => {
  const value = async (MetricName: string) => {
    const now = world.clock.now();
    const { Datapoints } = (await world.aws('monitoring', 'GetMetricStatistics', {
      Namespace: metricNamespace,
      MetricName,
      Dimensions: [{ Name: clusterDimension, Value: 'search' }],
      StartTime: new Date(now - hour / 4),
      EndTime: new Date(now + 60_000),
      Period: 60,
      Statistics: ['Maximum'],
    })) as { Datapoints: { Maximum: number }[] };
    return Datapoints.at(-1)?.Maximum;
  };
  return [await value(metrics.drillFailed), await value(metrics.drillAge)];
};
const noted = async (world: SearchWorld) => {
  const { Body } = (await world.aws('s3', 'GetObject', { Bucket: 'search-state', Key: drillObject })) as {
    Body: Uint8Array;
  };
  return JSON.parse(Buffer.from(Body).toString()) as DrillState;
};

it('a restore drill takes another index each time, compares its documents and leaves no copy', async () => {
  const { world, master } = await withSnapshot();

  const first = JSON.parse((await world.run(master, 'cluster-cli --format json snapshots drill')).stdout);
  const second = JSON.parse((await world.run(master, 'cluster-cli --format json snapshots drill')).stdout);

  expect(first).toMatchObject({ result: 'ok', documents: 1, index: expect.stringMatching(/^\.ds-web-app-/) });
  expect(second).toMatchObject({ result: 'ok', documents: 3, index: 'docs' });
  expect(await copies(world)).toEqual([]);
  expect(await live(world)).toEqual([3, 3, 1]);
});

it('a restore drill notices a snapshot that was damaged in the bucket of the embedded S3, and deletes the copy at once', async () => {
  const { world, master, store } = await withSnapshot({}, true);
  for (const key of await store.list('indices/')) await store.put(key, Buffer.from('damaged'));

  const ended = await world.run(master, 'cluster-cli snapshots drill');

  expect([ended.exitCode, ended.stdout]).toEqual([1, expect.stringContaining('failed: the restore of drover-drill-')]);
  expect([await copies(world), await world.health()]).toEqual([[], 'green']);
  expect(await noted(world)).toMatchObject({ failedAt: expect.any(Number), runs: 1 });
});

it('the elected master drills every week from its schedule, repeats a failed drill the next day and publishes both metrics', async () => {
  const { world, master, store } = await withSnapshot();
  const reap = () => world.run(master, 'cluster-cli --quiet cluster reap');
  await reap();
  expect(await noted(world)).toMatchObject({ runs: 0 });
  await world.clock.advance(7 * day);
  await reap();
  expect(await noted(world)).toMatchObject({ runs: 1, okAt: expect.any(Number) });
  const damaged = new Map((store as MemoryStore).objects);
  for (const key of await store.list('indices/')) await store.put(key, Buffer.from('damaged'));
  await world.clock.advance(7 * day);
  const failed = await reap();
  expect(failed.stderr).toContain('the restore drill failed');
  await reap();
  expect(await metricsOf(world)).toEqual([1, expect.closeTo((7 * day) / 1000, -3)]);
  await reap();
  expect(await noted(world)).toMatchObject({ runs: 2 });
  for (const [key, bytes] of damaged) await store.put(key, bytes);
  await world.clock.advance(day);
  await reap();
  const end = await noted(world);
  expect([end.runs, end.okAt! > end.failedAt!]).toEqual([3, true]);
  await world.clock.advance(hour / 2);
  await reap();
  expect((await metricsOf(world))[0]).toBe(0);
});

it('a restore drill that cannot reach Elasticsearch says nothing of the snapshot and is still due', async () => {
  let away = false;
  const refused = () => Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
  const { world, master } = await withSnapshot({
    wrap: (io) => ({
      ...io,
      exchange: (request) => (away && request.path.includes('_restore') ? refused() : io.exchange(request)),
    }),
  });
  await world.run(master, 'cluster-cli --quiet cluster reap');
  await world.clock.advance(7 * day);
  away = true;
  const tried = await world.run(master, 'cluster-cli --quiet cluster reap');
  expect(tried.stderr).toContain('the restore drill could not be tried');
  expect(await noted(world)).toEqual({ since: expect.any(Number), runs: 0 });

  away = false;
  await world.run(master, 'cluster-cli --quiet cluster reap');

  expect(await noted(world)).toMatchObject({ runs: 1, okAt: expect.any(Number) });
});

it('a restore drill waits while a node drains', async () => {
  const { world, master } = await withSnapshot();
  const [host] = world.inService('search-data') as [string];
  await world.search('PUT', `/_nodes/${world.nodeOf(host).id}/shutdown`, { type: 'restart', reason: 'x' });

  const ended = await world.run(master, 'cluster-cli snapshots drill');

  expect([ended.exitCode, ended.stdout]).toEqual([3, 'postponed: a node is being drained or restarted\n']);
});

const gib = 1024 ** 3;

/** Data nodes of 1,000 GiB, `full` of which another index fills, and 30 GiB in one shard of `docs`; the next drill takes that. */
async function withLargeIndex(full: number, data = 3) {
  const { world, master } = await withSnapshot({ data, node: { diskBytes: 1_000 * gib } });
  await world.run(master, 'cluster-cli snapshots drill');
  if (full > 0) await world.search('PUT', '/full', { settings: { number_of_shards: data, number_of_replicas: 0 } });
  await world.clock.advance(minute);
  world.cluster.inflate('docs', 30 * gib);
  if (full > 0) world.cluster.inflate('full', full * gib);
  await world.clock.advance(minute);
  await world.run(master, 'cluster-cli snapshots create backups --wait');
  return { world, master };
}

/** A drill of 30 GiB that has restored a few of them. */
async function inLongDrill() {
  const { world, master } = await withLargeIndex(0);
  const drill = world.begin(master, 'cluster-cli snapshots drill');
  await world.clock.advance(minute);
  expect([await copies(world), await world.health()]).toEqual([['drover-drill-docs'], 'yellow']);
  const [{ node }] = (await world.search('GET', '/_cat/shards/drover-drill-docs?format=json&h=node')) as unknown as [
    { node: string },
  ];
  const holder = [...world.nodes].find(([, { name }]) => name === node)![0];
  return { world, master, drill, holder };
}

it('a restore drill restores an index of 30 GiB on disks of which three quarters are used', async () => {
  const { world, master } = await withLargeIndex(720);

  const ended = await world.run(master, 'cluster-cli --format json snapshots drill');

  expect(JSON.parse(ended.stdout)).toMatchObject({ result: 'ok', index: 'docs', documents: 3 });
  expect(await copies(world)).toEqual([]);
});

it('a drain does not wait for a restore drill of 30 GiB, which gives way to it and leaves no copy', async () => {
  const { world, drill, holder } = await inLongDrill();

  void world.begin(holder, 'cluster-cli cluster decommission-node --reason test --allow-timeout');
  await world.clock.advance(2 * minute);

  expect((await world.records()).length).toBe(1);
  const { exitCode, stdout } = await drill;
  expect([exitCode, stdout]).toEqual([3, 'postponed: a node is being drained or restarted\n']);
  expect(await copies(world)).toEqual([]);
});

it('a node that holds the only copy of what a restore drill restores may be restarted in place', async () => {
  const { world, holder } = await inLongDrill();

  const prepared = await world.run(holder, 'cluster-cli cluster prepare-restart --reason test');

  expect([prepared.exitCode, prepared.stderr]).toEqual([0, expect.not.stringContaining('refused')]);
  await world.clock.advance(minute);
  expect(await copies(world)).toEqual([]);
});

it('a restore drill whose node dies says nothing of the snapshot, and waits until the cluster is green', async () => {
  const { world, drill, holder } = await inLongDrill();
  world.nodes.get(holder)!.stop();
  await world.clock.advance(3 * minute);

  const { exitCode, stdout } = await drill;

  expect([exitCode, stdout]).toEqual([3, expect.stringMatching(/^postponed: the cluster is (yellow|red)\n$/)]);
  expect([await copies(world), (await noted(world)).failedAt]).toEqual([[], undefined]);
});

it('a snapshot that is taken while a restore drill restores is complete and leaves its copy out', async () => {
  const { world, master } = await inLongDrill();

  const created = await world.run(master, 'cluster-cli snapshots create backups --wait');

  expect([created.exitCode, await copies(world)]).toEqual([0, ['drover-drill-docs']]);
  const { snapshots } = await world.search('GET', `/_snapshot/backups/${created.stdout.trim()}`);
  expect(snapshots).toMatchObject([{ state: 'SUCCESS', indices: expect.not.arrayContaining(['drover-drill-docs']) }]);
});

it('a restore drill for which no disk has room notes why and since when it waits, until there is room', async () => {
  const { world, master } = await withLargeIndex(840);
  const reap = () => world.run(master, 'cluster-cli --quiet cluster reap');
  await world.search('DELETE', '/_data_stream/web-app');
  await world.clock.advance(7 * day);
  await reap();
  const first = await noted(world);
  expect(first.postponed).toEqual({
    since: world.clock.now(),
    because: expect.stringMatching(
      /^no index of snapshot .* has room: the smallest, docs, has 30.0 GiB in 1 shard, and/,
    ),
  });
  await world.search('PUT', '/_nodes/gone/shutdown', { type: 'restart', reason: 'x' });
  await world.clock.advance(day);
  await reap();
  expect((await noted(world)).postponed).toEqual({
    since: first.postponed?.since,
    because: 'a node is being drained or restarted',
  });

  await world.search('DELETE', '/_nodes/gone/shutdown');
  await world.search('DELETE', '/full');
  await world.clock.advance(hour);
  await reap();

  expect(await noted(world)).toEqual({
    ...{ since: first.since, runs: first.runs + 1, okAt: expect.any(Number) },
    ...{ snapshot: expect.any(String), index: 'docs' },
  });
});

it('a restore drill whose copy is deleted before it is compared says nothing of the snapshot', async () => {
  const { world, drill } = await inLongDrill();
  const before = await noted(world);
  await world.search('DELETE', '/drover-drill-docs');
  await world.clock.advance(2 * minute);

  const { exitCode, stderr } = await drill;

  expect([exitCode, stderr]).toEqual([
    expect.any(Number),
    expect.stringContaining('drover-drill-docs was deleted before it was compared'),
  ]);
  expect([exitCode === 0, await noted(world)]).toEqual([false, before]);
});

it('a restore drill may die at every call: live data stay, and the next run deletes the copy', {
  timeout: 600_000,
}, async () => {
  const story = async (at: CrashPoint | undefined): Promise<CrashStory> => {
    const plan = new CrashPlan(({ argv }) => argv.includes('drill'), at);
    const { world, master } = await withSnapshot({ wrap: plan.wrap });
    const violations: string[] = [];
    void world.begin(master, 'cluster-cli snapshots drill');
    await world.clock.advance(hour / 4);
    const calls = plan.calls.length;
    if (JSON.stringify(await live(world)) !== '[3,3,1]') violations.push('live data changed');
    const ended = await world.run(master, 'cluster-cli snapshots drill');
    if (ended.exitCode !== 0) violations.push(`the next run ended with ${ended.exitCode}: ${ended.stdout}`);
    if ((await copies(world)).length > 0) violations.push('a copy is left');
    if (JSON.stringify(await live(world)) !== '[3,3,1]') violations.push('live data changed');
    plan.calls.length = calls;
    return { plan, violations };
  };

  const { calls, failures } = await crashEverywhere('snapshots drill', story);

  expect(failures).toEqual([]);
  expect(calls.length).toBeGreaterThan(12);
});
