import type { BootProgram, CommandResult } from '@drover/cloud-machines';
import { type ContainerImageOptions, containerImage, LinuxCloud } from '@drover/cloud-machines/linux';
import { World } from '@drover/cloud-world';
import { RealClock, ScaledClock } from '@drover/core';

const real = new RealClock();
/** How much longer everything may take: on a computer that does other work. */
const slower = Number(process.env.DROVER_SLOWER ?? 1);
const second = 1_000;
const minute = 60 * second;

/** How far in the past a world begins: a deployment takes about as long, and then its time is the machines' time. */
const headStartMs = 6 * minute;
const deploySpeed = 20;
/** Until the world is complete. */
const standstill = 1e-9;

interface LinuxWorldOptions extends ContainerImageOptions {
  /** Machines reach one another only where their security groups let them. @default true */
  readonly securityGroups?: boolean;
}

/** A world of the embedded cloud whose instances are real Linux machines, in real time from their first boot on. */
export class LinuxWorld {
  readonly world: World;
  readonly cloud: LinuxCloud;
  /** The boot program of its instances. */
  readonly image: BootProgram;
  readonly #clock: ScaledClock;

  private constructor(world: World, clock: ScaledClock, cloud: LinuxCloud, options: LinuxWorldOptions) {
    this.world = world;
    this.cloud = cloud;
    this.#clock = clock;
    const ingressOf = (instanceId: string) => world.observe.ingressOf(instanceId);
    const filtered = options.securityGroups === false ? {} : { ingressOf };
    this.image = onceAtRealTime(clock, containerImage(cloud, { ...filtered, ...options }));
  }

  static async open(folder: string, options: LinuxWorldOptions): Promise<LinuxWorld> {
    const clock = new ScaledClock({ speed: standstill, startAtMs: real.now() - headStartMs });
    const world = new World({ clock, seed: 'real machines' });
    world.machines.timing = { ...world.machines.timing, bootMs: [100, 200], agentMs: [3 * second, 3 * second] };
    narrate(world);
    return new LinuxWorld(world, clock, await LinuxCloud.open(world.network, folder), options);
  }

  /** Time begins to pass: fast, until it has caught up with real time. */
  start(): void {
    void atRealTime(this.#clock).then(() => this.#clock.setSpeed(1));
    this.#clock.setSpeed(deploySpeed);
  }

  /** The ids of the machines that run, oldest first. */
  get running(): readonly string[] {
    return this.cloud.containers().map(({ spec }) => spec.id);
  }

  /** As root on the machine; what it printed. An exit code other than 0 is an error. */
  async run(instanceId: string, script: string): Promise<string> {
    const { exitCode, stdout, stderr } = await this.try(instanceId, script);
    if (exitCode !== 0) throw new Error(`exit code ${exitCode} on ${instanceId} of ${script}\n${stdout}${stderr}`);
    return stdout.trim();
  }

  /** As root, or as another user, on the machine, whatever its exit code. */
  try(instanceId: string, script: string, user?: string): Promise<CommandResult> {
    return this.cloud.container(instanceId).execute(script, user === undefined ? {} : { user });
  }

  /** Waits until a script on the machine ends with 0. */
  async untilRuns(what: string, instanceId: string, script: string, seconds: number): Promise<void> {
    const end = real.now() + seconds * slower * second;
    while ((await this.try(instanceId, script)).exitCode !== 0) {
      if (real.now() > end) throw new Error(`${what}: not within ${seconds * slower} s`);
      await real.sleep(500);
    }
  }

  /** Waits in real time. */
  async untilSeconds(what: string, reached: () => boolean, seconds: number): Promise<void> {
    const end = real.now() + seconds * slower * second;
    while (!reached()) {
      if (real.now() > end) throw new Error(`${what}: not within ${seconds * slower} s`);
      await real.sleep(200);
    }
  }

  /** The result of `work`, unless that takes longer. */
  async within<T>(what: string, work: Promise<T>, seconds: number): Promise<T> {
    const over = new AbortController();
    const late = real.sleep(seconds * slower * second, over.signal).then(() => {
      throw new Error(`${what}: not within ${seconds * slower} s`);
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      over.abort();
    }
  }

  /** Time stands still first: a group would replace machines that lose their power. */
  async end(): Promise<void> {
    this.#clock.setSpeed(standstill);
    await this.cloud.close();
  }
}

/** A line of the story, with the time: what a person reads when something is wrong. */
export function say(line: string): void {
  console.log(`${new Date(real.now()).toISOString().slice(11, 23)} ${line}`);
}

/** Transitions, what GitHub sees, and refusals that are not everyday. */
function narrate({ engine }: World): void {
  engine.journal.subscribe(({ source, kind, name, subject = '', detail }) => {
    const { error } = (detail ?? {}) as { readonly error?: string };
    if (kind === 'transition' && /^(aws\.autoscaling|machine)$/.test(source)) say(`${source} ${subject} ${name}`);
    else if (source.startsWith('platform.')) say(`${source} ${subject} ${name}`);
    else if (kind === 'request' && error === 'AccessDenied') say(`${name}: ${error}`);
  });
}

async function atRealTime(clock: ScaledClock): Promise<void> {
  while (clock.now() < real.now()) await real.sleep(20);
}

/** Machines live in real time: signatures and credentials of a world in the past would not be accepted. */
const onceAtRealTime =
  (clock: ScaledClock, program: BootProgram): BootProgram =>
  async (context) => {
    await atRealTime(clock);
    return await program(context);
  };
