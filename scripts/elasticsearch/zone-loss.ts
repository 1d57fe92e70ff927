/**
 * Effect of the loss of a zone on a real Elasticsearch: 2 and 3 zones, 1 and 2 replicas, without and with forced awareness.
 * `npx tsx scripts/elasticsearch/zone-loss.ts [zones]`; the server comes from ELASTICSEARCH_HOME or from Maven. Its figures are in
 * docs/decisions/0067-forced-awareness-is-an-input.md.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RealClock } from '@drover/core';
import { type LocalCluster, localCluster } from './cluster.ts';
import { installedDistribution, publishedDistribution } from './distribution.ts';

const clock = new RealClock();

const index = 'measured';
const shards = 6;
const documents = 4_000;
const documentBytes = 4_000;
const perBulk = 500;
const nodesInZone = 2;

type Json = Readonly<Record<string, unknown>>;

/** Requests as the superuser; what is not 2xx is a failure. */
const asker =
  ({ url }: LocalCluster) =>
  async (method: string, path: string, body?: string | Json): Promise<Json> => {
    const { origin, username, password } = new URL(url);
    const bulk = typeof body === 'string';
    const headers = {
      authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
      'content-type': bulk ? 'application/x-ndjson' : 'application/json',
    };
    const sent = body === undefined ? {} : { body: bulk ? body : JSON.stringify(body) };
    const answer = await fetch(`${origin}${path}`, { method, headers, ...sent });
    const text = await answer.text();
    if (!answer.ok && answer.status !== 408) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text) as Json;
  };
type Ask = ReturnType<typeof asker>;

/** Text that does not compress, so that bytes can be reckoned with. */
const noise = () => Array.from({ length: documentBytes / 8 }, () => Math.random().toString(36).slice(2, 10)).join('');

async function load(ask: Ask, replicas: number): Promise<void> {
  const settings = {
    number_of_shards: shards,
    number_of_replicas: replicas,
    // Elasticsearch waits for a minute by default.
    'index.unassigned.node_left.delayed_timeout': '0s',
  };
  await ask('PUT', `/${index}`, {
    settings,
    mappings: { properties: { text: { type: 'keyword', index: false, doc_values: false } } },
  });
  for (let at = 0; at < documents; at += perBulk) {
    const lines = Array.from({ length: perBulk }, () => `{"index":{}}\n${JSON.stringify({ text: noise() })}\n`);
    await ask('POST', `/${index}/_bulk`, lines.join(''));
  }
  await ask('POST', `/${index}/_flush`);
  await ask('POST', `/${index}/_forcemerge?max_num_segments=1`);
  await settled(ask);
}

interface Seen {
  readonly status: string;
  readonly copies: number;
  readonly wanted: number;
  /** Megabytes of all copies, by zone. */
  readonly zones: Readonly<Record<string, number>>;
}

/** Waits until nothing moves any more. */
async function settled(ask: Ask): Promise<void> {
  for (let quiet = 0; quiet < 5; ) {
    const health = await ask('GET', '/_cluster/health');
    const moving =
      Number(health.initializing_shards) + Number(health.relocating_shards) + Number(health.delayed_unassigned_shards);
    quiet = moving === 0 ? quiet + 1 : 0;
    await sleep(1_000);
  }
}

async function look(ask: Ask, replicas: number): Promise<Seen> {
  const { status } = await ask('GET', `/_cluster/health/${index}`);
  const stats = (await ask('GET', `/_stats/store?level=shards`)) as unknown as {
    indices: Record<
      string,
      { shards: Record<string, { routing: { node: string; state: string }; store: { size_in_bytes: number } }[]> }
    >;
  };
  const { nodes } = (await ask('GET', '/_nodes?filter_path=nodes.*.attributes.zone')) as unknown as {
    nodes: Record<string, { attributes: { zone: string } }>;
  };
  const copies = Object.values(stats.indices[index]?.shards ?? {}).flat();
  const zones: Record<string, number> = {};
  for (const { routing, store } of copies) {
    const { zone } = nodes[routing.node]!.attributes;
    zones[zone] = Math.round(((zones[zone] ?? 0) + store.size_in_bytes / 1e6) * 10) / 10;
  }
  return { status: String(status), copies: copies.length, wanted: shards * (replicas + 1), zones };
}

/** Megabytes that recoveries since a moment brought over the network, replicas and relocations alike. */
async function moved(ask: Ask, since: number): Promise<number> {
  const { [index]: recovered } = (await ask('GET', `/${index}/_recovery`)) as unknown as Record<
    string,
    { shards: { type: string; start_time_in_millis: number; index: { size: { recovered_in_bytes: number } } }[] }
  >;
  const late = (recovered?.shards ?? []).filter((it) => it.type === 'PEER' && it.start_time_in_millis >= since);
  return Math.round(late.reduce((sum, it) => sum + it.index.size.recovered_in_bytes, 0) / 1e5) / 10;
}

const told = ({ status, copies, wanted, zones }: Seen) =>
  `${status}, ${copies} of ${wanted} copies, MB by zone ${Object.entries(zones)
    .sort()
    .map(([zone, megabytes]) => `${zone} ${megabytes}`)
    .join(' ')}`;

const exclude = (ask: Ask, names: string | null) =>
  ask('PUT', '/_cluster/settings', { persistent: { 'cluster.routing.allocation.exclude._name': names } });

async function measure(
  cluster: LocalCluster,
  zones: readonly string[],
  replicas: number,
  forced: boolean,
): Promise<void> {
  const ask = asker(cluster);
  const persistent = { 'cluster.routing.allocation.awareness.force.zone.values': forced ? zones.join() : null };
  await ask('PUT', '/_cluster/settings', { persistent });
  await load(ask, replicas);
  const title = `${zones.length} zones, ${replicas} replicas, ${forced ? 'forced' : 'not forced'}`;
  let since = clock.now();
  const say = async (when: string) => {
    console.log(`${title} | ${when} | ${told(await look(ask, replicas))} | moved ${await moved(ask, since)}`);
    since = clock.now();
  };
  await say('before');
  // The first node is the master; those of the first zone follow.
  const lost = Array.from({ length: nodesInZone }, (_, at) => at + 2);
  await cluster.kill(lost);
  await sleep(3_000);
  await settled(ask);
  await say('zone a lost');
  for (const [at, number] of lost.entries()) await cluster.startEmpty(number, zones[1 + (at % (zones.length - 1))]!);
  await settled(ask);
  await say('replaced in other zones');
  // The group takes them away again by a drain, as it would on AWS, and launches in the zone that is back.
  await exclude(ask, lost.map((number) => `node-${number}`).join());
  await settled(ask);
  await cluster.kill(lost);
  await exclude(ask, null);
  for (const number of lost) await cluster.startEmpty(number, 'a');
  await sleep(3_000);
  await settled(ask);
  await say('zone a back');
  await ask('DELETE', `/${index}`);
}

async function main(): Promise<void> {
  const counts = process.argv[2] === undefined ? [2, 3] : [Number(process.argv[2])];
  for (const count of counts) {
    const zones = ['a', 'b', 'c'].slice(0, count);
    const folder = mkdtempSync(join(tmpdir(), 'drover-zone-loss-'));
    const home = process.env.ELASTICSEARCH_HOME;
    const distribution = home === undefined ? await publishedDistribution(folder) : installedDistribution(home);
    const data = zones.flatMap((zone) => Array.from({ length: nodesInZone }, () => ({ zone, roles: ['data'] })));
    const cluster = await localCluster(distribution, folder, [{ zone: 'm', roles: ['master'] }, ...data]);
    const end = async () => {
      await cluster.stop();
      rmSync(folder, { recursive: true, force: true });
    };
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => void end().then(() => process.exit(1)));
    try {
      await cluster.boot();
      await asker(cluster)('PUT', '/_cluster/settings', {
        persistent: { 'cluster.routing.allocation.awareness.attributes': 'zone' },
      });
      for (const replicas of [1, 2])
        for (const forced of [false, true]) await measure(cluster, zones, replicas, forced);
    } catch (error) {
      console.error(cluster.logs());
      throw error;
    } finally {
      await end();
    }
  }
}

await main();
