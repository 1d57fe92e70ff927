import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allShards, isActive } from '@drover/cloud-elasticsearch';
import type { FaultRule } from '@drover/cloud-engine';
import { deployCloudAssembly, World } from '@drover/cloud-world';
import { describeError, type Random, VirtualClock } from '@drover/core';
import { groupNames } from '@drover/core/names/search-cluster';
import { moduleVersion } from '@drover/core/names/version';
import { ClusterCheckers } from '@drover/local/checkers/cluster-checkers';
import { FleetCheckers } from '@drover/local/checkers/fleet-checkers';
import { DeployedCluster, DocumentWriter } from '@drover/stage/cluster';
import { type ClusterInputs, synthesiseCluster } from '@drover/stage/cluster-template';
import { DeployedFleet, platformTokenSecret } from '@drover/stage/fleet';
import { synthesiseFleet } from '@drover/stage/fleet-template';
import { ChangingLimits } from './changing-limits.ts';
import type { DrawnFleet, DrawnInputs } from './draw-inputs.ts';
import { historyTypes, replica, rotationDays } from './options/draw-options.ts';
import { Troubles } from './troubles.ts';
import { Work } from './work.ts';

const minute = 60_000;
const hour = 60 * minute;
const shardBytes = 256 * 1024 ** 2;

export const names = { fleet: 'runners', cluster: 'search' } as const;
/** Longest boots in every world: runners that install much, nodes that start late. */
const boots = { runnerMs: [6, 17, 38].map((minutes) => minutes * minute), nodeMs: 12 * minute };
export const longestBootMs = 40 * minute;
/** Findings beside the checkers' own. */
const mostViolations = 20;

/** A fleet and a cluster in one world, both deployed from their templates, with checkers, jobs and documents. */
export class HistoryWorld {
  readonly clock = new VirtualClock(Date.UTC(2026, 5, 1));
  readonly world: World;
  readonly fleet: DeployedFleet;
  readonly cluster: DeployedCluster;
  readonly random: Random;
  readonly troubles = new Troubles(this.clock);
  readonly work: Work;
  readonly writer: DocumentWriter;
  readonly fleetCheckers: FleetCheckers;
  readonly clusterCheckers: ClusterCheckers;
  /** Acts and faults, each with its moment. */
  readonly told: string[] = [];
  readonly lostZones = new Set<string>();
  faults = 0;
  launches = 0;
  /** Interrupted jobs have been run again from the beginning, by one fleet. */
  alwaysReruns: boolean;
  /** No further copy has a place on the data nodes. */
  disksAreFull = false;
  /** When everything was there. */
  openedAt = 0;
  /** Of `elastic`, at that time. */
  firstPassword = '';
  /** Of the last deployment that came to its end. */
  inputs: DrawnInputs;
  readonly #violations: string[] = [];
  readonly #folder = mkdtempSync(join(tmpdir(), 'drover-history-'));
  /** Stacks that are being deployed or deleted. */
  readonly #busyStacks = new Set<string>();
  readonly #limits: ChangingLimits;
  readonly #watch: (history: HistoryWorld) => void;
  #release = 0;
  #assemblies = 0;

  constructor(random: Random, inputs: DrawnInputs, watch: (history: HistoryWorld) => void = () => {}) {
    this.#watch = watch;
    this.random = random;
    this.inputs = inputs;
    this.alwaysReruns = inputs.fleet.rerunInterruptedJobs === true;
    this.world = new World({ clock: this.clock, seed: random.hex(16), journalLimit: 3_000 });
    const { world } = this;
    this.world.engine.journal.subscribe(({ kind, source, name }) => {
      if (kind === 'fault') this.faults += 1;
      if (source === 'aws.autoscaling' && name === 'none -> Pending') this.launches += 1;
    });
    this.fleet = new DeployedFleet({
      world,
      assembly: '',
      groupName: names.fleet,
      types: historyTypes,
      transport: 'direct',
    });
    this.cluster = new DeployedCluster({
      world,
      clusterName: names.cluster,
      machines: 'configured',
      elsewhere: { [replica.bucket]: replica.region },
    });
    this.#limits = new ChangingLimits(this.fleet, () => this.inputs.fleet);
    this.fleetCheckers = new FleetCheckers(this.fleet, this.#limits.forMode(inputs.fleet.scalingMode));
    this.clusterCheckers = new ClusterCheckers(
      this.cluster,
      this.troubles.excuses((id) => this.isDead(id), longestBootMs),
    );
    this.work = new Work(this.fleet, random.fork('jobs'), () => this.inputs.fleet);
    this.writer = new DocumentWriter(this.cluster, random.fork('documents'), ['orders', 'visits'], 30_000, 2_000);
    world.observe.onInstanceState(({ id, state, availabilityZone }) => {
      if (state === 'running' && this.lostZones.has(availabilityZone)) world.machines.kill(id);
    });
  }

  /** Deploys both modules and begins the work. */
  async open(): Promise<void> {
    process.env.CDK_VALIDATION = 'false';
    await DeployedCluster.preload();
    this.#slowBoots();
    this.fleet.grantPlatformToken();
    const token = { Name: platformTokenSecret, SecretString: this.fleet.platformToken };
    await this.drive(this.call('secretsmanager', 'CreateSecret', token));
    if (this.inputs.cluster.snapshotReplicaBucket !== undefined)
      await this.drive(this.call('s3', 'CreateBucket', { Bucket: replica.bucket }));
    if (this.inputs.cluster.passwordRotationDays !== undefined) {
      await this.drive(this.deployCluster(this.inputs.cluster));
      // Hosts of a fleet would have no news of them for as long.
      await this.#letPasswordsAge();
      await this.drive(this.deployFleet(this.inputs.fleet));
    } else {
      await this.drive(this.deployFleet(this.inputs.fleet));
      await this.drive(this.deployCluster(this.inputs.cluster));
    }
    for (const index of this.writer.acknowledged.keys()) {
      await this.cluster.search('PUT', `/${index}`, { settings: { number_of_shards: 2, number_of_replicas: 1 } });
      await this.cluster.search('GET', '/_cluster/health?wait_for_status=green&timeout=10m');
      this.cluster.cluster.inflate(index, shardBytes);
    }
    await this.clock.runUntil(() => this.isWell(), 3 * hour);
    this.firstPassword = this.cluster.elasticPassword();
    this.openedAt = this.clock.now();
    this.clusterCheckers.start();
    this.writer.start();
  }

  /** Days of which some minutes are played, so that the passwords are replaced within the history. */
  async #letPasswordsAge(): Promise<void> {
    for (let passed = 1; passed < rotationDays; passed++) {
      this.clock.skip(24 * hour - 10 * minute);
      await this.clock.advance(10 * minute);
    }
    this.clock.skip(14 * hour);
    // Reports of every hour are there again.
    await this.clock.advance(80 * minute);
  }

  close(): void {
    this.clusterCheckers.stop();
    this.writer.stop();
    this.work.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  // ---- What operators use --------------------------------------------------------------------------------------------

  async call(service: Parameters<World['aws']['call']>[0], operation: string, input: object): Promise<unknown> {
    return await this.world.aws.call(service, operation, input, { credentials: this.world.rootCredentials });
  }

  /** Moves time until the work is done. */
  async drive<T>(work: Promise<T>, limitMs = 12 * hour): Promise<T> {
    return await this.fleet.drive(work, limitMs);
  }

  isBusy(stack: 'fleet' | 'cluster'): boolean {
    return this.#busyStacks.has(stack);
  }

  /** As `cdk deploy` does. The template in force changes on the way, so the newer of both limits hold from the beginning. */
  async deployFleet(inputs: DrawnFleet): Promise<void> {
    if (inputs.scalingMode !== this.inputs.fleet.scalingMode) this.fleetCheckers.modeChanged();
    if (inputs.rerunInterruptedJobs !== true) this.alwaysReruns = false;
    const assembly = this.#released(synthesiseFleet(this.#newFolder(), { groupName: names.fleet, ...inputs }));
    await this.#busy('fleet', async () => {
      this.#limits.expect(inputs);
      await deployCloudAssembly(this.world, assembly);
      this.inputs = { ...this.inputs, fleet: inputs };
    });
  }

  async deployCluster(inputs: ClusterInputs): Promise<void> {
    const chosen = { clusterName: names.cluster, ...inputs };
    const assembly = this.#released(synthesiseCluster(this.#newFolder(), chosen));
    await this.#busy('cluster', async () => {
      await deployCloudAssembly(this.world, assembly);
      this.inputs = { ...this.inputs, cluster: inputs };
    });
  }

  /** While a stack is deleted and made again, no other act deploys it. */
  async during(stack: 'fleet' | 'cluster', act: () => Promise<void>): Promise<void> {
    await this.#busy(stack, act);
  }

  /** From now on templates have another version of ours, in every place that has it. */
  release(): void {
    this.#release += 1;
  }

  // ---- Faults --------------------------------------------------------------------------------------------------------

  rule(rule: FaultRule): () => void {
    return this.world.engine.faults.add(rule);
  }

  /** Every machine of the zone fails at once, and no other is launched there until it is back. */
  loseZone(zone: string): () => void {
    const effect = { kind: 'error' } as const;
    const heal = this.rule({ service: 'autoscaling', operation: 'Launch', subject: zone, effect });
    this.lostZones.add(zone);
    for (const { id, availabilityZone, state } of this.world.observe.instances())
      if (availabilityZone === zone && state === 'running') this.world.machines.kill(id);
    return () => {
      this.lostZones.delete(zone);
      heal();
    };
  }

  // ---- How things stand ----------------------------------------------------------------------------------------------

  get clusterGroups(): readonly string[] {
    return [groupNames.master(names.cluster), groupNames.data(names.cluster)];
  }

  /** Members of the groups of all types, with those of on-demand fallbacks. */
  get #fleetMembers() {
    return this.fleet.groupNames.flatMap((name) => [...(this.fleet.group(name)?.members.values() ?? [])]);
  }

  /** Instances of types, and of on-demand fallbacks. */
  get furtherMembers(): number {
    return this.#fleetMembers.length - (this.world.observe.group(names.fleet)?.members.size ?? 0);
  }

  /** Runner instances in service. */
  runners(fits: (id: string) => boolean = () => true): readonly string[] {
    return this.#fleetMembers.flatMap(({ instanceId, state }) =>
      state === 'InService' && fits(instanceId) ? [instanceId] : [],
    );
  }

  nodesIn(group: string): readonly string[] {
    return this.cluster.inService(group).filter((id) => this.cluster.nodes.get(id)?.running === true);
  }

  isDead(id: string): boolean {
    const { machines, observe } = this.world;
    return machines.get(id)?.state === 'crashed' || observe.instance(id)?.state !== 'running';
  }

  /** Whether a loss of these machines leaves a majority of the votes and a copy of each shard. */
  clusterSurvives(lost: ReadonlySet<string>): boolean {
    const { core, nodes } = this.cluster;
    const left = new Set([...nodes].flatMap(([id, node]) => (node.running && !lost.has(id) ? [node.id] : [])));
    const { votingConfig, shutdowns } = core.state;
    const staying = (id: string | undefined) => id !== undefined && left.has(id) && core.state.nodes.has(id);
    const votes = votingConfig.filter((id) => staying(id) && !shutdowns.has(id)).length;
    const safe = new Set(
      [...allShards(core.state)].filter((copy) => isActive(copy) && staying(copy.node)).map(shardKey),
    );
    return (
      core.leader !== undefined &&
      2 * votes > votingConfig.length &&
      [...allShards(core.state)].every((copy) => safe.has(shardKey(copy)))
    );
  }

  clusterIsWell(): boolean {
    return (
      this.cluster.core.leader !== undefined &&
      this.cluster.colour() === 'green' &&
      this.clusterGroups.every((group) => this.#isAtRest(group)) &&
      this.clusterCheckers.ledger.dangers().length === 0
    );
  }

  fleetIsWell(): boolean {
    const moves = this.#fleetMembers.some(({ state }) =>
      /^(Pending|Terminating|Warmed:(Pending|Terminating))/.test(state),
    );
    return !moves && this.world.observe.group(names.fleet) !== undefined && this.work.waiting === 0;
  }

  isWell(): boolean {
    return this.fleetIsWell() && this.clusterIsWell();
  }

  #isAtRest(name: string): boolean {
    const group = this.world.observe.group(name);
    if (group === undefined) return false;
    const members = [...group.members.values()];
    return members.length === group.desiredCapacity && members.every(({ state }) => state === 'InService');
  }

  // ---- What came of it -----------------------------------------------------------------------------------------------

  /** Lets time pass, and looks. */
  async pass(minutes: number): Promise<void> {
    for (let passed = 0; passed < minutes; passed += 10) {
      await this.clock.advance(Math.min(10, minutes - passed) * minute);
      await this.fleetCheckers.checkAlways();
      this.#watch(this);
    }
  }

  /** Lets time pass until it holds; returns whether it came true. */
  async until(holds: () => boolean, limitMinutes: number): Promise<boolean> {
    for (let passed = 0; passed < limitMinutes; passed += 5) {
      if (holds()) return true;
      await this.pass(5);
    }
    return holds();
  }

  expect(holds: boolean, violation: string): void {
    if (!holds && this.#violations.length < mostViolations) this.#violations.push(violation);
  }

  get violations(): readonly string[] {
    return [...this.#violations, ...this.fleetCheckers.violations, ...this.clusterCheckers.violations];
  }

  get checks(): number {
    return this.fleetCheckers.checks + this.clusterCheckers.checks;
  }

  tell(what: string): void {
    this.told.push(`${new Date(this.clock.now()).toISOString().slice(8, 16)} ${what}`);
  }

  /** An act with its end; one that is refused is noted with its reason, and is no violation by itself. */
  async act(name: string, act: () => Promise<void>): Promise<void> {
    const end = this.troubles.beginAct(name);
    this.tell(name);
    try {
      await act();
      this.tell(`${name}: ended`);
    } catch (error) {
      this.tell(`${name}: ${describeError(error).slice(0, 200)}`);
    } finally {
      end();
    }
  }

  #slowBoots(): void {
    for (const ms of boots.runnerMs)
      this.rule({ service: 'machine', operation: 'configure', chance: 0.1, effect: { kind: 'slow-boot', ms } });
    this.rule({
      service: 'machine',
      operation: 'boot',
      chance: 0.1,
      effect: { kind: 'slow-boot', ms: boots.nodeMs },
    });
  }

  async #busy(stack: 'fleet' | 'cluster', act: () => Promise<void>): Promise<void> {
    const isWithinAnother = this.#busyStacks.has(stack);
    this.#busyStacks.add(stack);
    try {
      await act();
    } finally {
      if (!isWithinAnother) this.#busyStacks.delete(stack);
    }
  }

  #newFolder(): string {
    this.#assemblies += 1;
    return join(this.#folder, String(this.#assemblies));
  }

  /** A later release of ours has another version in its templates. */
  #released(assembly: string): string {
    if (this.#release === 0) return assembly;
    const version = `${moduleVersion.split('.').slice(0, 2).join('.')}.${this.#release}`;
    for (const file of readdirSync(assembly).filter((name) => name.endsWith('.template.json'))) {
      const path = join(assembly, file);
      writeFileSync(path, readFileSync(path, 'utf8').replaceAll(moduleVersion, version));
    }
    return assembly;
  }
}

const shardKey = ({ index, shard }: { readonly index: string; readonly shard: number }) => `${index}/${shard}`;
