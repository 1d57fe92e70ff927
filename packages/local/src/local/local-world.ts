import { GetFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import { CreateSecretCommand, PutSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import type { ServiceId } from '@drover/cloud-aws';
import { preload as preloadWire } from '@drover/cloud-aws';
import type { FaultRule } from '@drover/cloud-engine';
import type { Job } from '@drover/cloud-github';
import { clients, deployCloudAssembly, World } from '@drover/cloud-world';
import { TerminalError, VirtualClock } from '@drover/core';
import { defaultType, environment, functionName, scalingAlarms, typeGroupName } from '@drover/core/names/runner-fleet';
import type { LifeEvent, Observation } from '@drover/observation/api';
import { DeployedCluster, DocumentWriter, kibanaStandIn } from '@drover/stage/cluster';
import { DeployedFleet, QuickReplay } from '@drover/stage/fleet';
import type { Deployment } from './deployment.ts';
import { LiveInputs, type Resynthesise } from './live-inputs.ts';
import { Pace } from './pace.ts';
import { CourseDigest } from './travel/course-digest.ts';
import { alarmsOf } from './view/alarms.ts';
import { ClusterView } from './view/cluster-view.ts';
import { FleetView, platformState } from './view/fleet-view.ts';
import { clusterTrouble } from './view/openings.ts';
import { RecentEvents } from './view/recent-events.ts';
import { Situation } from './view/situation.ts';
import { Watch } from './view/watch.ts';
import { Workload } from './workload.ts';

const minute = 60_000;
const shardBytes = 2 * 1024 ** 3;

export interface LocalWorldOptions {
  readonly deployment: Deployment;
  /** Without it the inputs cannot be changed while the world runs. */
  readonly resynthesise?: Resynthesise | undefined;
  /** For a session to be replayed, from its deployment on. @default false */
  readonly quickReplay?: boolean;
  readonly seed: string;
  readonly startedAt: number;
  readonly speed: number;
  readonly jobsPerHour: number;
  readonly realNow: () => number;
  readonly realSleep: (ms: number) => Promise<void>;
}

/** The whole system in one process: a fleet, a search cluster and its web UI, deployed from their template. */
export class LocalWorld {
  readonly clock: VirtualClock;
  readonly world: World;
  readonly fleet: DeployedFleet;
  readonly cluster: DeployedCluster;
  readonly pace: Pace;
  readonly writer: DocumentWriter;
  readonly #options: LocalWorldOptions;
  readonly watch: Watch;
  readonly liveInputs: LiveInputs;
  readonly course: CourseDigest;
  readonly #situation: Situation;
  readonly #events: RecentEvents;
  readonly #fleetView: FleetView;
  readonly #clusterView: ClusterView;
  readonly #workload: Workload;
  readonly #faults = new Map<string, () => void>();
  readonly quickReplay: QuickReplay;

  constructor(options: LocalWorldOptions) {
    const { deployment, seed, startedAt, speed, jobsPerHour, realNow, realSleep } = options;
    const { assembly, account } = deployment;
    const { groupName, platformApi, platformOrg } = deployment.fleet;
    const types = deployment.fleet.types.map(({ name }) => name);
    this.#options = options;
    this.clock = new VirtualClock(startedAt);
    this.world = new World({ clock: this.clock, seed, journalLimit: 20_000, ...account });
    this.course = new CourseDigest(this.world.engine.journal);
    this.#events = new RecentEvents(scalingAlarms(groupName));
    this.world.engine.journal.subscribe((entry) => this.#events.note(entry));
    const { world } = this;
    this.quickReplay = new QuickReplay(world, options.quickReplay ?? false);
    const programs = { functions: 'bundle', transport: this.quickReplay } as const;
    this.fleet = new DeployedFleet({ world, assembly, groupName, types, ...programs, platformApi, platformOrg });
    this.cluster = new DeployedCluster({ world, clusterName: deployment.cluster.name, machines: 'configured' });
    world.operate.registerImage(/kibana/, kibanaStandIn);
    this.pace = new Pace(this.clock, { speed, realNow, realSleep });
    this.#situation = new Situation(this.fleet, this.cluster);
    this.#clusterView = new ClusterView(this.cluster);
    this.#workload = new Workload(world, (durationMs, type) => void this.enqueue(durationMs, type), jobsPerHour, types);
    this.writer = new DocumentWriter(
      this.cluster,
      world.engine.random.fork('documents'),
      ['orders', 'visits'],
      20_000,
      2_000,
    );
    this.liveInputs = new LiveInputs(this.#situation, deployment, options.resynthesise, () =>
      this.watch.checkers.fleet.modeChanged(),
    );
    this.watch = new Watch(this.#situation, this.writer, () => this.liveInputs.fleet);
    this.#fleetView = new FleetView(this.fleet, this.watch.lives, this.liveInputs);
    world.observe.onInstanceState((instance) => {
      if (instance.state === 'running' && this.#situation.lostZones.has(instance.availabilityZone))
        world.machines.kill(instance.id);
    });
  }

  /** Loads what is loaded on demand, so that no file is read while simulated time runs. */
  static async preload(): Promise<void> {
    await Promise.all([DeployedCluster.preload(), preloadWire()]);
  }

  /** Deploys the template, as fast as the machine can, and begins the work. */
  async deploy(): Promise<void> {
    const token = this.fleet.platformToken;
    this.fleet.grantPlatformToken();
    const { secretsmanager } = clients(this.world);
    const { assembly, fleet } = this.#options.deployment;
    if (fleet.tokenSecret === undefined) void this.#fillSecret(token);
    else await secretsmanager.send(new CreateSecretCommand({ Name: fleet.tokenSecret, SecretString: token }));
    await this.fleet.drive(deployCloudAssembly(this.world, assembly), 12 * 60 * minute);
    this.#everyMinute();
    this.#workload.start();
    await this.#createIndices();
    this.writer.start();
    this.watch.start();
  }

  /** A secret that a stack makes gets the token as soon as the function that reads it exists, which is before the first launch. */
  async #fillSecret(token: string): Promise<void> {
    const { lambda, secretsmanager } = clients(this.world);
    try {
      const FunctionName = functionName(this.fleet.groupName, 'registration');
      const { Environment } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
      const SecretId = Environment?.Variables?.[environment.platformTokenSecret];
      await secretsmanager.send(new PutSecretValueCommand({ SecretId, SecretString: token }));
    } catch {
      this.clock.after(10_000, () => void this.#fillSecret(token));
    }
  }

  async #createIndices(): Promise<void> {
    for (const index of this.writer.acknowledged.keys())
      await this.cluster.search('PUT', `/${index}`, { settings: { number_of_shards: 3, number_of_replicas: 1 } });
    // Once every copy is there each gets the weight of a real one: a drain is to be watched, not over in a second.
    await this.cluster.search('GET', '/_cluster/health?wait_for_status=green&timeout=10m');
    for (const index of this.writer.acknowledged.keys()) this.cluster.cluster.inflate(index, shardBytes);
  }

  #everyMinute(): void {
    this.#fleetView.sample();
    this.clock.after(minute, () => this.#everyMinute());
  }

  /** A job for the fleet: in jobs mode it asks for the scale set of its type, which has the group's name. */
  enqueue(durationMs: number, type = defaultType): Job {
    const { scalingMode, groupName, types } = this.liveInputs.fleet;
    const known = [defaultType, ...types.map(({ name }) => name)];
    if (!known.includes(type))
      throw new TerminalError(`the fleet has no type ${type}`, { remedy: `its types are ${known.join(', ')}` });
    const set = type === defaultType ? groupName : typeGroupName(groupName, type);
    const runsOn = scalingMode === 'jobs' ? { runsOn: [set] } : {};
    return this.fleet.codeHost.registry.queue.enqueue({ durationMs, ...runsOn });
  }

  /** An API call as the account's owner. */
  async call(service: ServiceId, operation: string, input: object): Promise<void> {
    await this.world.aws.call(service, operation, input, { credentials: this.world.rootCredentials });
  }

  /** The known events of an instance's life. */
  lifeOf(instanceId: string): readonly LifeEvent[] {
    return this.watch.lives.of(instanceId);
  }

  /** Turns a fault on, or off again. */
  fault(name: string, rule: FaultRule | undefined): void {
    this.#faults.get(name)?.();
    this.#faults.delete(name);
    this.#situation.faults.delete(name);
    if (rule === undefined) return;
    this.#faults.set(name, this.world.engine.faults.add(rule));
    this.#situation.faults.add(name);
  }

  /** The node runs, and no other node reaches it, until it is connected again. */
  cutOff(instance: string, on: boolean): void {
    const { cluster, nodes } = this.cluster;
    if (!nodes.has(instance)) throw new TerminalError(`there is no search node on ${instance} (any more)`);
    const { cutOff } = this.#situation;
    if (on) cutOff.add(instance);
    else cutOff.delete(instance);
    cluster.partition(...[...cutOff].flatMap((id) => (nodes.has(id) ? [[nodes.get(id)!]] : [])));
  }

  /** Every machine of the zone fails at once, and no other is launched there until it is back. */
  loseZone(zone: string, lost: boolean): void {
    if (!this.world.aws.zones.includes(zone))
      throw new TerminalError(`there is no zone ${zone}`, { remedy: `there are ${this.world.aws.zones.join(', ')}` });
    const effect = { kind: 'error' } as const;
    this.fault(
      `zone ${zone}`,
      lost ? { service: 'autoscaling', operation: 'Launch', subject: zone, effect } : undefined,
    );
    if (!lost) return void this.#situation.lostZones.delete(zone);
    this.#situation.lostZones.add(zone);
    for (const { id, availabilityZone, state } of this.world.observe.instances())
      if (availabilityZone === zone && state === 'running') this.world.machines.kill(id);
  }

  async readState(withSnapshots: boolean): Promise<Observation> {
    await this.#clusterView.refresh(withSnapshots);
    const { faults, lostZones } = this.#situation;
    return {
      clock: {
        now: this.clock.now(),
        speed: this.pace.speed,
        paused: this.pace.paused,
        behind: this.pace.behind,
      },
      zones: this.world.aws.zones.map((name) => ({ name, lost: lostZones.has(name) })),
      fleet: this.#fleetView.state(),
      platform: platformState(this.fleet.codeHost, faults),
      cluster: { ...this.#clusterView.state(), trouble: clusterTrouble(this.#situation) },
      functions: this.watch.lives.functions(this.world.observe.functionNames()),
      alarms: alarmsOf(this.world, this.watch.lives, scalingAlarms(this.fleet.groupName)),
      incidents: this.watch.incidents.newestFirst,
      promises: this.watch.promises(),
      events: this.#events.newestFirst,
      unknown: {},
      readings: [],
    };
  }
}
