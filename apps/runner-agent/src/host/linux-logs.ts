import { readSync } from 'node:fs';
import type { AppendedLines } from './kernel.ts';
import { withRegularFile } from './regular-file.ts';

/** Bytes of a file that are read at once. */
const mostBytes = 256 * 1024;
/** With more than this waiting, the oldest part is left out: a log that grows without end must not keep the agent busy. */
const mostBacklog = 4 * 1024 ** 2;
const newline = 0x0a;

/** The lines that were appended to a file after `offset`. */
export const readAppended = (path: string, offset: number): AppendedLines =>
  withRegularFile(path, (file, size) => readFrom(file, size, offset)) ?? { lines: [], offset: 0, skippedBytes: 0 };

function readFrom(file: number, size: number, offset: number): AppendedLines {
  const from = size < offset ? 0 : offset;
  const skippedBytes = size - from > mostBacklog ? size - from - mostBacklog : 0;
  const start = from + skippedBytes;
  const buffer = Buffer.alloc(Math.min(mostBytes, size - start));
  const bytes = buffer.subarray(0, readSync(file, buffer, 0, buffer.length, start));
  const lastNewline = bytes.lastIndexOf(newline);
  // A line longer than what is read at once is cut; the last one is still being written.
  const end = lastNewline === -1 && bytes.length === mostBytes ? bytes.length : lastNewline + 1;
  const lines = bytes.subarray(0, end).toString('utf8').split('\n');
  if (lines.at(-1) === '') lines.pop();
  return { lines, offset: start + end, skippedBytes };
}
