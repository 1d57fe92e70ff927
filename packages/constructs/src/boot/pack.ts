import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { TerminalError } from '@drover/core';

/** A folder of files, and where it lies in an archive. */
export interface PackedFolder {
  readonly from: string;
  readonly to: string;
}

/** POSIX ustar: a header and content in blocks of 512 bytes, two empty blocks at the end (pax(1), "ustar Interchange Format"). */
const blockBytes = 512;
const longestName = 100;

/** An archive of folders. The same files give the same bytes on every machine: no times, no owners, names in order. */
export function packFolders(folders: readonly PackedFolder[]): Buffer {
  const files = folders.flatMap(({ from, to }) => filesIn(from, to));
  const names = files.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new TerminalError(`${twice} would be in the archive twice`);
  return Buffer.concat([...files.flatMap(entry), Buffer.alloc(2 * blockBytes)]);
}

export const sha256 = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

interface PackedFile {
  readonly path: string;
  readonly name: string;
}

function filesIn(folder: string, prefix: string): PackedFile[] {
  const names = readdirSync(folder).sort();
  return names.flatMap((name) => {
    const path = join(folder, name);
    const inArchive = `${prefix}/${name}`;
    return statSync(path).isDirectory() ? filesIn(path, inArchive) : [{ path, name: inArchive }];
  });
}

function entry({ path, name }: PackedFile): Buffer[] {
  const content = readFileSync(path);
  const executable = (statSync(path).mode & 0o100) !== 0;
  const padding = Buffer.alloc((blockBytes - (content.length % blockBytes)) % blockBytes);
  return [tarHeader(name, content.length, executable ? 0o755 : 0o644), content, padding];
}

interface HeaderOptions {
  /** A file, a symbolic link or a folder. @default a file */
  readonly type?: '0' | '2' | '5';
  readonly link?: string;
  /** Name of user and group. @default none, whose ids are 0 */
  readonly owner?: string;
  /** Seconds since 1970. @default 0: no time */
  readonly modified?: number;
}

/** POSIX ustar (pax(1), "ustar Interchange Format"), of id 0. */
export function tarHeader(name: string, size: number, mode: number, options: HeaderOptions = {}): Buffer {
  const { type = '0', link = '', owner = '', modified = 0 } = options;
  if (Buffer.byteLength(name) > longestName)
    throw new TerminalError(`${name} is too long for an archive`, { remedy: `at most ${longestName} bytes` });
  const block = Buffer.alloc(blockBytes);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
  block.write(name, 0);
  block.write(octal(mode, 7), 100);
  block.write(octal(0, 7), 108);
  block.write(octal(0, 7), 116);
  block.write(octal(size, 11), 124);
  block.write(octal(modified, 11), 136);
  block.write('        ', 148);
  block.write(type, 156);
  block.write(link, 157);
  block.write('ustar\x0000', 257);
  block.write(owner, 265);
  block.write(owner, 297);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}
