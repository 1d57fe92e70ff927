import { TerminalError, TransientError } from '@drover/core';
import { type AnswerHeaders, isHtml, wrongAddress } from './failures.ts';
import { type Read, UnexpectedValue } from './reading.ts';

/** A page of 100 runners has about 50 KB; whatever is larger than this is no such page. */
const longestAnswerBytes = 8 * 1024 * 1024;

/** The text of a response, as it comes, up to the limit. */
export async function textOf(stream: unknown, route: string, apiUrl: string): Promise<string> {
  if (stream === null || stream === undefined) return '';
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = '';
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > longestAnswerBytes)
      throw new TerminalError(`${route} returned more than ${longestAnswerBytes} bytes`, {
        remedy: wrongAddress(apiUrl),
      });
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** Reads a successful response. One that cannot be read is never taken for an empty one. */
export function readAnswer<T>(
  text: string,
  read: Read<T>,
  answer: { readonly route: string; readonly status: number; readonly headers: AnswerHeaders; readonly apiUrl: string },
): T {
  const { route, status, apiUrl } = answer;
  if (isHtml(answer.headers) || text.startsWith('<'))
    throw new TerminalError(`${route} returned ${status} with a page for people, not JSON: ${show(text)}`, {
      remedy: wrongAddress(apiUrl),
    });
  const value = parse(text, `${route} returned ${status}`);
  try {
    return read(value, '');
  } catch (error) {
    if (!(error instanceof UnexpectedValue)) throw error;
    throw new TerminalError(`${route} returned ${status}, but ${error.message}`, {
      cause: error,
      remedy: `${wrongAddress(apiUrl)}; if it is, this version of Drover does not know the form of this response: please report it`,
    });
  }
}

/** Broken JSON is a response that was cut off on its way. */
function parse(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const end = text === '' ? 'without a body' : `with broken JSON that ends in ${show(text.slice(-40))}`;
    throw new TransientError(`${what} ${end}`, { cause });
  }
}

const show = (text: string) => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
