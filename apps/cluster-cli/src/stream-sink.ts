import type { Sink } from './io.ts';

/** Writes to a stream of Node: a pipe or a terminal. */
export const streamSink = (stream: NodeJS.WriteStream): Sink => ({
  write: (chunk) => (typeof chunk === 'string' ? writeText(stream, chunk) : writeBytes(stream, chunk)),
  isTTY: stream.isTTY === true,
  columns: stream.columns,
});

const writeText = (stream: NodeJS.WriteStream, text: string) =>
  stream.write(text) ? undefined : new Promise<void>((resolve) => stream.once('drain', resolve));

/** The memory of a chunk may be used again afterwards, so it must have left the stream. */
const writeBytes = (stream: NodeJS.WriteStream, bytes: Uint8Array) =>
  new Promise<void>((resolve) => stream.write(bytes, () => resolve()));
