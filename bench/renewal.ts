import { createGroups, DeployedCluster, DocumentWriter } from '@drover/stage/cluster';
import { atMost, type Figures, informative } from './figures.ts';

const minute = 60_000;
const hour = 60 * minute;
const gib = 1024 ** 3;
/** From the start of the process until it listens. */
const bootMs = 40_000;
const shards = 10;
/** With one replica four copies are on each of five data nodes: 2 TiB. */
const shardBytes = 512 * gib;

interface Renewal {
  readonly bytes: number;
  readonly ms: number;
  readonly refusedMs: number;
}

/**
 * Renews 3 masters and 5 data nodes of 2 TiB under constant writes, in place and by drain, and compares the bytes that recoveries
 * copied and the time. At 250 MB a second, far above Elasticsearch's default, so that the drain is not made slow on purpose.
 */
export async function benchRenewal(): Promise<Figures> {
  const inPlace = await renew(restartInPlace);
  const drain = await renew(replaceByDrain);
  return {
    'cluster.renewal.bytes_ratio': atMost((100 * inPlace.bytes) / drain.bytes, 1, "% of the drain's bytes"),
    'cluster.renewal.time_ratio': atMost(inPlace.ms / drain.ms, 0.1, "x the drain's time"),
    'cluster.renewal.in_place': informative(inPlace.ms / minute, 'minutes'),
    'cluster.renewal.drain': informative(drain.ms / hour, 'hours'),
    'cluster.renewal.writes_refused': atMost(Math.max(inPlace.refusedMs, drain.refusedMs) / 1000, 60, 's at most'),
  };
}

async function renew(one: (cluster: DeployedCluster, instanceId: string) => Promise<void>): Promise<Renewal> {
  await DeployedCluster.preload();
  const cluster = new DeployedCluster({ node: { diskBytes: 4096 * gib, bootMs } });
  await createGroups(cluster, { masters: 3, data: 5 });
  const writer = await fill(cluster);
  const before = { bytes: copied(cluster), at: cluster.clock.now() };
  for (const group of ['search-data', 'search']) for (const id of cluster.inService(group)) await one(cluster, id);
  const end = { bytes: copied(cluster) - before.bytes, ms: cluster.clock.now() - before.at };
  writer.stop();
  await cluster.clock.advance(minute);
  const missing = await writer.missing();
  if (missing.length > 0) throw new Error(`${missing.length} acknowledged documents are lost`);
  return { ...end, refusedMs: writer.longestRefusalMs };
}

const copied = (cluster: DeployedCluster) => cluster.cluster.services!.recoveries.copiedBytes;

/** Documents enough that a moment of writing is little of a shard, then the size of real ones. */
async function fill(cluster: DeployedCluster): Promise<DocumentWriter> {
  await cluster.search('PUT', '/_cluster/settings', { persistent: { 'indices.recovery.max_bytes_per_sec': '250mb' } });
  await cluster.search('PUT', '/logs', { settings: { number_of_shards: shards, number_of_replicas: 1 } });
  const writer = new DocumentWriter(cluster, cluster.world.engine.random.fork('documents'), ['logs'], 1_000);
  writer.start();
  await cluster.clock.advance(hour);
  cluster.cluster.inflate('logs', shardBytes);
  return writer;
}

async function restartInPlace(cluster: DeployedCluster, id: string): Promise<void> {
  for (const command of ['prepare-restart --reason renewal', 'finish-restart']) {
    const { exitCode, stderr } = await cluster.run(id, `cluster-cli cluster ${command}`);
    if (exitCode !== 0) throw new Error(`${command}: ${stderr}`);
  }
}

/** As an instance refresh does it: the scheduled command drains, the next node comes into service, then the next goes. */
async function replaceByDrain(cluster: DeployedCluster, id: string): Promise<void> {
  const wanted = cluster.inService().length;
  await cluster.terminate(id);
  const renewed = () => cluster.stateOf(id) === undefined && cluster.inService().length === wanted;
  if (!(await cluster.clock.runUntil(renewed, 48 * hour))) throw new Error(cluster.report());
  while ((await cluster.health()) !== 'green') await cluster.clock.advance(minute);
}
