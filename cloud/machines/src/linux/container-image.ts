import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { HttpHandler } from '@drover/cloud-engine';
import { macAddress } from '../metadata/metadata-paths.ts';
import type { BootProgram } from '../program.ts';
import { Container } from './container.ts';
import type { LinuxCloud } from './linux-cloud.ts';
import type { Ingress } from './packet-rules.ts';

export interface ContainerImageOptions {
  /** Root filesystems that machines see through one another, the uppermost first. */
  readonly layers: readonly string[];
  /** Folders above those layers, for machines that start from an image of their own. @default none */
  readonly image?: () => readonly string[];
  /** Size of a machine's disk, kept in memory. @default the disk of this computer */
  readonly diskBytes?: number;
  /** `drive`: a file system of its own, which loses what was not synced when its power goes. @default memory, if it has a size */
  readonly disk?: 'memory' | 'drive';
  /** How much memory a machine takes itself to have. @default that of this computer */
  readonly memoryBytes?: number;
  /** The connections that the security groups of an instance allow. @default all */
  readonly ingressOf?: (instanceId: string) => readonly Ingress[];
  /** Intercepts each request of a machine. @default it goes to the world */
  readonly intercept?: (instanceId: string, http: HttpHandler) => HttpHandler;
}

/** An image of the cloud's machines: the machine is a container with its own systemd, as long as this program runs. */
export function containerImage(
  cloud: LinuxCloud,
  {
    layers,
    image = () => [],
    diskBytes,
    disk,
    memoryBytes,
    ingressOf,
    intercept = (_, http) => http,
  }: ContainerImageOptions,
): BootProgram {
  let trust: Promise<string> | undefined;
  return async (context) => {
    const { machine, signal } = context;
    const { id, privateIp: address, subnetId } = machine.instance;
    trust ??= trustLayer(cloud, layers);
    const container = new Container({
      id,
      address,
      macAddress: macAddress(address),
      hostName: machine.hostName,
      layers: [await trust, ...image(), ...layers],
      folder: join(cloud.folder, id),
      controlGroup: cloud.controlGroupOf(id),
      diskBytes,
      disk,
      memoryBytes,
      clock: cloud.clock,
    });
    await container.prepare();
    const { hopLimit } = machine.instance.metadataOptions;
    const filter = () => ({ hopLimit, ingress: ingressOf?.(id) });
    if (signal.aborted || !cloud.join({ container, http: intercept(id, context.http), subnetId, filter })) {
      await container.dispose();
      return 137;
    }
    await cloud.filterPackets();
    machine.replaceShell((script, cancelled) => container.execute(script, { signal: cancelled }));
    context.onSignal('SIGTERM', () => container.shutDown());
    context.onHibernation({ freeze: () => container.freeze(true), thaw: () => container.freeze(false) });
    signal.addEventListener('abort', () => container.cutPower(), { once: true });
    const exitCode = await container.run(() => context.log(`boot ${container.bootCount}`));
    cloud.leave(container);
    await container.dispose();
    return exitCode;
  };
}

/** One for all machines of a run, above the image, which outlives the run. */
async function trustLayer({ folder, authority }: LinuxCloud, layers: readonly string[]): Promise<string> {
  const layer = join(folder, 'trust');
  mkdirSync(layer, { recursive: true });
  await authority.trustLayer(layer, layers.at(-1)!);
  return layer;
}
