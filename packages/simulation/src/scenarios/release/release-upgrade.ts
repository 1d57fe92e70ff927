import { CreateSecretCommand } from '@aws-sdk/client-secrets-manager';
import { clients, deployCloudAssembly, World } from '@drover/cloud-world';
import type { main } from '@drover/cluster-cli';
import { type Random, SeededRandom, VirtualClock } from '@drover/core';
import { defaults } from '@drover/core/names/runner-fleet';
import { groupNames } from '@drover/core/names/search-cluster';
import { moduleVersion } from '@drover/core/names/version';
import { ClusterCheckers } from '@drover/local/checkers/cluster-checkers';
import { FleetCheckers } from '@drover/local/checkers/fleet-checkers';
import { type Catalogs, DeployedCluster, DocumentWriter } from '@drover/stage/cluster';
import { DeployedFleet, platformTokenSecret, type ReleasedRunner } from '@drover/stage/fleet';
import { UpgradeDriver } from '../upgrade-driver.ts';

const minute = 60_000;
const hour = 60 * minute;

/** Names that the template of examples/local gives, in every release. */
const names = { fleet: 'runners', cluster: 'search' };

/** Found in a stack of 0.1.0, which mirrors no runner software: this release's doctor takes that for a mirror that is missing. */
const doctorOfLaterRelease = /^doctor says runner-version .*: no runner software is mirrored yet/;

export interface ReleaseUpgradeOptions {
  readonly seed: number;
  /** Cloud assemblies of examples/local: of the older release and of this one, or the other way round. */
  readonly from: string;
  readonly to: string;
  /** The programs of the older release and what its Puppet code writes, for its instances. @default those of this tree */
  readonly older?: OlderPrograms;
  /** Whether the nodes take the software of the other release afterwards. @default false */
  readonly roll?: boolean;
  /** For how long the older release is in use before the update. */
  readonly hours: number;
}

export type ClusterCli = typeof main;

export interface OlderPrograms {
  readonly clusterCli: ClusterCli;
  readonly runner: ReleasedRunner;
  readonly catalogs: Catalogs;
}

export interface ReleaseUpgradeResult {
  /** Jobs, documents or groups that did not survive. */
  readonly lost: readonly string[];
  /** The same, and what the checkers of fleet and cluster found. */
  readonly violations: readonly string[];
  readonly checks: number;
  readonly jobs: number;
  readonly documents: number;
  /** Runs of the older release's `cluster-cli` that ended after the update had begun. */
  readonly olderRuns: number;
  /** Instances on which the older release's agent ran. */
  readonly olderAgents: number;
  /** Simulated hours that the update took. */
  readonly hours: number;
  /** Of the cluster's software after it: how many nodes were replaced, how the roll ended, minutes a node, bytes that were copied. */
  readonly roll: {
    readonly replaced: number;
    readonly end: string;
    readonly minutes: number;
    readonly copiedBytes: number;
  };
}

/** A fleet and a cluster of an older release in use, which are updated to this one while jobs run and documents are written. */
export async function simulateReleaseUpgrade(options: ReleaseUpgradeOptions): Promise<ReleaseUpgradeResult> {
  await DeployedCluster.preload();
  const clock = new VirtualClock(Date.UTC(2026, 5, 1));
  const world = new World({ clock, seed: options.seed, journalLimit: 20_000 });
  let olderRuns = 0;
  const olderAgents = new Set<string>();
  const older = options.older && {
    ...options.older,
    clusterCli: (async (argv, io) => {
      const exitCode = await options.older!.clusterCli(argv, io);
      olderRuns += 1;
      return exitCode;
    }) satisfies ClusterCli,
    runner: {
      ...options.older.runner,
      run: (context, offered) => {
        olderAgents.add(context.machine.instance.id);
        return options.older!.runner.run(context, offered);
      },
    } satisfies ReleasedRunner,
  };
  const by =
    <T>(program: T) =>
    (version: string) =>
      version === moduleVersion ? undefined : program;
  const fleet = new DeployedFleet({
    world,
    assembly: options.from,
    groupName: names.fleet,
    functions: 'bundle',
    released: by(older?.runner),
  });
  const cluster = new DeployedCluster({
    world,
    clusterName: names.cluster,
    machines: 'configured',
    released: by(older?.clusterCli),
    catalogs: by(older?.catalogs),
  });
  // Not what is upgraded here.
  world.operate.registerImage(/kibana/, async () => async () => ({ status: 200, headers: {}, body: '{}' }));
  fleet.grantPlatformToken();
  const secret = { Name: platformTokenSecret, SecretString: fleet.platformToken };
  await clients(world).secretsmanager.send(new CreateSecretCommand(secret));
  const deploy = (assembly: string) => fleet.drive(deployCloudAssembly(world, assembly), 24 * hour);
  await deploy(options.from);
  // The stack of 0.1.0 does not wait for its nodes.
  const { master, data } = groupNames;
  const inService = (group: string) => cluster.inService(group).length === 3;
  await clock.runUntil(() => [master, data].every((name) => inService(name(names.cluster))), 6 * hour);
  const before = groupsOf(world);
  const writer = await beginWriting(cluster, world);
  const jobs = queueJobs(fleet, new SeededRandom(options.seed).fork('jobs'));
  const checkers = startCheckers(fleet, cluster, world);
  await clock.advance(options.hours * hour);

  const updatedFrom = clock.now();
  const nodesOf = [master, data].flatMap((name) => cluster.inService(name(names.cluster)));
  const launched = { ids: nodesOf, copiedBytes: copiedBy(cluster) };
  olderRuns = 0;
  await deploy(options.to);
  const tookMs = clock.now() - updatedFrom;
  await clock.advance(hour);
  const roll = options.roll === true ? await rollNodes(cluster, launched) : noRoll;

  jobs.stop();
  writer.stop();
  const { queue } = fleet.codeHost.registry;
  await clock.runUntil(() => jobs.open() === 0, 6 * hour);
  await clock.advance(50 * minute);
  const judged = await checkers.end();
  const missing = await writer.missing();
  const health = await cluster.health();
  const after = groupsOf(world);
  const unmet: readonly (readonly [string, boolean])[] = [
    [`groups are ${after.join(', ')} and were ${before.join(', ')}`, after.join() !== before.join()],
    [`${queue.counts.lost} jobs are lost`, queue.counts.lost > 0],
    [`${jobs.open()} jobs have not ended`, jobs.open() > 0],
    [`${missing.length} acknowledged documents are lost`, missing.length > 0],
    [`the cluster is ${health}`, health !== 'green'],
  ];
  const lost = unmet.flatMap(([problem, is]) => (is ? [problem] : []));
  return {
    lost,
    violations: [...judged.violations.filter((each) => !doctorOfLaterRelease.test(each)), ...lost],
    checks: judged.checks + unmet.length,
    jobs: queue.counts.completed,
    documents: writer.count,
    olderRuns,
    olderAgents: olderAgents.size,
    hours: tookMs / hour,
    roll,
  };
}

const copiedBy = (cluster: DeployedCluster) => cluster.cluster.services?.recoveries.copiedBytes ?? 0;
const noRoll = { replaced: 0, end: 'none', minutes: 0, copiedBytes: 0 };

/** Every node that the older release has launched takes the software of this one. */
async function rollNodes(
  cluster: DeployedCluster,
  before: { readonly ids: readonly string[]; readonly copiedBytes: number },
): Promise<ReleaseUpgradeResult['roll']> {
  const { clock } = cluster;
  const replaced = before.ids.filter((id) => !cluster.inService().includes(id)).length;
  const begun = clock.now();
  const end = await cluster.until(new UpgradeDriver(cluster).roll(), 12 * hour);
  const text = 'because' in end ? `${end.kind}: ${end.because}` : end.kind;
  const minutes = (clock.now() - begun) / minute / before.ids.length;
  return { replaced, end: text, minutes, copiedBytes: copiedBy(cluster) - before.copiedBytes };
}

const groupsOf = ({ observe }: World) => [...new Set(observe.members().map(({ group }) => group.name))].sort();

async function beginWriting(cluster: DeployedCluster, world: World): Promise<DocumentWriter> {
  const writer = new DocumentWriter(cluster, world.engine.random.fork('documents'), ['orders'], 20_000, 2_000);
  await cluster.search('PUT', '/orders', { settings: { number_of_shards: 3, number_of_replicas: 1 } });
  await cluster.search('GET', '/_cluster/health?wait_for_status=green&timeout=10m');
  writer.start();
  return writer;
}

/** About ten jobs an hour, each shorter than the drain time that the fleet allows: none of them may be lost. */
function queueJobs({ clock, codeHost }: DeployedFleet, random: Random) {
  const { queue } = codeHost.registry;
  let stopped = false;
  let open = 0;
  queue.onEnded(() => {
    open -= 1;
  });
  const next = () => {
    if (stopped) return;
    open += 1;
    queue.enqueue({ durationMs: random.int(2, 14) * minute });
    (clock as VirtualClock).after(random.int(2, 10) * minute, next);
  };
  next();
  return {
    open: () => open,
    stop: () => {
      stopped = true;
    },
  };
}

function startCheckers(fleet: DeployedFleet, cluster: DeployedCluster, world: World) {
  const { minSize, maxSize } = world.observe.group(fleet.groupName)!;
  const allowedDrainTimeMs = defaults.allowedDrainTimeSeconds * 1_000;
  const ofFleet = new FleetCheckers(fleet, { allowedDrainTimeMs, minSize, maxSize });
  const calm = { nodesStruck: () => false, searchTroubleMs: () => 0, isDead: () => false };
  const ofCluster = new ClusterCheckers(cluster, calm);
  ofCluster.start();
  return {
    async end() {
      ofFleet.checkAtRest();
      await fleet.drive(ofFleet.checkAlways(), hour);
      ofCluster.stop();
      return {
        violations: [...ofFleet.violations, ...ofCluster.violations],
        checks: ofFleet.checks + ofCluster.checks,
      };
    },
  };
}
