import { describe, expect, it } from 'vitest';
import { bodyReader } from './body.ts';
import { HeadReader } from './head-reader.ts';

interface Read {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Reads an answer that comes in the given pieces and then ends; each piece uses the same memory, as on a socket. */
function read(pieces: readonly string[], method = 'GET'): Read {
  const buffer = Buffer.alloc(64 * 1024, '\n');
  const head = new HeadReader(method);
  let known: Parameters<typeof bodyReader>[0] | undefined;
  let body: ReturnType<typeof bodyReader> | undefined;
  let [status, headers, text] = [0, {} as Read['headers'], ''];
  for (const piece of pieces) {
    let [from, to] = [0, buffer.write(piece, 'latin1')];
    if (known === undefined) {
      const found = head.take(buffer, 0, to);
      if (found === undefined) continue;
      ({ status, headers, framing: known } = found.head);
      body = bodyReader(known);
      from = found.bodyAt;
    }
    text += buffer.toString('latin1', from, from + body!.take(buffer, from, to));
  }
  if (body === undefined) throw new Error('no head');
  if (!body.done) body.close();
  return { status, headers, body: text };
}

const ok = 'HTTP/1.1 200 OK\r\n';
const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`;

const wellFormed: readonly [string, string, Partial<Read>][] = [
  ['a length', `${ok}Content-Length: 5\r\n\r\nhello`, { status: 200, body: 'hello' }],
  ['a length of nothing', `${ok}content-length:0\r\n\r\n`, { body: '' }],
  ['more than its length', `${ok}content-length: 2\r\n\r\nhello`, { body: 'he' }],
  ['its end with the connection', `${ok}\r\nhello\r\n`, { body: 'hello\r\n' }],
  ['no headers and no reason', 'HTTP/1.0 404 \r\n\r\n', { status: 404, headers: {}, body: '' }],
  ['neither reason nor space', 'HTTP/1.1 503\r\n\r\n', { status: 503 }],
  ['spaces and tabs around a value', `${ok}X-A: \t b c \t\r\n\r\n`, { headers: { 'x-a': 'b c' } }],
  ['a name that objects have', `${ok}constructor: x\r\n\r\n`, { headers: { constructor: 'x' } }],
  ['a header twice', `${ok}x: a\r\nX: b\r\n\r\n`, { headers: { x: 'a, b' } }],
  ['a type twice', `${ok}content-type: a\r\ncontent-type: b\r\n\r\n`, { headers: { 'content-type': 'a' } }],
  ['chunks', `${chunked}5\r\nhello\r\n006\r\n world\r\n0\r\n\r\n`, { body: 'hello world' }],
  ['line ends within a chunk', `${chunked}6\r\n\r\n0\r\n\r\r\n0\r\n\r\n`, { body: '\r\n0\r\n\r' }],
  [
    'chunks with extensions',
    `${chunked}2;a=b;c="d e"\r\nhi\r\nA ;x\r\n0123456789\r\n0;last\r\n\r\n`,
    { body: 'hi0123456789' },
  ],
  ['trailers', `${chunked}2\r\nhi\r\n0\r\nX-Sum: 1\r\nY:\r\n\r\n`, { body: 'hi' }],
  [
    'a word in between',
    `HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${ok}content-length: 1\r\n\r\n!`,
    { status: 200, body: '!' },
  ],
  ['no content', 'HTTP/1.1 204 No Content\r\ncontent-length: 7\r\n\r\n', { status: 204, body: '' }],
];

const malformed: readonly [string, string, string | RegExp][] = [
  ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n', 'does not begin with HTTP/1'],
  ['an alert of TLS', '\x15\x03\x01\x00\x02\x02\x46', 'does not begin with HTTP/1'],
  ['another version', 'HTTP/2 200\r\n\r\n', 'does not begin with HTTP/1'],
  ['a version that never was', 'HTTP/1.7 200 OK\r\n\r\n', 'status line'],
  ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n', 'status line'],
  ['bare line feeds', 'HTTP/1.1 200 OK\nx: y\n\n', 'without a carriage return'],
  ['a bare carriage return', `${ok}x: a\rb\r\n\r\n`, 'header line'],
  ['a zero byte', `${ok}x: a\0b\r\n\r\n`, 'header line'],
  ['a space before the colon', `${ok}content-length : 5\r\n\r\n`, 'header line'],
  ['no colon', `${ok}content-length\r\n\r\n`, 'header line'],
  ['a continued line', `${ok}x: a\r\n b\r\n\r\n`, 'header line'],
  ['a head without end', `${ok}${'x: y\r\n'.repeat(4000)}`, 'longer than 16384 bytes'],
  ['one endless header', `${ok}x: ${'y'.repeat(20_000)}\r\n\r\n`, 'longer than 16384 bytes'],
  ['a length that is none', `${ok}content-length: 5x\r\n\r\n`, 'content length'],
  ['a negative length', `${ok}content-length: -5\r\n\r\n`, 'content length'],
  ['two lengths', `${ok}content-length: 5\r\ncontent-length: 5\r\n\r\n`, 'content length'],
  ['a length and chunks', `${ok}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n`, 'transfer coding'],
  ['an unknown coding', `${ok}transfer-encoding: gzip, chunked\r\n\r\n`, 'transfer coding'],
  ['chunks before there were any', 'HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', 'transfer coding'],
  ['a switch of protocols', 'HTTP/1.1 101 Switching\r\n\r\n', 'without our asking'],
  ['a chunk of no size', `${chunked}\r\n\r\n`, 'size of a chunk'],
  ['a chunk of a wrong size', `${chunked}0x5\r\nhello\r\n`, 'size of a chunk'],
  ['a size beyond counting', `${chunked}fffffffffffff\r\n`, 'size of a chunk'],
  ['a size that ends in a line feed', `${chunked}5\nhello\r\n`, 'ends wrongly'],
  ['a chunk longer than it said', `${chunked}2\r\nhello\r\n0\r\n\r\n`, 'too long'],
  ['an endless extension', `${chunked}2;${'x'.repeat(5000)}`, 'too long'],
  ['a malformed trailer', `${chunked}0\r\nno trailer\r\n\r\n`, 'header line'],
  ['endless trailers', `${chunked}0\r\n${'x: y\r\n'.repeat(200)}`, 'too many trailers'],
];

const cut: readonly [string, string, string][] = [
  ['before its length is reached', `${ok}content-length: 5\r\n\r\nhell`, '1 bytes of the answer are missing'],
  ['within a chunk', `${chunked}5\r\nhell`, 'last chunks'],
  ['before the last chunk', `${chunked}5\r\nhello\r\n`, 'last chunks'],
  ['before the trailers end', `${chunked}0\r\n`, 'last chunks'],
];

/** As a whole, cut in two at every place, and byte by byte. */
const splits = (text: string): readonly (readonly string[])[] => [
  [text],
  ...Array.from({ length: Math.min(text.length, 300) }, (_, at) => [text.slice(0, at), text.slice(at)]),
  [...text],
];

describe('an answer on a bare socket', () => {
  it.each(wellFormed)('is read with %s, wherever it is split', (_title, text, expected) => {
    for (const pieces of splits(text)) expect(read(pieces)).toMatchObject(expected);
  });

  it.each(malformed)('is refused with %s, wherever it is split', (_title, text, message) => {
    for (const pieces of splits(text)) expect(() => read(pieces)).toThrow(message);
  });

  it.each(cut)('is not taken for complete when it ends %s', (_title, text, message) => {
    for (const pieces of splits(text)) expect(() => read(pieces)).toThrow(message);
  });

  it('has no body after HEAD, whatever length it names', () => {
    expect(read([`${ok}content-length: 5\r\n\r\n`], 'HEAD').body).toBe('');
  });
});
