import { isatty } from 'node:tty';
import type { HttpExchange } from '@drover/adapters/search/exchange';
import type { Random } from '@drover/core';
import { RealClock } from '@drover/core/clock';
import { loadOnce } from '@drover/core/load-once';
import type { Files, Io, Sink, Source } from './io.ts';
import { processStdout } from './stdout.ts';
import { streamSink } from './stream-sink.ts';

export interface ProcessIoOptions {
  readonly signal: AbortSignal;
  /** How plain HTTP is spoken. @default like TLS: with `node:http`, on connections that are kept */
  readonly plain?: HttpExchange;
}

/** The real outside: this process, its files and its sockets. */
export function processIo({ signal, plain }: ProcessIoOptions): Io {
  return {
    stdout: processStdout(),
    stderr: lateSink(() => process.stderr),
    stdin: source,
    env: process.env,
    clock: new RealClock(),
    random: noChance,
    files: realFiles,
    exchange: plain === undefined ? keptExchange(process.env) : orPlain(keptExchange(process.env), plain),
    lock: { acquire: async (name) => (await import('./host-lock.ts')).socketLock.acquire(name) },
    signal,
  };
}

/** A stream that most runs never touch. */
const lateSink = (stream: () => NodeJS.WriteStream): Sink => ({
  write: (chunk) => streamSink(stream()).write(chunk),
  get isTTY() {
    return isatty(2);
  },
  get columns() {
    return stream().columns;
  },
});

/** Loading the machine's chance costs more than a quick command; the full command has it. */
const noChance = new Proxy({} as Random, {
  get: (_target, name) => () => {
    throw new Error(`the quick path has no chance (${String(name)})`);
  },
});

const source: Source = {
  get isTTY() {
    return isatty(0);
  },
  read: async () => {
    const parts: Buffer[] = [];
    for await (const part of process.stdin as AsyncIterable<Buffer>) parts.push(part);
    return Buffer.concat(parts).toString('utf8');
  },
  ask: async (question) => {
    const { createInterface } = await import('node:readline/promises');
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    try {
      return await lines.question(question);
    } finally {
      lines.close();
    }
  },
};

const realFiles: Files = {
  read: async (path) => {
    const { readFileSync } = await import('node:fs');
    return ignoreMissing(() => readFileSync(path, 'utf8'));
  },
  list: async (folder) => {
    const { readdirSync } = await import('node:fs');
    return ignoreMissing(() => readdirSync(folder)) ?? [];
  },
  write: async (path, text) => {
    const { mkdirSync, renameSync, writeFileSync } = await import('node:fs');
    const { dirname } = await import('node:path');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(`${path}.new`, text, { mode: 0o644 });
    renameSync(`${path}.new`, path);
  },
};

function ignoreMissing<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

const orPlain =
  (kept: HttpExchange, plain: HttpExchange): HttpExchange =>
  (request) =>
    request.protocol === 'http' ? plain(request) : kept(request);

/** Loaded when it is first used; the CA file is read then too. */
function keptExchange(env: NodeJS.ProcessEnv): HttpExchange {
  const made = loadOnce(async () => {
    const { socketExchange } = await import('@drover/adapters/search/socket-exchange');
    const path = env.CLUSTER_CLI_CA_FILE;
    return socketExchange(path === undefined ? {} : { ca: await realFiles.read(path) });
  });
  return async (request) => await (await made())(request);
}
