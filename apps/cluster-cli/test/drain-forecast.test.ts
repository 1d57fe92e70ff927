import { describe, expect, it } from 'vitest';
import { hour, minute, SearchWorld } from './support/search-world.ts';

const gib = 1024 ** 3;

interface Filling {
  readonly shards: number;
  readonly replicas: number;
  readonly shardBytes: number;
  readonly rate?: string;
}

/** Five data nodes with full disks. */
async function filled({ shards, replicas, shardBytes, rate }: Filling): Promise<SearchWorld> {
  const world = await SearchWorld.start({ data: 5, cron: false, node: { diskBytes: 4096 * gib } });
  if (rate !== undefined)
    await world.search('PUT', '/_cluster/settings', { persistent: { 'indices.recovery.max_bytes_per_sec': rate } });
  await world.search('PUT', '/logs', { settings: { number_of_shards: shards, number_of_replicas: replicas } });
  await world.clock.advance(minute);
  world.cluster.inflate('logs', shardBytes);
  await world.clock.advance(minute);
  return world;
}

const drain = 'cluster decommission-node --reason test';

interface Forecast {
  readonly verdict: string;
  readonly because: string;
  readonly takes_seconds: number;
  readonly ends_in_time: boolean;
}

describe('the forecast of a drain against the drain that follows', () => {
  it.each<Filling & { readonly title: string }>([
    { title: '10 shards of 512 GiB with a replica', shards: 10, replicas: 1, shardBytes: 512 * gib, rate: '250mb' },
    { title: '12 shards of 280 GiB with two replicas', shards: 12, replicas: 2, shardBytes: 280 * gib, rate: '250mb' },
    { title: '50 shards of 100 GiB with a replica', shards: 50, replicas: 1, shardBytes: 100 * gib, rate: '250mb' },
    { title: '50 shards, limited by the machine', shards: 50, replicas: 1, shardBytes: 100 * gib, rate: '0b' },
    { title: '20 shards of 500 GiB without replicas', shards: 20, replicas: 0, shardBytes: 500 * gib, rate: '250mb' },
  ])('2 TB on each node, $title: the forecast is within 20 % of the drain', async (filling) => {
    const world = await filled(filling);
    const node = world.inService('search-data')[0]!;
    const told = await world.run(node, `cluster-cli --format json ${drain} --dry-run --wait-until-complete 172800`);
    const began = world.clock.now();

    const ended = await world.run(node, `cluster-cli ${drain} --wait-until-complete 172800`);

    const { takes_seconds } = JSON.parse(told.stdout) as Forecast;
    expect(ended.exitCode).toBe(0);
    const ratio = (1000 * takes_seconds) / (world.clock.now() - began);
    expect(ratio).toBeGreaterThan(0.8);
    expect(ratio).toBeLessThan(1.2);
  });

  it('a drain of 2 TB within the hour is refused by hand and by dry run, and begins with --allow-timeout', async () => {
    const world = await filled({ shards: 10, replicas: 1, shardBytes: 512 * gib });
    const node = world.inService('search-data')[0]!;

    const dry = await world.run(node, `cluster-cli --format json ${drain} --dry-run`);
    const manual = await world.run(node, `cluster-cli ${drain}`);
    expect(await world.records()).toEqual([]);
    const allowed = world.begin(node, `cluster-cli ${drain} --allow-timeout`);
    await world.clock.advance(minute);

    expect([dry.exitCode, manual.exitCode]).toEqual([3, 3]);
    expect(JSON.parse(dry.stdout)).toMatchObject({ verdict: 'refused', ends_in_time: false, allowed: '1 h 0 min' });
    expect(manual.stderr).toMatch(
      /refused \(cannot-end-in-time\): .* GiB in \d shards have to move .* takes about \d+ h/,
    );
    expect(await world.records()).toMatchObject([{ reason: 'test' }]);
    expect((await world.until(allowed, 2 * hour)).exitCode).toBe(4);
  });

  it('in Terminating:Wait a drain that cannot end in time begins with a warning', async () => {
    const world = await filled({ shards: 10, replicas: 1, shardBytes: 512 * gib, rate: '4mb' });
    const node = world.inService('search-data')[0]!;
    await world.terminate(node);

    const running = world.begin(
      node,
      `cluster-cli --quiet ${drain} --only-if-terminating --complete-lifecycle-action --wait-until-complete 172800`,
    );
    await world.clock.advance(10 * minute);

    expect(await world.records()).toMatchObject([{ status: 'IN_PROGRESS' }]);
    await world.search('PUT', '/_cluster/settings', { persistent: { 'indices.recovery.max_bytes_per_sec': '500mb' } });
    const ended = await world.until(running, 20 * hour);
    expect(ended.exitCode).toBe(0);
    expect(ended.stderr).toContain('cannot-end-in-time');
  });

  it('progress lines say how long the rest takes, and that it is too long', async () => {
    const world = await filled({ shards: 10, replicas: 1, shardBytes: 512 * gib });
    const node = world.inService('search-data')[0]!;

    const { stderr } = await world.run(node, `cluster-cli ${drain} --allow-timeout`);

    const lines = stderr.split('\n').filter((line) => line.includes('TiB to move'));
    expect(lines.at(-1)).toMatch(
      /1.9 TiB to move, 40.0 MiB\/s, done in \d+ h \d+ min, .* to the deadline, it does not end in time/,
    );
  });
});
