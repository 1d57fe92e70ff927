import { createHash } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HttpHandler } from '@drover/cloud-engine';
import type { BootProgram, CommandResult } from '@drover/cloud-machines';
import { type Container, containerImage, LinuxCloud, rootFilesystem } from '@drover/cloud-machines/linux';
import { World } from '@drover/cloud-world';
import { RealClock, ScaledClock } from '@drover/core';
import { DeployedFleet } from '@drover/stage/fleet';
import { type FleetInputs, synthesiseFleet } from '@drover/stage/fleet-template';
import { FleetStage, stageInputs } from '@drover/stage/testing';
import { runnerFilesystem } from './image.ts';
import { joinPipelines, tarball } from './temporary-wire.ts';

const real = new RealClock();
const minute = 60_000;
const runnerVersion = '2.330.0';
const runnerArchive = tarball();

/** How far in the past a world begins: a deployment takes about as long, and then its time is the machines' time. */
const headStartMs = 6 * minute;
const deploySpeed = 20;

export interface LinuxFleetOptions {
  readonly diskBytes?: number;
  readonly intercept?: (instanceId: string, http: HttpHandler) => HttpHandler;
  readonly before?: (fleet: LinuxFleet) => unknown;
}

/** A fleet whose instances are real Linux machines: containers that boot, configure themselves and run the agent as packaged. */
export class LinuxFleet extends FleetStage {
  readonly cloud: LinuxCloud;

  private constructor(fleet: DeployedFleet, cloud: LinuxCloud) {
    super(fleet, { allowedDrainTimeMs: 900_000, minSize: 1, maxSize: 2 });
    this.cloud = cloud;
  }

  static async start(inputs: FleetInputs = {}, options: LinuxFleetOptions = {}): Promise<LinuxFleet> {
    const folder = mkdtempSync(join(process.env.DROVER_MACHINES_FOLDER ?? tmpdir(), 'fleet-'));
    const layers = [await rootFilesystem(runnerFilesystem, say)];
    const runnerChecksum = createHash('sha256').update(runnerArchive).digest('hex');
    const full = { ...stageInputs({ asgMaxSize: 2, idleRunnersTargetCount: 1, ...inputs }), runnerVersion };
    const assembly = synthesiseFleet(mkdtempSync(join(folder, 'assembly-')), { runnerChecksum, ...full });
    const clock = new ScaledClock({ speed: deploySpeed, startAtMs: real.now() - headStartMs });
    clock.pause();
    const world = new World({ clock, seed: 'real machines' });
    world.machines.timing = { ...world.machines.timing, bootMs: [100, 200], agentMs: [3_000, 3_000] };
    const cloud = await LinuxCloud.open(world.network, folder);
    const boot = containerImage(cloud, { layers, ...options });
    const image: BootProgram = async (context) => {
      await atRealTime(clock);
      return await boot(context);
    };
    const { groupName } = full;
    const parts = { functions: 'bundle', transport: 'sdk', assetCommands: true } as const;
    const deployed = new DeployedFleet({ world, assembly, groupName, image, ...parts });
    serveRunnerSoftware(world);
    joinPipelines(world, deployed.codeHost.registry);
    const fleet = new LinuxFleet(deployed, cloud);
    fleet.#narrate();
    await options.before?.(fleet);
    void atRealTime(clock).then(() => clock.setSpeed(1));
    clock.resume();
    return fleet;
  }

  #narrate(): void {
    this.fleet.world.engine.journal.subscribe(({ source, kind, name, subject = '', detail }) => {
      if (kind === 'transition' && ['aws.autoscaling', 'machine'].includes(source)) say(`${source} ${subject} ${name}`);
      else if (source.startsWith('platform.')) say(`${source} ${subject} ${name}`);
      else if (kind === 'request' && (detail as { error?: string } | undefined)?.error !== undefined)
        say(`${name} refused: ${JSON.stringify(detail)}`);
    });
  }

  get instances(): readonly string[] {
    return this.cloud.containers().map(({ spec }) => spec.id);
  }

  machine(instanceId: string): Container {
    return this.cloud.container(instanceId);
  }

  /** As root on the machine. */
  run(instanceId: string, script: string): Promise<CommandResult> {
    return this.machine(instanceId).execute(script);
  }

  async end(): Promise<void> {
    await this.cloud.close();
  }
}

/** A line of the story, with the time: what a person reads when something is wrong. */
export function say(line: string): void {
  console.log(`${new Date(real.now()).toISOString().slice(11, 23)} ${line}`);
}

async function atRealTime(clock: ScaledClock): Promise<void> {
  while (clock.now() < real.now()) await real.sleep(20);
}

/** GitHub's release page, which redirects; here the archive comes at once. */
function serveRunnerSoftware({ network }: World): void {
  const path = `/actions/runner/releases/download/v${runnerVersion}/actions-runner-linux-x64-${runnerVersion}.tar.gz`;
  network.register('github.com', async (request) =>
    request.path === path
      ? { status: 200, headers: { 'content-type': 'application/octet-stream' }, body: runnerArchive }
      : { status: 404, headers: {}, body: '' },
  );
}
