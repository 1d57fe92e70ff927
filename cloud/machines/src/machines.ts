import {
  drawDelay,
  type Engine,
  every,
  type HttpRequest,
  type Network,
  never,
  type Origin,
  type Served,
  serve,
} from '@drover/cloud-engine';
import type { Timer } from '@drover/core';
import type { Instance, MachineAccount } from './account.ts';
import { Machine, type MachineWatch } from './machine.ts';
import { defaultMachineTiming, type MachineTiming } from './machine-timing.ts';
import { InstanceCredentials } from './metadata/instance-credentials.ts';
import { MetadataService } from './metadata/metadata-service.ts';
import { MachineProcess } from './processes/process.ts';
import type { BootProgram } from './program.ts';
import { MachineAgent } from './remote-agent.ts';

/** A machine with what is attached to it from outside. */
interface Plugged {
  readonly machine: Machine;
  readonly credentials: InstanceCredentials;
  readonly metadata: MetadataService;
  spotNoticeAt: number | undefined;
  /** The step between two states that is under way. */
  step: Timer | undefined;
  goneAt: number | undefined;
}

const metadataAddress = '169.254.169.254';
/** How often the fault plan is asked whether a machine that runs crashes. */
const faultPeriodMs = 10_000;

/** All machines of a world: they boot when EC2 says so and do what is registered for them. */
export class Machines {
  timing: MachineTiming = { ...defaultMachineTiming };
  /** Seed of all that is drawn on a machine; ids differ from world to world. @default its id */
  seedOf: (instance: Instance) => string = ({ id }) => id;
  readonly #engine: Engine;
  readonly #network: Network;
  readonly #plugged = new Map<string, Plugged>();
  readonly #boots: { readonly match: (instance: Instance) => boolean; readonly program: BootProgram }[] = [];
  #aws!: MachineAccount;
  #watch: MachineWatch | undefined;
  #faultTimer: Timer | undefined;

  constructor(engine: Engine, network: Network) {
    this.#engine = engine;
    this.#network = network;
  }

  connect(aws: MachineAccount): void {
    this.#aws = aws;
    this.#network.register(
      (host, origin) => host === metadataAddress && origin.kind === 'machine',
      (request, origin) => this.#metadata(request, origin),
    );
    aws.ec2.onInstanceState((instance) => this.#follow(instance));
  }

  /** Registers what instances do when they boot; every program that matches runs, in the order of registration. */
  onBoot(match: (instance: Instance) => boolean, program: BootProgram): void {
    this.#boots.push({ match, program });
  }

  /** Reports every process and log line of the machines that come from now on: for checkers. */
  watchWith(watch: MachineWatch): void {
    this.#watch = watch;
  }

  get(instanceId: string): Machine | undefined {
    return this.#plugged.get(instanceId)?.machine;
  }

  /** Also those that are off or went a short while ago. */
  all(): readonly Machine[] {
    return [...this.#plugged.values()].map(({ machine }) => machine);
  }

  // ---- Power, as EC2 switches it -----------------------------------------------------------------------------------

  powerOn(instance: Instance): void {
    this.#forgetGone();
    const plugged = this.#plug(instance);
    const { machine } = plugged;
    if (machine.state !== 'off') return;
    machine.move('booting');
    const point = { service: 'machine', operation: 'boot', subject: instance.id };
    const slowMs = this.#engine.faults.strike(point, ['slow-boot'])?.ms ?? 0;
    this.#next(plugged, slowMs + drawDelay(machine.random, this.timing.bootMs), () => this.#booted(plugged));
  }

  hibernate(instance: Instance, done: (hibernated: boolean) => void): void {
    const plugged = this.#plugged.get(instance.id);
    const point = { service: 'machine', operation: 'hibernate', subject: instance.id };
    const fails = this.#engine.faults.strike(point, ['failed-hibernation']) !== undefined;
    if (plugged?.machine.state !== 'up' || !instance.hibernationConfigured) return void done(false);
    const { machine } = plugged;
    const delayMs = drawDelay(machine.random, this.timing.saveMs);
    if (fails) return void this.#next(plugged, delayMs, () => done(false));
    machine.freeze();
    machine.move('saving');
    this.#next(plugged, delayMs, () => {
      machine.move('hibernated');
      done(true);
    });
  }

  resume(instance: Instance): void {
    const plugged = this.#plugged.get(instance.id);
    if (plugged?.machine.state !== 'hibernated') return;
    const { machine } = plugged;
    this.#next(plugged, drawDelay(machine.random, this.timing.resumeMs), () => {
      machine.move('up', { resumed: true });
      machine.thaw();
      this.#watchFaults();
    });
  }

  powerOff(instance: Instance): void {
    const plugged = this.#plugged.get(instance.id);
    if (plugged === undefined || plugged.goneAt !== undefined) return;
    plugged.step?.cancel();
    const forGood = instance.state === 'shutting-down' || instance.state === 'terminated';
    plugged.machine.shutDown(forGood ? 'gone' : 'off');
    if (!forGood) return;
    plugged.goneAt = this.#engine.clock.now();
    this.#aws.ssm.unregisterAgent(instance.id);
  }

  diskOf(instance: Instance): ReadonlyMap<string, string> {
    return new Map(this.#plugged.get(instance.id)?.machine.files);
  }

  /** EC2 does not wait for ever: once it says that an instance is down, it is. */
  #follow(instance: Instance): void {
    const { state } = instance;
    if (state === 'shutting-down' || state === 'terminated') this.powerOff(instance);
    const machine = this.get(instance.id);
    if (machine?.state !== 'shutting-down') return;
    if (state === 'terminated') machine.lose('gone');
    else if (state === 'stopped') machine.lose('off');
  }

  spotNotice(instance: Instance, atMs: number): void {
    const plugged = this.#plugged.get(instance.id);
    if (plugged !== undefined) plugged.spotNoticeAt = atMs;
  }

  // ---- Accidents ---------------------------------------------------------------------------------------------------

  /** The operating system dies; EC2 notices by its status checks. */
  crash(instanceId: string, reason = 'kernel panic'): void {
    const plugged = this.#require(instanceId);
    plugged.step?.cancel();
    plugged.machine.lose('crashed', { reason });
    this.#aws.ec2.setImpaired(instanceId, true);
  }

  /** The power is gone for a moment, as in a hard reboot: everything that ran has ended, and the machine boots again with its files. */
  reset(instanceId: string): void {
    const { step, machine } = this.#require(instanceId);
    step?.cancel();
    machine.lose('off', { reason: 'reset' });
    this.powerOn(machine.instance);
  }

  /** The hardware dies at once: EC2 terminates the instance, hooks or not. */
  kill(instanceId: string, reason = 'Server.InternalError: host failure'): void {
    this.#require(instanceId).machine.lose('crashed', { reason });
    this.#aws.ec2.terminate(instanceId, reason);
  }

  // ---- Metadata ----------------------------------------------------------------------------------------------------

  /** The metadata of an instance on loopback, for a real process in place of one on the machine. */
  serveMetadata(instanceId: string, port?: number): Promise<Served> {
    const { metadata } = this.#require(instanceId);
    return serve((request) => metadata.handle(request, { container: false }), port === undefined ? {} : { port });
  }

  /** Credentials of the instance's role as the metadata service gives them, undefined without a role. */
  credentialsOf(instanceId: string) {
    return this.#require(instanceId).credentials.current();
  }

  /** When a spot instance will be taken away, as its metadata says; undefined before the notice. */
  spotNoticeOf(instanceId: string): number | undefined {
    return this.#require(instanceId).spotNoticeAt;
  }

  /** Whether EC2 recommends to replace the instance, as its metadata says. */
  isAtRisk(instanceId: string): boolean {
    return this.#require(instanceId).machine.instance.rebalanceRecommendedAt !== undefined;
  }

  async #metadata(request: HttpRequest, { name, process }: Origin) {
    const plugged = this.#plugged.get(name);
    if (plugged === undefined || !(process instanceof MachineProcess)) return never;
    if (plugged.machine.metadataDeniedFor(process.user)) return never;
    return plugged.metadata.handle(request, process);
  }

  // ---- Inside ------------------------------------------------------------------------------------------------------

  #require(instanceId: string): Plugged {
    const plugged = this.#plugged.get(instanceId);
    if (plugged === undefined) throw new Error(`no machine ${instanceId}: it never had power, or is long gone`);
    return plugged;
  }

  #plug(instance: Instance): Plugged {
    const known = this.#plugged.get(instance.id);
    if (known !== undefined) return known;
    const machine = new Machine(instance, this.#engine, this.#network, {
      ...(this.#watch === undefined ? {} : { watch: this.#watch }),
      poweredOff: () => this.#aws.ec2.poweredOff(instance.id),
      seed: this.seedOf(instance),
    });
    for (const [path, text] of this.#aws.ec2.diskOfImage(instance.imageId)) machine.files.set(path, text);
    const credentials = new InstanceCredentials(instance, this.#aws.iam, this.#engine.clock);
    const plugged: Plugged = {
      machine,
      credentials,
      metadata: new MetadataService(
        {
          instance,
          aws: this.#aws,
          clock: this.#engine.clock,
          credentials,
          get spotNoticeAt() {
            return plugged.spotNoticeAt;
          },
        },
        machine.random.fork('metadata'),
      ),
      spotNoticeAt: undefined,
      step: undefined,
      goneAt: undefined,
    };
    this.#plugged.set(instance.id, plugged);
    return plugged;
  }

  #next(plugged: Plugged, delayMs: number, act: () => void): void {
    plugged.step?.cancel();
    plugged.step = this.#engine.clock.after(delayMs, () => {
      plugged.step = undefined;
      act();
    });
  }

  #booted(plugged: Plugged): void {
    const { machine, credentials } = plugged;
    const { instance } = machine;
    const point = { service: 'machine', operation: 'boot', subject: instance.id };
    if (this.#engine.faults.strike(point, ['boot-failure']) !== undefined)
      return void this.crash(instance.id, 'boot failure');
    machine.up(this.#boots.filter(({ match }) => match(instance)).map(({ program }) => program));
    const startAgent = () => {
      const agent = new MachineAgent(machine, this.#engine, this.#aws, credentials);
      machine.agent = agent;
      agent.startAfter(drawDelay(machine.random, this.timing.agentMs));
    };
    machine.bootAgent(startAgent, this.#aws.ec2.bringsRemoteAgent(instance.imageId));
    this.#watchFaults();
  }

  /** One timer for all machines, as long as one runs. */
  #watchFaults(): void {
    this.#faultTimer ??= every(this.#engine.clock, faultPeriodMs, () => {
      const up = [...this.#plugged.values()].filter(({ machine }) => machine.state === 'up');
      for (const plugged of up) this.#askFaults(plugged);
      if (up.length > 0) return;
      this.#faultTimer?.cancel();
      this.#faultTimer = undefined;
    });
  }

  #askFaults({ machine }: Plugged): void {
    const subject = machine.instance.id;
    const crash = this.#engine.faults.strike({ service: 'machine', operation: 'run', subject }, ['crash']);
    if (crash !== undefined) return void this.crash(subject, 'injected fault');
    machine.agent?.askFaults();
  }

  /** Machines that are gone stay readable for a while. */
  #forgetGone(): void {
    const before = this.#engine.clock.now() - this.timing.keepGoneMs;
    for (const [id, { goneAt }] of this.#plugged) if (goneAt !== undefined && goneAt < before) this.#plugged.delete(id);
  }
}
