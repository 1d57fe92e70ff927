import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DescribeAutoScalingInstancesCommand } from '@aws-sdk/client-auto-scaling';
import { serveAws } from '@drover/cloud-aws';
import { type HttpHandler, type Served, serve } from '@drover/cloud-engine';
import { clients, deployCloudAssembly, World } from '@drover/cloud-world';
import { RealClock, VirtualClock } from '@drover/core';
import { App, Stack } from 'aws-cdk-lib';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import { fileIn, readFacts } from '../../src/boot/user-data.test-support.ts';
import { GitHubCredentials, GitHubLevel, Network, RunnerFleet } from '../../src/index.ts';

const hour = 3_600_000;

interface Facts {
  readonly actions_runner: { readonly host_reports: string };
  readonly drover: {
    readonly software: readonly { readonly url: string; readonly prefix: string }[];
    readonly launch: { readonly endpoint: string };
    readonly logs: { readonly group: string; readonly endpoint: string };
  };
}

/** Result of a program that ran on this machine. */
export interface Ended {
  readonly code: number | null;
  readonly said: string;
}

/**
 * A fleet in the embedded cloud, one instance of which has just been launched. Its AWS and its metadata service are served
 * on loopback, so that the boot script of its user data can run here, as a real program with the instance's own role.
 */
export class BootingInstance {
  // The boot script has the time of this machine, and CloudWatch Logs takes nothing from the future.
  readonly clock = new VirtualClock(new RealClock().now());
  readonly world = new World({ clock: this.clock });
  readonly folder = mkdtempSync(join(tmpdir(), 'booting-'));
  readonly home = join(this.folder, 'opt');
  readonly script = join(this.folder, 'boot.py');
  readonly facts = join(this.folder, 'facts/custom.json');
  instanceId = '';
  aws!: Served;
  metadata!: Served;
  #found!: Facts;

  /** Deploys the fleet and waits for its first instance. */
  async launch(): Promise<void> {
    this.world.machines.onBoot(
      () => true,
      async () => 0,
    );
    const deployed = deployCloudAssembly(this.world, synthesise(join(this.folder, 'cdk.out')));
    await this.until(() => this.#members().length > 0, deployed);
    this.aws = await serveAws(this.world);
    await this.plug(this.#members()[0]!);
  }

  /** Makes an instance the one that boots. */
  async plug(instanceId: string): Promise<void> {
    this.instanceId = instanceId;
    await this.until(() => this.world.machines.get(instanceId)?.state === 'up');
    const machine = this.world.machines.get(instanceId)!;
    let http: HttpHandler | undefined;
    machine.spawn('boot.py', (context) => {
      http = context.http;
      return new Promise(() => {});
    });
    await this.metadata?.close();
    this.metadata = await serve((request) => http!({ ...request, host: '169.254.169.254' }));
    this.#unpackUserData(machine.instance.userData);
  }

  /** The facts of the instance, with addresses on this machine; `change` is put over them. */
  writeFacts(change: object): void {
    const { software, logs } = this.#found.drover;
    const drover = {
      ...this.#found.drover,
      home: this.home,
      metadata: this.metadata.url,
      patience: 0,
      marks: join(this.folder, 'run'),
      instance: join(this.folder, 'instance'),
      software: software.map((asset) => ({ ...asset, url: this.#here(asset.url) })),
      launch: this.launchFact,
      logs: { ...logs, endpoint: this.#here(logs.endpoint), files: [join(this.folder, 'cloud-init-output.log')] },
      ...change,
    };
    mkdirSync(join(this.folder, 'facts'), { recursive: true });
    writeFileSync(this.facts, JSON.stringify({ ...this.#found, drover }));
  }

  /** The fact `launch` with an address on this machine. */
  get launchFact() {
    const { launch } = this.#found.drover;
    return { ...launch, endpoint: this.#here(launch.endpoint) };
  }

  /** The place of its reports: the bucket and the beginning of the key. */
  get reports(): string {
    return this.#found.actions_runner.host_reports;
  }

  get software() {
    return this.#found.drover.software.map((asset) => ({ ...asset, url: this.#here(asset.url) }));
  }

  /** Runs a program of this machine while the embedded cloud serves its requests. */
  run(program: string, args: readonly string[]): Promise<Ended> {
    const child: ChildProcess = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    child.stdout?.on('data', (data) => {
      said += data;
    });
    child.stderr?.on('data', (data) => {
      said += data;
    });
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => resolve({ code, said }));
    });
  }

  async lifecycleState(): Promise<string | undefined> {
    const { autoscaling } = clients(this.world);
    const command = new DescribeAutoScalingInstancesCommand({ InstanceIds: [this.instanceId] });
    return (await autoscaling.send(command)).AutoScalingInstances?.[0]?.LifecycleState;
  }

  async until(reached: () => boolean, work: Promise<unknown> = Promise.resolve()): Promise<void> {
    let failure: unknown;
    work.catch((error: unknown) => {
      failure = error;
    });
    if (!(await this.clock.runUntil(() => failure !== undefined || reached(), hour)))
      throw new Error('nothing happened');
    if (failure !== undefined) throw failure;
  }

  async close(): Promise<void> {
    await this.metadata?.close();
    await this.aws?.close();
    rmSync(this.folder, { recursive: true });
  }

  /** Instances that this fleet has now. */
  #members(): string[] {
    return this.world.observe.instances().map(({ id }) => id);
  }

  #here(url: string): string {
    const { pathname } = new URL(url);
    return `${this.aws.url}${pathname}`;
  }

  #unpackUserData(userData: string): void {
    this.#found = readFacts(userData) as Facts;
    writeFileSync(this.script, fileIn(userData, '/opt/drover/boot.py')!);
  }
}

function synthesise(outdir: string): string {
  const app = new App({ outdir });
  const stack = new Stack(app, 'fleet');
  const vpc = new Vpc(stack, 'Network', { maxAzs: 2, natGateways: 1, restrictDefaultSecurityGroup: false });
  new RunnerFleet(stack, 'RunnerFleet', {
    environment: 'test',
    level: GitHubLevel.organization('example-org'),
    credentials: GitHubCredentials.tokenFromArn('arn:aws:secretsmanager:eu-west-1:123456789012:secret:platform-token'),
    network: Network.fromVpc(vpc),
    asgMinSize: 1,
    asgMaxSize: 2,
    warmPoolMaxSize: 0,
    // Spot alone: one of them gets a notice.
    onDemandBaseCapacity: 0,
    runnerVersion: '2.330.0',
    runnerChecksum: 'f'.repeat(64),
  });
  return app.synth().directory;
}
