import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Network } from '@drover/cloud-engine';
import {
  Container,
  type Filtered,
  LinuxCloud,
  type RootFilesystem,
  rootFilesystem,
} from '@drover/cloud-machines/linux';
import { RealClock } from '@drover/core';
import { build } from 'esbuild';
import { runnerFilesystem } from './image.ts';

export interface ContractOutcome {
  readonly title: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
}

/** A machine without a world: it boots and is not configured. */
export class UnconfiguredMachine {
  readonly container: Container;
  readonly ended: Promise<number>;
  readonly #cloud: LinuxCloud;

  private constructor(cloud: LinuxCloud, container: Container) {
    this.#cloud = cloud;
    this.container = container;
    this.ended = container.run(() => {});
  }

  static async boot(diskBytes?: number, filesystem = runnerFilesystem, disk?: 'drive'): Promise<UnconfiguredMachine> {
    const folder = mkdtempSync(join(process.env.DROVER_MACHINES_FOLDER ?? tmpdir(), 'unconfigured-'));
    const cloud = await LinuxCloud.open(new Network(), folder);
    return await UnconfiguredMachine.#bootIn(cloud, { number: 10, filesystem, diskBytes, disk });
  }

  /** Another machine on its network. */
  async neighbour(): Promise<UnconfiguredMachine> {
    return await UnconfiguredMachine.#bootIn(this.#cloud, { number: 11, filesystem: runnerFilesystem });
  }

  /** It becomes one whose packets are filtered, with a metadata service that says only `token`; the reason where that is not possible here. */
  async filter(parts: Omit<Filtered, 'address'>): Promise<string> {
    const http = async () => ({ status: 200, headers: {}, body: 'token' });
    this.#cloud.join({ container: this.container, http, subnetId: '', filter: () => parts });
    await this.#cloud.filterPackets();
    return this.#cloud.whyUnfiltered;
  }

  static async #bootIn(
    cloud: LinuxCloud,
    parts: {
      readonly number: number;
      readonly filesystem: RootFilesystem;
      readonly diskBytes?: number | undefined;
      readonly disk?: 'drive' | undefined;
    },
  ): Promise<UnconfiguredMachine> {
    const { number, filesystem, diskBytes, disk } = parts;
    const id = `i-0123456789abcde${number}`;
    const container = new Container({
      id,
      address: `10.0.0.${number}`,
      macAddress: `02:00:0a:00:00:${number}`,
      hostName: `ip-10-0-0-${number}`,
      layers: [await rootFilesystem(filesystem, console.log)],
      folder: join(cloud.folder, id),
      controlGroup: cloud.controlGroupOf(id),
      diskBytes,
      disk,
      clock: new RealClock(),
    });
    await container.prepare();
    // There is no metadata service to ask.
    mkdirSync(join(container.root, 'etc/cloud'), { recursive: true });
    writeFileSync(join(container.root, 'etc/cloud/cloud-init.disabled'), '');
    const machine = new UnconfiguredMachine(cloud, container);
    await machine.until(
      'it is up',
      'systemctl is-system-running --wait | grep --quiet --extended-regexp "running|degraded"',
    );
    return machine;
  }

  /** Runs the host contract on it, and returns what became of each case. `--minutes`: also of those that take that long. */
  async runHostContract(...options: readonly '--minutes'[]): Promise<readonly ContractOutcome[]> {
    const { root } = this.container;
    const fetchNode = ['packages/constructs/src/boot/fetch-node.mjs', 'x86_64'];
    const node = execFileSync(process.execPath, fetchNode, { encoding: 'utf8' }).trim();
    mkdirSync(join(root, 'opt/node'), { recursive: true });
    execFileSync('tar', ['-xz', `--file=${node}`, '--strip-components=1', `--directory=${root}/opt/node`]);
    await build({
      entryPoints: ['apps/runner-agent/test/machines/host-contract.ts'],
      outfile: join(root, 'opt/host-contract.mjs'),
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'error',
    });
    const { stdout, stderr } = await this.container.execute(
      `/opt/node/bin/node /opt/host-contract.mjs ${options.join(' ')}`,
      // As it comes: a story that is not finished in its time names the cases that failed until then.
      { onOutput: (text) => console.log(text.trimEnd()) },
    );
    if (stderr !== '') throw new Error(stderr);
    const lines = stdout.trim().split('\n');
    return lines.map((line) => JSON.parse(line) as ContractOutcome);
  }

  /** Runs a script as root and returns its output. */
  async run(script: string): Promise<string> {
    const { exitCode, stdout, stderr } = await this.container.execute(script);
    if (exitCode !== 0) throw new Error(`exit code ${exitCode} of ${script}\n${stdout}${stderr}`);
    return stdout.trim();
  }

  async until(what: string, script: string, seconds = 60): Promise<void> {
    const { clock } = this.#cloud;
    const end = clock.now() + seconds * 1000;
    while ((await this.container.execute(script)).exitCode !== 0) {
      if (clock.now() > end) throw new Error(`${what}: not within ${seconds} s`);
      await clock.sleep(200);
    }
  }

  /** With the network around it. */
  async end(): Promise<void> {
    await this.leave();
    await this.#cloud.close();
  }

  /** Alone: others stay. */
  async leave(): Promise<void> {
    this.container.cutPower();
    await this.ended;
    this.#cloud.leave(this.container);
    await this.container.dispose();
  }
}
