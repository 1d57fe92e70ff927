import { MalformedAnswer } from './malformed-answer.ts';

/** How the end of a body is told (RFC 9112, "Message Body Length"). */
export type Framing = { readonly by: 'length'; readonly bytes: number } | { readonly by: 'chunks' | 'close' };

export interface AnswerHead {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly framing: Framing;
}

const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;
const fieldLine = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):([\t\x20-\x7e\x80-\xff]*)$/;
/** Up to here a number is exact. */
const lengthText = /^\d{1,15}$/;

/**
 * Reads a head without its empty line, as strictly as RFC 9112 allows: what could be read in two ways is refused, and
 * so are continued lines, which are obsolete.
 */
export function parseHead(text: string, method: string): AnswerHead {
  const [first = '', ...lines] = text.split('\r\n');
  const match = statusLine.exec(first);
  if (match === null) throw new MalformedAnswer('the status line is not one of HTTP/1');
  const status = Number(match[2]);
  const headers: Record<string, string> = {};
  for (const line of lines) addField(headers, parseField(line));
  const bodiless = method === 'HEAD' || status < 200 || status === 204 || status === 304;
  return { status, headers, framing: bodiless ? { by: 'length', bytes: 0 } : framingOf(headers, match[1] === '1') };
}

/** One line of a head, or of the trailers. */
export function parseField(line: string): readonly [name: string, value: string] {
  const match = fieldLine.exec(line);
  if (match === null) throw new MalformedAnswer('a header line is malformed');
  return [match[1]!.toLowerCase(), match[2]!.trim()];
}

/** Two types or targets cannot be joined: the first counts, as with `node:http`. */
const single = new Set(['content-type', 'location']);

function addField(headers: Record<string, string>, [name, value]: readonly [string, string]): void {
  const before = Object.hasOwn(headers, name) ? headers[name] : undefined;
  if (before === undefined) headers[name] = value;
  else if (!single.has(name)) headers[name] = `${before}, ${value}`;
}

/** Two statements about the length, or a coding that we do not know, could hide where the body ends. */
function framingOf(headers: Readonly<Record<string, string>>, knowsChunks: boolean): Framing {
  const { 'transfer-encoding': coding, 'content-length': length } = headers;
  if (coding !== undefined) {
    if (length !== undefined || !knowsChunks || coding.toLowerCase() !== 'chunked')
      throw new MalformedAnswer('the transfer coding is not plain chunks');
    return { by: 'chunks' };
  }
  if (length === undefined) return { by: 'close' };
  if (!lengthText.test(length)) throw new MalformedAnswer('the content length is not a number');
  return { by: 'length', bytes: Number(length) };
}
