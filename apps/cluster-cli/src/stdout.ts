import { fstatSync, writeSync } from 'node:fs';
import { TerminalError } from '@drover/core/errors';
import { exitCodes } from './exit-codes.ts';
import type { Sink } from './io.ts';
import { streamSink } from './stream-sink.ts';

const descriptor = 1;

/** This process's standard output. */
export const processStdout = (): Sink => (isFile() ? fileSink : streamSink(process.stdout));

/** Ends the process as soon as everything is written; who interrupted it does not wait for a reader that may be asleep. */
export function endWith(code: number): void {
  const end = () => process.exit(code);
  // What went into a file is there already, and making the stream would cost time.
  if (code === exitCodes.interrupted || isFile() || process.stdout.writableLength === 0) end();
  else process.stdout.write('', end);
}

/** Called before anything is written: a reader of a pipe that has gone (head, less) ends the process at once. */
export function endWhenNobodyReads(): void {
  if (isFile()) return;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
}

function isFile(): boolean {
  return fstatSync(descriptor).isFile();
}

/** Node writes to files synchronously in any case; without its stream it costs less. */
const fileSink: Sink = {
  isTTY: false,
  write: (chunk) => {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
    } catch (error) {
      throw new TerminalError(`cannot write the answer: ${(error as Error).message}`, { cause: error });
    }
  },
};
