import { createHash } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HttpHandler } from '@drover/cloud-engine';
import type { Job } from '@drover/cloud-github';
import { standInTarball } from '@drover/cloud-github/stand-in';
import type { BootProgram, CommandResult } from '@drover/cloud-machines';
import {
  type Container,
  containerImage,
  LinuxCloud,
  type RootFilesystem,
  rootFilesystem,
} from '@drover/cloud-machines/linux';
import { World } from '@drover/cloud-world';
import { RealClock, ScaledClock } from '@drover/core';
import { DeployedFleet } from '@drover/stage/fleet';
import { type FleetInputs, synthesiseFleet } from '@drover/stage/fleet-template';
import { FleetStage, stageInputs } from '@drover/stage/testing';
import { runnerFilesystem } from './image.ts';

const real = new RealClock();
const second = 1_000;
const minute = 60 * second;
const runnerVersion = '2.330.0';

/** How far in the past a world begins: a deployment takes about as long, and then its time is the machines' time. */
const headStartMs = 6 * minute;
const deploySpeed = 20;
/** Until the world is complete. */
const standstill = 1e-9;

export interface LinuxFleetOptions {
  /** @default what a runner needs */
  readonly filesystem?: RootFilesystem;
  /** @default the disk of this computer */
  readonly diskBytes?: number;
  /** What becomes of each request of a machine. */
  readonly intercept?: (instanceId: string, http: HttpHandler) => HttpHandler;
  /** The story goes on before the stack is complete, which it never is when no instance comes into service. */
  readonly unfinished?: boolean;
  /** What happens before the template is deployed. */
  readonly before?: (fleet: LinuxFleet) => unknown;
}

/**
 * A fleet whose instances are real Linux machines: containers that boot, configure themselves and run the agent as packaged. The template,
 * its functions as packaged and the embedded cloud are those of every other stage; the runner software is the stand-in.
 */
export class LinuxFleet extends FleetStage {
  readonly cloud: LinuxCloud;

  private constructor(fleet: DeployedFleet, cloud: LinuxCloud) {
    super(fleet, { allowedDrainTimeMs: 900 * second, minSize: 1, maxSize: 2 });
    this.cloud = cloud;
  }

  /** Deploys, and waits until the stack is complete. */
  static async deploy(inputs: FleetInputs = {}, options: LinuxFleetOptions = {}): Promise<LinuxFleet> {
    const folder = mkdtempSync(join(process.env.DROVER_MACHINES_FOLDER ?? tmpdir(), 'fleet-'));
    const layers = [await rootFilesystem(options.filesystem ?? runnerFilesystem, say)];
    const archive = standInTarball({ version: runnerVersion }).bytes;
    const runnerChecksum = createHash('sha256').update(archive).digest('hex');
    const full = { runnerChecksum, runnerVersion, ...stageInputs({ asgMaxSize: 2, ...inputs }) };
    const assembly = synthesiseFleet(mkdtempSync(join(folder, 'assembly-')), full);
    const clock = new ScaledClock({ speed: standstill, startAtMs: real.now() - headStartMs });
    const world = new World({ clock, seed: 'real machines' });
    world.machines.timing = { ...world.machines.timing, bootMs: [100, 200], agentMs: [3 * second, 3 * second] };
    const cloud = await LinuxCloud.open(world.network, folder);
    const image = onceAtRealTime(clock, containerImage(cloud, { layers, ...options }));
    const parts = { functions: 'bundle', transport: 'sdk', assetCommands: true } as const;
    const fleet = new LinuxFleet(
      new DeployedFleet({ world, assembly, groupName: full.groupName, image, ...parts }),
      cloud,
    );
    serveRelease(world, archive);
    narrate(world);
    await options.before?.(fleet);
    void atRealTime(clock).then(() => clock.setSpeed(1));
    clock.setSpeed(deploySpeed);
    const deployment = fleet.fleet.deploy();
    if (options.unfinished) deployment.catch(() => {});
    else await deployment;
    return fleet;
  }

  /** The ids of the machines that run, oldest first. */
  get running(): readonly string[] {
    return this.cloud.containers().map(({ spec }) => spec.id);
  }

  machine(instanceId: string): Container {
    return this.cloud.container(instanceId);
  }

  /** As root on the machine; what it printed. An exit code other than 0 is an error. */
  async run(instanceId: string, script: string): Promise<string> {
    const { exitCode, stdout, stderr } = await this.try(instanceId, script);
    if (exitCode !== 0) throw new Error(`exit code ${exitCode} on ${instanceId} of ${script}\n${stdout}${stderr}`);
    return stdout.trim();
  }

  /** As root, or as somebody else, on the machine, whatever its exit code. */
  try(instanceId: string, script: string, user?: string): Promise<CommandResult> {
    return this.machine(instanceId).execute(script, user === undefined ? {} : { user });
  }

  /** Waits until a script on the machine ends with 0. */
  async untilRuns(what: string, instanceId: string, script: string, seconds: number): Promise<void> {
    const end = real.now() + seconds * second;
    while ((await this.try(instanceId, script)).exitCode !== 0) {
      if (real.now() > end) throw new Error(`${what}: not within ${seconds} s`);
      await real.sleep(500);
    }
  }

  /** Waits in real time. */
  async untilSeconds(what: string, reached: () => boolean, seconds: number): Promise<void> {
    const end = real.now() + seconds * second;
    while (!reached()) {
      if (real.now() > end) throw new Error(`${what}: not within ${seconds} s`);
      await real.sleep(200);
    }
  }

  /** The first instance that is in service with its runner online. */
  async oneOnline(seconds = 240): Promise<string> {
    await this.untilSeconds('a runner is online', () => this.online.length > 0, seconds);
    return this.online[0]!;
  }

  /** A job that runs so long, or executes a script. */
  job(seconds: number, script?: string): Job {
    const { queue } = this.fleet.codeHost.registry;
    return queue.enqueue({ durationMs: seconds * second, ...(script === undefined ? {} : { script }) });
  }

  async untilJob(job: Job, state: Job['state'], seconds: number): Promise<void> {
    await this.untilSeconds(`job ${job.id} is ${state}`, () => job.state === state, seconds);
  }

  /** Time stands still first: a group would replace machines that lose their power. */
  async end(): Promise<void> {
    (this.fleet.clock as ScaledClock).setSpeed(standstill);
    await this.cloud.close();
  }
}

/** A line of the story, with the time: what a person reads when something is wrong. */
function say(line: string): void {
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

/** GitHub's release page, which redirects; here the archive comes at once. */
function serveRelease({ network }: World, archive: Uint8Array): void {
  const path = `/actions/runner/releases/download/v${runnerVersion}/actions-runner-linux-x64-${runnerVersion}.tar.gz`;
  const found = { status: 200, headers: { 'content-type': 'application/octet-stream' }, body: archive };
  const missing = { status: 404, headers: { 'content-type': 'text/plain' }, body: 'Not Found' };
  network.register('github.com', async (request) => (request.path === path ? found : missing));
}
