import { isatty } from 'node:tty';
import type { HttpExchange } from '@drover/adapters/search/exchange';
import { socketExchange } from '@drover/adapters/search/socket-exchange';
import type { Random } from '@drover/core';
import { RealClock } from '@drover/core/clock';
import type { Files, Io, Sink, Source } from './io.ts';

/** The real outside: this process, its files and its sockets. Nothing waits for long here: signals end the process. */
export function processIo(): Io {
  return {
    stdout: sink(process.stdout),
    stderr: lateSink(() => process.stderr),
    stdin: source,
    env: process.env,
    clock: new RealClock(),
    random: noChance,
    files: realFiles,
    exchange: lateExchange(process.env),
    lock: { acquire: async (name) => (await import('./host-lock.ts')).socketLock.acquire(name) },
    signal: new AbortController().signal,
  };
}

function sink(stream: NodeJS.WriteStream): Sink {
  return {
    write: (chunk) => (stream.write(chunk) ? undefined : new Promise((resolve) => stream.once('drain', resolve))),
    isTTY: stream.isTTY === true,
    columns: stream.columns,
  };
}

/** A stream that most runs never touch. */
const lateSink = (stream: () => NodeJS.WriteStream): Sink => ({
  write: (chunk) => sink(stream()).write(chunk),
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

/** The CA file is read when the first exchange over TLS needs it. */
function lateExchange(env: NodeJS.ProcessEnv): HttpExchange {
  let made: Promise<HttpExchange> | undefined;
  const make = async () => {
    const path = env.CLUSTER_CLI_CA_FILE;
    return socketExchange(path === undefined ? {} : { ca: await realFiles.read(path) });
  };
  return async (request) => {
    made ??= make();
    return await (await made)(request);
  };
}
