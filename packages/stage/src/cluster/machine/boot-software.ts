import { createHash } from 'node:crypto';
import type { MachineView } from '@drover/cloud-machines';
import { notMade, type World } from '@drover/cloud-world';
import { BootFailure, roleOf } from './machine-host.ts';

/** An archive of the stack, as the facts name it. */
export interface SoftwareAsset {
  readonly url: string;
  readonly sha256: string;
  readonly prefix: string;
  readonly into: string;
}

const home = '/opt/drover';
const known = new WeakMap<Uint8Array, { readonly sha256: string; readonly names: readonly string[] }>();

/** Installs an archive as boot.py does: fetches it with the instance's role, checks its SHA-256 and unpacks it. */
export async function installSoftware(
  world: World,
  machine: MachineView,
  asset: SoftwareAsset,
  into = home,
): Promise<void> {
  const body = await fetchObject(world, machine, asset.url);
  // The Node runtime is fetched when assets are published, which does not happen for the embedded cloud: it is assumed to be there.
  if (Buffer.from(body).equals(notMade)) return;
  const { sha256, names } = contentOf(body);
  if (sha256 !== asset.sha256)
    throw new BootFailure(`${asset.url}: its SHA-256 is ${sha256}, expected is ${asset.sha256}`);
  for (const name of names)
    if (name.startsWith(asset.prefix))
      machine.files.set(
        [into, asset.into, name.slice(asset.prefix.length)].filter((part) => part !== '').join('/'),
        '',
      );
}

/** An object by its address, with the rights of the instance's role. */
export async function fetchObject(world: World, machine: MachineView, url: string): Promise<Uint8Array> {
  const [, bucket = '', ...path] = new URL(url).pathname.split('/');
  try {
    const input = { Bucket: bucket, Key: path.join('/') };
    const { Body } = (await world.aws.call('s3', 'GetObject', input, roleOf(world, machine))) as { Body: Uint8Array };
    return Body;
  } catch (error) {
    throw new BootFailure(`${url}: ${(error as Error).message}`);
  }
}

/** Checksum and file names, read once for all machines that fetch the same archive. */
function contentOf(body: Uint8Array) {
  const found = known.get(body) ?? { sha256: createHash('sha256').update(body).digest('hex'), names: namesIn(body) };
  known.set(body, found);
  return found;
}

/** Names of the files in a ustar archive: a header of 512 bytes with name and octal size, then the content in blocks. */
function namesIn(archive: Uint8Array): readonly string[] {
  const text = (from: number, length: number) =>
    Buffer.from(archive.subarray(from, from + length))
      .toString('latin1')
      .split('\0')[0]!;
  const names: string[] = [];
  for (let at = 0; at + 512 <= archive.length && text(at, 100) !== ''; ) {
    names.push(text(at, 100));
    at += 512 + Math.ceil(Number.parseInt(text(at + 124, 12), 8) / 512) * 512;
  }
  return names;
}
