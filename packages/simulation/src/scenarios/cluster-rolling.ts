import { type Random, SeededRandom } from '@drover/core';
import { ClusterCheckers } from '@drover/local/checkers/cluster-checkers';
import { createGroups, DeployedCluster, DocumentWriter } from '@drover/stage/cluster';
import { TemplateCluster } from './cluster-from-template.ts';
import { loneIndex, Misfortunes } from './cluster-misfortunes.ts';
import { Mortality } from './cluster-mortality.ts';
import { ClusterOperator, otherTypeByCall } from './cluster-operator.ts';
import { ClusterRenewal, createRepository } from './cluster-renewal.ts';
import { upgradePath } from './cluster-upgrade.ts';

const minute = 60_000;
const hour = 60 * minute;
const mib = 1024 ** 2;

export interface RollingOptions {
  readonly seed: number;
  /** Hours in which things go wrong. @default 6 */
  readonly hours?: number;
  /** @default 6 for each hour */
  readonly misfortunes?: number;
}

export interface RollingResult {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly faults: number;
  readonly checks: number;
  /** The faults, in order. */
  readonly told: readonly string[];
  readonly documents: number;
  readonly launches: number;
  readonly deaths: number;
  readonly hours: number;
  readonly digest: string;
}

/** Copies with replicas over three zones, and one index that has none. */
const indices: Readonly<
  Record<string, { readonly shards: number; readonly replicas: number; readonly bytes: number }>
> = {
  logs: { shards: 3, replicas: 1, bytes: 600 * mib },
  metrics: { shards: 2, replicas: 2, bytes: 300 * mib },
  [loneIndex]: { shards: 1, replicas: 0, bytes: 200 * mib },
};

/**
 * Rolling replacements of three masters and five data nodes over three zones, restarts in place and upgrades, under constant writes
 * and random faults, each node with the schedules of the specification. Then peace, in which everything must come right.
 */
export async function simulateRolling(options: RollingOptions): Promise<RollingResult> {
  const hours = options.hours ?? 6;
  const random = new SeededRandom(options.seed).fork('rolling');
  await DeployedCluster.preload();
  const mortality = new Mortality(random.fork('mortality'));
  const form = await formOf(options.seed, random, mortality.wrap);
  const { deployed } = form;
  let faults = 0;
  let launches = deployed.members().length;
  deployed.world.engine.journal.subscribe(({ kind, source, name }) => {
    if (kind === 'fault') faults += 1;
    if (source === 'aws.autoscaling' && name === 'none -> Pending') launches += 1;
  });
  await createIndices(deployed);
  const startedAt = deployed.clock.now();
  const misfortunes = new Misfortunes(deployed, random.fork('misfortunes'), mortality);
  const checkers = new ClusterCheckers(deployed, misfortunes);
  const operator = new ClusterOperator(deployed, form.newVersion);
  const renewal = new ClusterRenewal(deployed, random.fork('renewal'), form.acts);
  const writer = new DocumentWriter(deployed, random.fork('writer'), Object.keys(indices), 10_000);
  const play = async () => {
    for (const part of [checkers, writer, operator]) part.start();
    misfortunes.schedule(options.misfortunes ?? 6 * hours, hours * hour);
    await roll(deployed, operator, renewal, hours * hour);
    misfortunes.end();
    await settle(deployed, operator, renewal, checkers);
    for (const part of [checkers, writer, operator]) part.stop();
    await deployed.clock.advance(2 * minute);
    checkers.checkAtRest();
    form.checkAtRest?.(checkers);
    const missing = await writer.missing();
    checkers.expect(
      missing.length === 0,
      `${missing.length} of ${writer.count} acknowledged documents are lost: ${missing.slice(0, 5).join(', ')}`,
    );
  };
  // An error must not hide what was found before it.
  await play().catch((error: Error) => checkers.expect(false, error.stack ?? error.message));
  return {
    seed: options.seed,
    violations: checkers.violations,
    faults: faults + misfortunes.told.length,
    checks: checkers.checks,
    told: [...misfortunes.told, ...renewal.told].sort(),
    documents: writer.count,
    launches,
    deaths: mortality.deaths,
    hours: (deployed.clock.now() - startedAt) / hour,
    digest: deployed.world.engine.journal.digest,
  };
}

type Form = Pick<TemplateCluster, 'deployed' | 'newVersion'> & Partial<Pick<TemplateCluster, 'acts' | 'checkAtRest'>>;

/** With odd seeds groups that were made by API calls, whose machines start their node at once; with even ones the whole stack. */
async function formOf(seed: number, random: Random, wrap: Mortality['wrap']): Promise<Form> {
  if (seed % 2 === 0) return await TemplateCluster.open(seed, random.fork('operator'), wrap);
  const deployed = new DeployedCluster({
    seed,
    cluster: { settings: { 'cluster.routing.allocation.awareness.attributes': 'zone', 'path.repo': '/snapshots' } },
    node: { bootMs: 20_000 },
    configurationMs: { least: minute, most: 3 * minute },
    wrap,
  });
  await createGroups(deployed, { masters: 3, data: 5, version: upgradePath[0] });
  await createRepository(deployed);
  return { deployed, newVersion: otherTypeByCall(deployed) };
}

async function createIndices(deployed: DeployedCluster): Promise<void> {
  for (const [index, { shards, replicas, bytes }] of Object.entries(indices)) {
    const settings = { number_of_shards: shards, number_of_replicas: replicas };
    await deployed.search('PUT', `/${index}`, { settings });
    await deployed.clock.advance(minute);
    deployed.cluster.inflate(index, bytes);
  }
}

/** One version after the other while things go wrong. */
async function roll(
  deployed: DeployedCluster,
  operator: ClusterOperator,
  renewal: ClusterRenewal,
  forMs: number,
): Promise<void> {
  const endsAt = deployed.clock.now() + forMs;
  while (deployed.clock.now() < endsAt) {
    await deployed.until(operator.rollOut(), 24 * hour);
    renewal.begin();
    await deployed.clock.runUntil(() => operator.converged, endsAt - deployed.clock.now());
    renewal.begin();
    await deployed.clock.runUntil(() => renewal.idle, Math.min(hour, endsAt - deployed.clock.now()));
  }
}

/** Longest time in which a cluster must have come right by itself: a stuck launch costs an hour, a drain some more. */
const convergenceMs = 16 * hour;
/** A record is deleted an hour after its node was first seen absent; then one more reap. */
const reapsMs = 80 * minute;

async function settle(
  deployed: DeployedCluster,
  operator: ClusterOperator,
  renewal: ClusterRenewal,
  checkers: ClusterCheckers,
): Promise<void> {
  const came = await deployed.clock.runUntil(() => operator.converged, convergenceMs);
  checkers.expect(
    came,
    `not all instances were replaced ${convergenceMs / hour} hours after the last fault: ${operator.report()}`,
  );
  const renewed = await deployed.clock.runUntil(() => renewal.idle, convergenceMs);
  checkers.expect(renewed, `a restart or an upgrade did not end within ${convergenceMs / hour} hours`);
  const versions = new Set([...deployed.nodes.values()].map(({ version }) => version));
  checkers.expect(
    versions.size === 1 && versions.has(renewal.version),
    `nodes run ${[...versions].join(', ')}, not ${renewal.version}`,
  );
  await deployed.clock.advance(reapsMs);
}
