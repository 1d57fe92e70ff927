import type { HttpExchange } from '@drover/adapters/elasticsearch/client';
import { RealClock, SeededRandom } from '@drover/core';
import type { HostLock } from '@drover/search-cluster/ports';
import type { Io } from '../../src/io.ts';

export interface MemoryIo {
  readonly io: Io;
  readonly abort: AbortController;
  stdout(): string;
  stdoutBytes(): Uint8Array;
  stderr(): string;
}

/** An outside that only remembers what was written. */
export function memoryIo(
  over: Partial<Io> & { readonly terminal?: boolean; readonly files?: Io['files'] } = {},
): MemoryIo {
  const out: Uint8Array[] = [];
  const err: string[] = [];
  const abort = new AbortController();
  const isTTY = over.terminal ?? false;
  const io: Io = {
    stdout: { isTTY, write: (chunk) => void out.push(Buffer.from(chunk)) },
    stderr: { isTTY, columns: 100, write: (chunk) => void err.push(String(chunk)) },
    stdin: { isTTY, read: async () => '', ask: async () => '' },
    env: {},
    clock: new RealClock(),
    random: new SeededRandom(1),
    files: { read: async () => undefined, list: async () => [], write: async () => {} },
    exchange: nobodyThere,
    lock: memoryLock(),
    signal: abort.signal,
    ...over,
  };
  return {
    io,
    abort,
    stdoutBytes: () => Buffer.concat(out),
    stdout: () => Buffer.concat(out).toString('utf8'),
    stderr: () => err.join(''),
  };
}

const nobodyThere: HttpExchange = async ({ host }) => {
  throw Object.assign(new Error(`connect ECONNREFUSED ${host}`), { code: 'ECONNREFUSED' });
};

/** One host's locks. */
export function memoryLock(): HostLock {
  const held = new Set<string>();
  return {
    acquire: async (name) => {
      if (held.has(name)) return undefined;
      held.add(name);
      return { release: async () => void held.delete(name) };
    },
  };
}

/** Files by path. */
export const memoryFiles = (files: Record<string, string>): Io['files'] => ({
  read: async (path) => files[path],
  list: async (folder) =>
    Object.keys(files)
      .filter((path) => path.startsWith(`${folder}/`))
      .map((path) => path.slice(folder.length + 1)),
  write: async (path, text) => {
    files[path] = text;
  },
});

type Answer = { readonly status?: number; readonly headers?: Record<string, string>; readonly body?: unknown };

/** Responds by `METHOD /path`, and records requests. */
export function scriptedExchange(
  answers: Readonly<Record<string, Answer | ((request: Parameters<HttpExchange>[0]) => Answer)>>,
) {
  const requests: Parameters<HttpExchange>[0][] = [];
  const exchange: HttpExchange = async (request) => {
    requests.push(request);
    const scripted = answers[`${request.method} ${request.path}`] ?? answers['*'];
    if (scripted === undefined) throw new Error(`unexpected ${request.method} ${request.path}`);
    const {
      status = 200,
      headers = { 'content-type': 'application/json' },
      body = {},
    } = typeof scripted === 'function' ? scripted(request) : scripted;
    return { status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) };
  };
  return { exchange, requests };
}
