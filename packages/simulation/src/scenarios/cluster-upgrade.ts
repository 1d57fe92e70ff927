import type { SearchNode } from '@drover/cloud-elasticsearch';
import { SeededRandom } from '@drover/core';
import { groupNames, snapshotRepository } from '@drover/core/names/search-cluster';
import { ClusterCheckers, type Excuses } from '@drover/local/checkers/cluster-checkers';
import { createGroups, DeployedCluster, DocumentWriter, installedVersion, noPackagesFile } from '@drover/stage/cluster';
import { type DriverDeath, type DriverEnd, UpgradeDriver } from './upgrade-driver.ts';

const minute = 60_000;
const hour = 60 * minute;
/** Writes may be refused while masters elect one of them, as long as `cluster.renewal.writes_refused` allows it. */
const electionMs = minute;

/** Versions of the whole path: a minor, then the next major. */
export const upgradePath = ['8.18.8', '8.19.21', '9.5.3'] as const;

/** Trouble from outside during an upgrade, and how an operator mends it. */
export interface Trouble {
  /** When it begins: as soon as this holds. */
  starts(cluster: DeployedCluster): boolean;
  /** Returns what mends it. */
  begin(cluster: DeployedCluster): () => void;
  /** Name of the check that must stop the upgrade; undefined: it may also go on by itself. */
  readonly stops?: string;
  /** Whether it takes nodes away, or refuses writes, itself. */
  readonly strikes: boolean;
  /** Whether the operator goes on more than an hour after it was mended, in which nothing may go on by itself. */
  readonly rests?: boolean;
}

export interface UpgradeStoryOptions {
  readonly seed?: number;
  /** Versions one after the other, the first one is where it begins. @default the first two of the path */
  readonly path?: readonly string[];
  readonly dies?: DriverDeath;
  readonly trouble?: Trouble;
  /** Data nodes. @default 3 */
  readonly data?: number;
  /** Whether the nodes run their cron jobs, which clear up after others. @default true */
  readonly cron?: boolean;
}

export interface UpgradeStory {
  readonly violations: readonly string[];
  /** External calls of the drivers. */
  readonly calls: readonly string[];
  /** How each run of the driver ended. */
  readonly ends: readonly DriverEnd[];
  readonly documents: number;
  readonly copiedBytes: number;
  readonly checks: number;
}

/** Most drivers of one upgrade: one that was stopped or has died is followed by the next. */
const mostRuns = 8;
/** As soon as an operator can type it. */
const resumesAfterMs = 5_000;

/**
 * Upgrades three masters and three data nodes under constant writes and checkers. Whatever becomes of the driver, an operator runs it
 * again with `--resume`, after he has mended what stopped it; in the end every node runs the version and nothing is left behind.
 */
export async function playUpgrade(options: UpgradeStoryOptions = {}): Promise<UpgradeStory> {
  const { seed = 7, path = upgradePath.slice(0, 2), trouble, dies } = options;
  const cluster = await openCluster(path[0]!, options);
  const struck = new Struck(cluster, trouble);
  const checkers = new ClusterCheckers(cluster, struck);
  const writer = new DocumentWriter(cluster, new SeededRandom(seed).fork('writer'), ['logs', 'metrics'], 5_000);
  for (const part of [checkers, writer]) part.start();
  await cluster.clock.advance(5 * minute);
  const driver = new UpgradeDriver(cluster, dies);
  const copied = () => cluster.cluster.services!.recoveries.copiedBytes;
  const before = copied();
  const ends: DriverEnd[] = [];
  struck.watch();
  const rest = async () => (trouble?.rests === true ? await staysAsItIs(cluster, checkers) : undefined);
  for (const to of path.slice(1)) ends.push(...(await upgradeTo({ cluster, driver, struck, rest }, to)));
  // Reap deletes what is left of an unfinished restart after an hour.
  await cluster.clock.runUntil(() => cluster.core.state.shutdowns.size === 0, 80 * minute);
  await cluster.clock.advance(5 * minute);
  for (const part of [checkers, writer]) part.stop();
  await cluster.clock.advance(minute);
  checkers.checkAtRest();
  checkEnd(checkers, cluster, { path, ends, trouble });
  const missing = await writer.missing();
  checkers.expect(missing.length === 0, `${missing.length} acknowledged documents are lost: ${missing.slice(0, 5)}`);
  checkers.expect(
    writer.longestRefusalMs <= electionMs || trouble?.strikes === true,
    `writes were refused for ${writer.longestRefusalMs / 1000} s`,
  );
  checkers.expect(dies === undefined || driver.struck, 'the driver never reached the call at which it dies');
  const { violations, checks } = checkers;
  return { violations, checks, calls: driver.calls, ends, documents: writer.count, copiedBytes: copied() - before };
}

async function openCluster(
  version: string,
  { seed = 7, data = 3, cron = true }: UpgradeStoryOptions,
): Promise<DeployedCluster> {
  await DeployedCluster.preload();
  const cluster = new DeployedCluster({
    seed,
    cron,
    cluster: { settings: { 'cluster.routing.allocation.awareness.attributes': 'zone', 'path.repo': '/snapshots' } },
    node: { bootMs: 20_000, securityStartMs: 5_000 },
  });
  await createGroups(cluster, { masters: 3, data, version });
  const repository = { type: 'fs', settings: { location: '/snapshots' } };
  await cluster.search('PUT', `/_snapshot/${snapshotRepository}`, repository);
  for (const [index, replicas] of Object.entries({ logs: 1, metrics: data - 1 })) {
    await cluster.search('PUT', `/${index}`, { settings: { number_of_shards: 2, number_of_replicas: replicas } });
    await cluster.clock.advance(minute);
    cluster.cluster.inflate(index, 500 * 1024 ** 2);
  }
  return cluster;
}

/** Runs until the version is reached; each end before it is followed by mending and `--resume`. */
async function upgradeTo({ cluster, driver, struck, rest }: UpgradeParts, to: string): Promise<readonly DriverEnd[]> {
  const ends: DriverEnd[] = [];
  while (ends.length < mostRuns && ends.at(-1)?.kind !== 'upgraded') {
    if (ends.length > 0) await cluster.clock.advance(ends.at(-1)!.kind === 'died' ? resumesAfterMs : minute);
    ends.push(await cluster.until(driver.run(to), 30 * hour));
    if (ends.at(-1)!.kind === 'upgraded') break;
    struck.mend();
    if (ends.at(-1)!.kind === 'blocked') await rest();
  }
  return ends;
}

/** The parts of one upgrade. */
interface UpgradeParts {
  readonly cluster: DeployedCluster;
  readonly driver: UpgradeDriver;
  readonly struck: Struck;
  /** Passes the time until the operator goes on. */
  rest(): Promise<void>;
}

/**
 * Without a driver no node changes its version: neither by the configuration runs of an hour nor by the next start of its process.
 */
async function staysAsItIs(cluster: DeployedCluster, checkers: ClusterCheckers): Promise<void> {
  const told = versionsOf(cluster);
  await cluster.clock.advance(65 * minute);
  const later = versionsOf(cluster);
  for (const node of cluster.nodes.values()) {
    node.stop();
    node.start();
    await cluster.clock.advance(2 * minute);
  }
  const restarted = versionsOf(cluster);
  const same = (one: readonly string[], other: readonly string[]) => one.join('; ') === other.join('; ');
  checkers.expect(
    same(told, later),
    `an hour after the upgrade has stopped: ${told.join('; ')} -> ${later.join('; ')}`,
  );
  checkers.expect(
    same(later, restarted),
    `after a restart of each process: ${later.join('; ')} -> ${restarted.join('; ')}`,
  );
}

/** The running and the installed version of each node. */
const versionsOf = ({ nodes, world }: DeployedCluster) =>
  [...nodes].map(
    ([id, { name, version }]) => `${name} runs ${version}, files of ${installedVersion(world.machines.get(id)!)}`,
  );

function checkEnd(
  checkers: ClusterCheckers,
  cluster: DeployedCluster,
  { path, ends, trouble }: { path: readonly string[]; ends: readonly DriverEnd[]; trouble: Trouble | undefined },
): void {
  const said = ends.map((end) => (end.kind === 'blocked' ? end.blockers.map(describe).join('; ') : end.kind));
  checkers.expect(ends.at(-1)?.kind === 'upgraded', `the upgrade did not end: ${said.join(' | ')}`);
  const [to] = path.slice(-1);
  for (const each of versionsOf(cluster)) checkers.expect(each.endsWith(` runs ${to}, files of ${to}`), `node ${each}`);
  const stopped = ends.flatMap((end) => (end.kind === 'blocked' ? end.blockers : []));
  if (trouble?.stops !== undefined)
    checkers.expect(
      stopped.some(({ check, because }) => check === trouble.stops && because !== undefined),
      `nothing stopped it by ${trouble.stops}, but: ${said.join(' | ')}`,
    );
}

const describe = ({ check, because }: { readonly check: string; readonly because?: string }) => `${check}: ${because}`;

/** The trouble that is going on, as the checkers ask for it. */
class Struck implements Excuses {
  readonly #cluster: DeployedCluster;
  readonly #trouble: Trouble | undefined;
  #mends: (() => void) | undefined;
  #until = Number.NEGATIVE_INFINITY;

  constructor(cluster: DeployedCluster, trouble: Trouble | undefined) {
    this.#cluster = cluster;
    this.#trouble = trouble;
  }

  /** Lets the trouble begin at its moment. */
  watch(): void {
    if (this.#trouble === undefined) return;
    if (this.#trouble.starts(this.#cluster)) this.#mends = this.#trouble.begin(this.#cluster);
    else this.#cluster.clock.after(1_000, () => this.watch());
  }

  mend(): void {
    if (this.#mends === undefined) return;
    this.#mends();
    this.#mends = undefined;
    this.#until = this.#cluster.clock.now();
  }

  nodesStruck(withinMs: number): boolean {
    if (this.#trouble?.strikes !== true) return false;
    return this.#mends !== undefined || this.#cluster.clock.now() - this.#until <= withinMs;
  }

  searchTroubleMs(): number {
    return 0;
  }

  isDead(instanceId: string): boolean {
    return this.#cluster.world.machines.get(instanceId)?.state !== 'up';
  }
}

const dataNodes = (cluster: DeployedCluster): readonly (readonly [string, SearchNode])[] =>
  cluster
    .inService(groupNames.data(cluster.clusterName))
    .map((id) => [id, cluster.nodeOf(id)] as const)
    .sort(([, a], [, b]) => (a.name < b.name ? -1 : 1));

const gib = 1024 ** 3;

const first = (cluster: DeployedCluster) => dataNodes(cluster)[0]![1];
const oneIsNew = (cluster: DeployedCluster) =>
  [...cluster.nodes.values()].some(({ version }) => version !== upgradePath[0]);

/** The last old node, which may not join any more in its version. */
const lastOld = ({ nodes }: DeployedCluster) => {
  const [one, ...others] = [...nodes].filter(([, { version }]) => version === upgradePath[0]);
  return others.length > 0 ? undefined : one;
};
const lastIsStopped = (cluster: DeployedCluster) => lastOld(cluster)?.[1].running === false;
/** It is never started in its old version. */
function staysStopped(cluster: DeployedCluster): void {
  const [, node] = lastOld(cluster) ?? [];
  if (node === undefined) return;
  if (node.running) throw new Error(`${node.name} was started as ${node.version}`);
  cluster.clock.after(1_000, () => staysStopped(cluster));
}
const onLast = (cluster: DeployedCluster) => cluster.world.machines.get(lastOld(cluster)![0])!;

/** Every trouble from outside that an upgrade must survive. */
export const troubles: Readonly<Record<string, Trouble>> = {
  'a node whose package cannot be installed, so that it does not come back': {
    strikes: false,
    stops: 'node-returned',
    rests: true,
    starts: oneIsNew,
    begin: (cluster) => {
      const [, , last] = dataNodes(cluster);
      const machine = cluster.world.machines.get(last![0])!;
      machine.files.set(noPackagesFile, '');
      return () => void machine.files.delete(noPackagesFile);
    },
  },
  'a machine that is lost while its node is stopped': {
    strikes: true,
    starts: (cluster) => !first(cluster).running,
    begin: (cluster) => {
      const [[lost] = []] = dataNodes(cluster);
      cluster.world.machines.kill(lost!);
      return () => {};
    },
  },
  'a node that its own half-hourly configuration starts before the package is there': {
    strikes: false,
    starts: (cluster) => !first(cluster).running,
    begin: (cluster) => {
      const [[id] = []] = dataNodes(cluster);
      cluster.world.machines.get(id!)!.startService('elasticsearch');
      return () => {};
    },
  },
  'the last master, which the half-hourly configuration would start before its package is there': {
    strikes: false,
    starts: lastIsStopped,
    begin: (cluster) => {
      void onLast(cluster).runCommand('/opt/drover/bin/configure');
      staysStopped(cluster);
      return () => {};
    },
  },
  'the last master, which something else starts before its package is there': {
    strikes: false,
    starts: lastIsStopped,
    begin: (cluster) => {
      onLast(cluster).startService('elasticsearch');
      return () => {};
    },
  },
  'a red moment from outside': {
    strikes: true,
    stops: 'green-or-yellow',
    starts: oneIsNew,
    begin: (cluster) => {
      const copies = cluster.core.state.routing.get('logs')![0]!;
      const holders = [...cluster.nodes.values()].filter(({ id }) => copies.some(({ node }) => node === id));
      for (const node of holders) node.crash();
      return () => {
        for (const node of holders) node.start();
      };
    },
  },
  'a full disk': {
    strikes: true,
    stops: 'disk-space',
    starts: (cluster) => !first(cluster).running,
    begin: (cluster) => {
      const [, [, node] = []] = dataNodes(cluster);
      const before = node!.otherBytes;
      node!.setFreeBytes(gib);
      return () => {
        node!.otherBytes = before;
        node!.setFreeBytes(node!.freeBytes);
      };
    },
  },
};

/** A driver that dies at one call; nothing else clears up behind it. */
export const playDeath = async ({ death, name }: DeathCase): Promise<Pick<UpgradeStory, 'violations' | 'checks'>> => {
  const { violations, checks } = await playUpgrade({ data: 2, cron: false, dies: death });
  return { violations: violations.map((violation) => `${name}: ${violation}`), checks };
};

export interface DeathCase {
  readonly name: string;
  readonly death: DriverDeath;
}

/** Every external call of an undisturbed driver, found by playing it. */
export const findDriverCalls = async (): Promise<readonly string[]> =>
  (await playUpgrade({ data: 2, cron: false })).calls;

/** Each call with a death just before and just after it. */
export const allDeaths = (calls: readonly string[]): DeathCase[] =>
  calls.flatMap((call, at) =>
    (['before', 'after'] as const).map((phase) => ({
      name: `${phase} call ${at} (${call})`,
      death: { call: at, phase },
    })),
  );

/** One death at the first call of each kind, before and after it in turn, and both where something is written. */
export function oneDeathAKind(calls: readonly string[]): DeathCase[] {
  const kinds = [...new Set(calls)];
  return allDeaths(calls).filter(({ death }) => {
    const kind = kinds.indexOf(calls[death.call]!);
    const writes = /^(PUT|PutObject|SendCommand)/.test(calls[death.call]!);
    return calls.indexOf(kinds[kind]!) === death.call && (writes || (kind % 2 === 0) === (death.phase === 'before'));
  });
}
