import { createHash } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HttpHandler } from '@drover/cloud-engine';
import { CodeHost, type Job } from '@drover/cloud-github';
import type { CommandResult } from '@drover/cloud-machines';
import { type Container, type LinuxCloud, type RootFilesystem, rootFilesystem } from '@drover/cloud-machines/linux';
import { DeployedFleet } from '@drover/stage/fleet';
import { type FleetProps, synthesiseFleet } from '@drover/stage/fleet-template';
import { FleetStage, stageInputs } from '@drover/stage/testing';
import { serveArchives } from './archives.ts';
import { runnerFilesystem } from './image.ts';
import { LinuxWorld, say } from './linux-world.ts';
import { type RunnerSoftware, runnerRelease } from './runner-release.ts';

const second = 1_000;
/** The output of a job's steps, on the machine, in a folder that every user may write. */
const outputFile = (job: string | number) => `/var/tmp/output-of-${job}`;

/** Prints a machine's account of itself: its boot, its runner, its agent, and the end of the log of GitHub's runner. */
const account = `systemctl --failed --no-legend --plain; tail --lines=15 /var/log/cloud-init-output.log
  journalctl --no-pager --unit=actions-runner --unit=runner-agent --lines=60 --output=short-iso
  log=$(ls -t /opt/actions-runner/_diag/Runner_* | head --lines=1); grep --invert-match '^   at' "$log" | tail --lines=40`;

export interface LinuxFleetOptions {
  /** @default what a runner needs */
  readonly filesystem?: RootFilesystem;
  /** Machines reach the package archives of their distribution. @default false */
  readonly archives?: boolean;
  /** @default GitHub's own where it can be had, otherwise the stand-in */
  readonly runner?: RunnerSoftware;
  /** @default the disk of this computer */
  readonly diskBytes?: number;
  /** `drive`: what a machine had not synced is gone when its power goes. @default memory, if it has a size */
  readonly disk?: 'drive';
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
 * its functions as packaged and the embedded cloud are those of every other stage; the runner software is GitHub's own where it can be had.
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
    const { version, bytes, name } = runnerRelease(options.runner);
    say(`the runner software is ${name}`);
    const pinned = { runnerVersion: version, runnerChecksum: createHash('sha256').update(bytes).digest('hex') };
    const full = { ...(inputs.runnerVersion === 'latest' ? {} : pinned), ...stageInputs({ asgMaxSize: 2, ...inputs }) };
    const assembly = synthesiseFleet(mkdtempSync(join(folder, 'assembly-')), full);
    const linux = await LinuxWorld.open(folder, { layers, ...options });
    const { world, image } = linux;
    const parts = { functions: 'bundle', transport: 'sdk', assetCommands: true } as const;
    const codeHost = new CodeHost(world.engine, { org: 'example-org', runnerArchive: () => bytes });
    codeHost.join(world.network);
    if (options.archives) serveArchives(world);
    const { groupName } = full;
    const deployed = new DeployedFleet({ world, assembly, groupName, image, codeHost, ...parts });
    const fleet = new LinuxFleet(deployed, linux, full);
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
    return this.#explained(this.#linux.untilRuns(what, instanceId, script, seconds));
  }

  untilSeconds(what: string, reached: () => boolean, seconds: number): Promise<void> {
    return this.#explained(this.#linux.untilSeconds(what, reached, seconds));
  }

  /** Prints the journals of the machines when the wait fails, before they are gone. */
  async #explained(waiting: Promise<void>): Promise<void> {
    try {
      await waiting;
    } catch (error) {
      for (const id of this.running) say(`${id} ${this.stateOf(id)}\n${(await this.try(id, account)).stdout}`);
      throw error;
    }
  }

  /** How often each job has begun to run from now on. */
  countBegun(): ReadonlyMap<string, number> {
    const begun = new Map<string, number>();
    this.fleet.world.engine.journal.subscribe(({ source, name, subject = '' }) => {
      if (source !== 'platform.job' || name !== 'running') return;
      begun.set(subject, (begun.get(subject) ?? 0) + 1);
    });
    return begun;
  }

  /** The first instance that is in service with its runner online. */
  async oneOnline(seconds = 240): Promise<string> {
    await this.untilSeconds('a runner is online', () => this.online.length > 0, seconds);
    return this.online[0]!;
  }

  /** A job that runs for `seconds`, and executes a script. `runsOn`: the labels that it asks for. */
  job(seconds: number, script?: string, runsOn?: readonly string[]): Job {
    // Logs of a job do not leave GitHub's own runner, so its steps write them to a file.
    const kept = { script: `exec > ${outputFile('$GITHUB_RUN_ID')} 2>&1\n${script}` };
    // The route of jobs mode: the scale set has the group's name.
    const labels = runsOn ?? (this.#inputs.scalingMode === 'jobs' ? [this.fleet.groupName] : undefined);
    return this.fleet.codeHost.registry.queue.enqueue({
      durationMs: seconds * second,
      ...(script === undefined ? {} : kept),
      ...(labels === undefined ? {} : { runsOn: labels }),
    });
  }

  /** Everything that the script of a job has printed, while its machine runs. */
  async outputOf({ id, runnerName }: Job): Promise<string> {
    return await this.run(runnerName!, `cat ${outputFile(id)}`);
  }

  async untilJob(job: Job, state: Job['state'], seconds: number): Promise<void> {
    await this.untilSeconds(`job ${job.id} is ${state}`, () => job.state === state, seconds);
  }

  async end(): Promise<void> {
    await this.#linux.end();
  }
}
