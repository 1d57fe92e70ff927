import { createHash } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HttpHandler } from '@drover/cloud-engine';
import type { Job } from '@drover/cloud-github';
import { standInTarball } from '@drover/cloud-github/stand-in';
import type { CommandResult } from '@drover/cloud-machines';
import { type Container, type LinuxCloud, type RootFilesystem, rootFilesystem } from '@drover/cloud-machines/linux';
import type { World } from '@drover/cloud-world';
import { DeployedFleet } from '@drover/stage/fleet';
import { type FleetProps, synthesiseFleet } from '@drover/stage/fleet-template';
import { FleetStage, stageInputs } from '@drover/stage/testing';
import { runnerFilesystem } from './image.ts';
import { LinuxWorld, say } from './linux-world.ts';

const second = 1_000;
const runnerVersion = '2.330.0';

export interface LinuxFleetOptions {
  /** @default what a runner needs */
  readonly filesystem?: RootFilesystem;
  /** @default the disk of this computer */
  readonly diskBytes?: number;
  /** Intercepts each request of a machine. */
  readonly intercept?: (instanceId: string, http: HttpHandler) => HttpHandler;
  /** Folders above the filesystem, for machines that start from an image of their own. @default none */
  readonly image?: () => readonly string[];
  /** The story goes on before the stack is complete, which it never is when no instance comes into service. */
  readonly unfinished?: boolean;
  /** Called before the template is deployed. */
  readonly before?: (fleet: LinuxFleet) => unknown;
}

/**
 * A fleet whose instances are real Linux machines: containers that boot, configure themselves and run the agent as packaged. The template,
 * its functions as packaged and the embedded cloud are those of every other stage; the runner software is the stand-in.
 */
export class LinuxFleet extends FleetStage {
  readonly cloud: LinuxCloud;
  readonly #linux: LinuxWorld;
  readonly #inputs: FleetProps;

  private constructor(fleet: DeployedFleet, linux: LinuxWorld, inputs: FleetProps) {
    super(fleet, { allowedDrainTimeMs: 900 * second, minSize: 1, maxSize: 2 });
    this.#linux = linux;
    this.#inputs = inputs;
    this.cloud = linux.cloud;
  }

  /** Deploys, and waits until the stack is complete. */
  static async deploy(inputs: FleetProps = {}, options: LinuxFleetOptions = {}): Promise<LinuxFleet> {
    const folder = mkdtempSync(join(process.env.DROVER_MACHINES_FOLDER ?? tmpdir(), 'fleet-'));
    const layers = [await rootFilesystem(options.filesystem ?? runnerFilesystem, say)];
    const archive = standInTarball({ version: runnerVersion }).bytes;
    const runnerChecksum = createHash('sha256').update(archive).digest('hex');
    const full = { runnerChecksum, runnerVersion, ...stageInputs({ asgMaxSize: 2, ...inputs }) };
    const assembly = synthesiseFleet(mkdtempSync(join(folder, 'assembly-')), full);
    const linux = await LinuxWorld.open(folder, { layers, ...options });
    const { world, image } = linux;
    const parts = { functions: 'bundle', transport: 'sdk', assetCommands: true } as const;
    const fleet = new LinuxFleet(
      new DeployedFleet({ world, assembly, groupName: full.groupName, image, ...parts }),
      linux,
      full,
    );
    serveRelease(world, archive);
    await options.before?.(fleet);
    linux.start();
    const deployment = fleet.fleet.deploy();
    if (options.unfinished) deployment.catch(() => {});
    else await deployment;
    return fleet;
  }

  /** Deploys the stack with some of its inputs changed. */
  async change(inputs: FleetProps): Promise<void> {
    const assembly = mkdtempSync(join(process.env.DROVER_MACHINES_FOLDER ?? tmpdir(), 'assembly-'));
    await this.fleet.update(synthesiseFleet(assembly, { ...this.#inputs, ...inputs }));
  }

  /** The ids of the machines that run, oldest first. */
  get running(): readonly string[] {
    return this.#linux.running;
  }

  machine(instanceId: string): Container {
    return this.cloud.container(instanceId);
  }

  run(instanceId: string, script: string): Promise<string> {
    return this.#linux.run(instanceId, script);
  }

  try(instanceId: string, script: string, user?: string): Promise<CommandResult> {
    return this.#linux.try(instanceId, script, user);
  }

  untilRuns(what: string, instanceId: string, script: string, seconds: number): Promise<void> {
    return this.#linux.untilRuns(what, instanceId, script, seconds);
  }

  untilSeconds(what: string, reached: () => boolean, seconds: number): Promise<void> {
    return this.#linux.untilSeconds(what, reached, seconds);
  }

  /** The first instance that is in service with its runner online. */
  async oneOnline(seconds = 240): Promise<string> {
    await this.untilSeconds('a runner is online', () => this.online.length > 0, seconds);
    return this.online[0]!;
  }

  /** A job that runs for `seconds`, or executes a script. */
  job(seconds: number, script?: string): Job {
    const { queue } = this.fleet.codeHost.registry;
    return queue.enqueue({ durationMs: seconds * second, ...(script === undefined ? {} : { script }) });
  }

  async untilJob(job: Job, state: Job['state'], seconds: number): Promise<void> {
    await this.untilSeconds(`job ${job.id} is ${state}`, () => job.state === state, seconds);
  }

  async end(): Promise<void> {
    await this.#linux.end();
  }
}

/** GitHub's release page, which redirects; here the archive comes at once. */
function serveRelease({ network }: World, archive: Uint8Array): void {
  const path = `/actions/runner/releases/download/v${runnerVersion}/actions-runner-linux-x64-${runnerVersion}.tar.gz`;
  const found = { status: 200, headers: { 'content-type': 'application/octet-stream' }, body: archive };
  const missing = { status: 404, headers: { 'content-type': 'text/plain' }, body: 'Not Found' };
  network.register('github.com', async (request) => (request.path === path ? found : missing));
}
