import type { SearchAnswer } from '@drover/adapters/elasticsearch/client';
import { TerminalError } from '@drover/core/errors';
import { loadOnce } from '@drover/core/load-once';
import type { Io } from '../io.ts';
import type { Format } from '../tree/globals.ts';

/** The codecs are loaded when their format is asked for: the YAML library is large. */
export const formatsModule = loadOnce(() => import('../formats/encode.ts'));

/** Formats that are bytes, not text. */
export const isBinary = (format: Format): boolean => format === 'cbor' || format === 'smile';

/** A terminal must not be sent bytes: it takes some of them for control sequences. */
export function refuseBinaryOnTerminal(format: Format, io: Pick<Io, 'stdout'>): void {
  if (isBinary(format) && io.stdout.isTTY)
    throw new TerminalError(`--format ${format} is bytes, and stdout is a terminal`, {
      remedy: 'send it to a file or a pipe: … > answer.bin',
    });
}

/** Prints what Elasticsearch rendered while it arrives; text gets the line end that a terminal needs. */
export async function passThrough(answer: SearchAnswer, format: Format, io: Io): Promise<void> {
  let last = 10;
  await answer.receive((chunk) => {
    if (chunk.length > 0) last = chunk[chunk.length - 1]!;
    return io.stdout.write(chunk);
  });
  if (last !== 10 && !isBinary(format)) await io.stdout.write('\n');
}

/** Prints data that the command put together: text as given, every other format encoded here. */
export async function printData(data: unknown, text: () => string, format: Format, io: Io): Promise<void> {
  if (format === 'text') return void (await io.stdout.write(ended(text())));
  if (format === 'json') return void (await io.stdout.write(`${JSON.stringify(data, undefined, 2)}\n`));
  const { encode } = await formatsModule();
  await io.stdout.write(encode(data, format));
}

const ended = (text: string) => (text === '' || text.endsWith('\n') ? text : `${text}\n`);
