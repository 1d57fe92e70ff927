import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/**
 * Root reads files that jobs write, so nothing there may hold it up: no FIFO, no device, no link to one, no endless
 * file.
 */
const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW, O_NOCTTY } = constants;
const mostBytes = 16 * 1024 ** 2;
const chunkBytes = 64 * 1024;

/** Opens a regular file; undefined for everything else that has the name. */
export function withRegularFile<T>(path: string, read: (file: number, size: number) => T): T | undefined {
  let file: number;
  try {
    // A FIFO without a writer is open at once, and one that is no file is never read.
    file = openSync(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
  } catch (error) {
    // A link, a socket.
    if (/^(ELOOP|ENXIO)$/.test((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
  try {
    const status = fstatSync(file);
    return status.isFile() ? read(file, status.size) : undefined;
  } finally {
    closeSync(file);
  }
}

/** Its text; undefined when it is no regular file, or one that is too large to be meant for us. */
export const readRegularFile = (path: string): string | undefined => withRegularFile(path, readWhole);

/** Files of /proc have no size. */
function readWhole(file: number): string | undefined {
  const parts: Buffer[] = [];
  for (let bytes = 0; bytes <= mostBytes; ) {
    const part = Buffer.allocUnsafe(chunkBytes);
    const length = readSync(file, part, 0, part.length, null);
    if (length === 0) return Buffer.concat(parts).toString('utf8');
    parts.push(part.subarray(0, length));
    bytes += length;
  }
  return undefined;
}
