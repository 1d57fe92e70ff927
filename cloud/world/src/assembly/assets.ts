import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import type { S3Neighbour } from '@drover/cloud-aws';
import { TerminalError } from '@drover/core';
import { type Zippable, zipSync } from 'fflate';

interface FileAsset {
  readonly source: {
    readonly path?: string;
    readonly packaging?: 'file' | 'zip';
    readonly executable?: readonly string[];
  };
  readonly destinations: Readonly<Record<string, { readonly bucketName: string; readonly objectKey: string }>>;
}

interface AssetManifest {
  readonly files?: Readonly<Record<string, FileAsset>>;
  readonly dockerImages?: Readonly<Record<string, unknown>>;
}

/** Replaces `${AWS::AccountId}` and its like in names. */
export type Placeholders = (text: string) => string;

/** Uploads the files of an asset manifest; the bucket is made on demand, as a bootstrap would have. */
export function publishAssets(manifestFile: string, s3: S3Neighbour, fill: Placeholders, assetCommands: boolean): void {
  const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as AssetManifest;
  const images = Object.keys(manifest.dockerImages ?? {});
  if (images.length > 0)
    throw new TerminalError(
      `${manifestFile} has container images (${images.join(', ')}), which the embedded cloud does not publish`,
    );
  for (const [id, asset] of Object.entries(manifest.files ?? {})) {
    for (const destination of Object.values(asset.destinations)) {
      const bucket = fill(destination.bucketName);
      const key = fill(destination.objectKey);
      s3.createBucket(bucket);
      // Keys carry a hash of the content, so what is there need not be written again.
      if (isMissing(s3.getObject(bucket, key), assetCommands))
        s3.putObject(bucket, key, contentOf(manifestFile, id, asset, assetCommands));
    }
  }
}

/** Commands that may run now did not when a stand-in was published. */
const isMissing = (found: Uint8Array | undefined, assetCommands: boolean) =>
  found === undefined || (assetCommands && Buffer.from(found).equals(notMade));

/** Stands for an asset that a command would make: it is there, as it would be in an account, without its content. */
export const notMade = new TextEncoder().encode('made by a command, which did not run');

/** An asset that a command makes is a stand-in unless commands may run. */
function contentOf(manifestFile: string, id: string, asset: FileAsset, assetCommands: boolean): Uint8Array {
  const { path, packaging, executable } = asset.source;
  if (executable !== undefined) return assetCommands ? madeBy(executable, dirname(manifestFile)) : notMade;
  if (path === undefined) throw new TerminalError(`asset ${id} of ${manifestFile} has neither a path nor a command`);
  const source = join(dirname(manifestFile), path);
  return packaging === 'zip' ? zip(source, asIs) : readFileSync(source);
}

/** The command prints the path of what it has made: cdk-assets, `AssetManifestBuilder`, runs it in the folder of the assembly. */
const madeBy = ([file = '', ...args]: readonly string[], cwd: string): Uint8Array =>
  readFileSync(execFileSync(file, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim());

/** The earliest time that a zip can hold: the same directory always gives the same bytes. */
const noTime = new Date(1980, 0, 1);

/**
 * Zipped packages, by the digest of names, modes and content: many worlds of a process are given the same functions.
 */
const zipped = new Map<string, Uint8Array>();

/** Maps the mode of a file to its mode in a zip. */
type FileMode = (mode: number) => number;
/** As cdk-assets packs them (`zipDirectory` in its archive.ts), so that a file that is not world-readable stays so. */
const asIs: FileMode = (mode) => mode & 0o777;
/** Independent of the writer's umask. */
const settled: FileMode = (mode) => (mode & 0o111 ? 0o755 : 0o644);

/** A zip of a directory, files in the order of their names, the same bytes on every machine. */
export const zipDirectory = (directory: string): Uint8Array => zip(directory, settled);

function zip(directory: string, modeOf: FileMode): Uint8Array {
  const entries: Zippable = {};
  const digest = createHash('sha256');
  for (const file of filesIn(directory)) {
    const mode = modeOf(statSync(file).mode);
    const name = relative(directory, file).split(sep).join('/');
    const content = readFileSync(file);
    entries[name] = [content, { mtime: noTime, os: 3, attrs: mode << 16 }];
    digest.update(JSON.stringify([name, mode, content.length])).update(content);
  }
  const key = digest.digest('hex');
  const made = zipped.get(key) ?? zipSync(entries, { level: 6, mtime: noTime });
  zipped.set(key, made);
  return made;
}

function filesIn(directory: string): string[] {
  const entries = readdirSync(directory, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(directory, entry.name);
    return statSync(path).isDirectory() ? filesIn(path) : [path];
  });
}
