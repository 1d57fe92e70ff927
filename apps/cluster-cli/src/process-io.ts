import { fstatSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { isatty } from 'node:tty';
import { type HttpExchange, socketExchange } from '@drover/adapters/elasticsearch/client';
import { RealClock } from '@drover/core/clock';
import { TerminalError } from '@drover/core/errors';
import { loadOnce } from '@drover/core/load-once';
import { SystemRandom } from '@drover/core/random';
import type { HostLock } from '@drover/search-cluster/ports';
import { exitCodes } from './exit.ts';
import type { Files, Io, Sink, Source } from './io.ts';

/** Loaded by the one command that needs it. */
const handshakeModule = loadOnce(() => import('./handshake.ts'));

/** This process with its files and sockets. */
export const processIo = (signal: AbortSignal): Io => ({
  stdout: isFile() ? fileSink : streamSink(() => process.stdout, 1),
  stderr: streamSink(() => process.stderr, 2),
  stdin: source,
  env: process.env,
  clock: new RealClock(),
  random: new SystemRandom(),
  files,
  exchange: exchange(process.env),
  lock: socketLock,
  search: { stop: () => systemctl('stop'), start: () => systemctl('start') },
  usersTool,
  handshake: async (host, port) => (await handshakeModule()).handshake(host, port),
  program: async (path, words) => {
    const failed = await run(path, words, '', process.env, programLimitMs);
    if (failed === undefined) return { exitCode: 0, stderr: '' };
    return { exitCode: typeof failed.code === 'number' ? failed.code : 1, stderr: failed.words || failed.message };
  },
  signal,
});

const stdoutDescriptor = 1;

function isFile(): boolean {
  return fstatSync(stdoutDescriptor).isFile();
}

/** Ends the process as soon as everything is written; after Ctrl-C it does not wait for a reader that may never come. */
export function endWith(code: number): void {
  const end = () => process.exit(code);
  // Output to a file is there already, and creating the stream would cost time.
  if (code === exitCodes.interrupted || isFile() || process.stdout.writableLength === 0) end();
  else process.stdout.write('', end);
}

/** Called before anything is written: the process ends at once when the reader of its pipe (head, less) has gone. */
export function endWhenNobodyReads(): void {
  if (isFile()) return;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
}

/** Node writes to files synchronously in any case; without its stream it costs less. */
const fileSink: Sink = {
  isTTY: false,
  write: (chunk) => {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(stdoutDescriptor, bytes, at);
    } catch (error) {
      throw new TerminalError(`cannot write the output: ${(error as Error).message}`, { cause: error });
    }
  },
};

/** A pipe or a terminal. The stream is created when it is first used: most runs never touch stderr. */
const streamSink = (stream: () => NodeJS.WriteStream, descriptor: number): Sink => ({
  write: (chunk) =>
    stream().write(chunk) ? undefined : new Promise<void>((resolve) => stream().once('drain', resolve)),
  get isTTY() {
    return isatty(descriptor);
  },
  get columns() {
    return stream().columns;
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

const files: Files = {
  read: async (path) => ignoreMissing(() => readFileSync(path, 'utf8')),
  list: async (folder) => ignoreMissing(() => readdirSync(folder)) ?? [],
  write: async (path, text) => {
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

/** `node:http`; the CA file is read when the first request is sent. */
function exchange(env: NodeJS.ProcessEnv): HttpExchange {
  let opened: HttpExchange | undefined;
  return (request) => {
    const path = env.CLUSTER_CLI_CA_FILE;
    opened ??= socketExchange(path === undefined ? {} : { ca: ignoreMissing(() => readFileSync(path, 'utf8')) });
    return opened(request);
  };
}

/** A node that does not stop by then is killed: it finds what was written in its translog. */
const stopLimitMs = 5 * 60_000;

/** Two runs of Puppet, and what `node prepare` waits for. */
const programLimitMs = 50 * 60_000;
const mostOutput = 16 * 1024 ** 2;

/** Of systemctl, for a unit that does not exist: LSB's "program is not installed". */
const notInstalled = 5;

/** The unit of Elasticsearch's package. */
async function systemctl(action: 'stop' | 'start'): Promise<void> {
  const problem = await run('systemctl', [action, 'elasticsearch']);
  if (problem === undefined || (action === 'stop' && problem.code === notInstalled)) return;
  const kill = ['kill', '--signal=SIGKILL', 'elasticsearch'];
  if (action === 'stop' && (await run('systemctl', kill)) === undefined) return;
  throw new TerminalError(`systemctl ${action} elasticsearch failed: ${problem.words || problem.message}`, {
    remedy: 'run it as root on the node, and see: journalctl -u elasticsearch',
  });
}

interface Failure {
  /** The output of the program. */
  readonly words: string;
  readonly code: string | number | null | undefined;
  readonly message: string;
}

/** Runs a program; undefined when it succeeds. */
async function run(program: string, words: readonly string[], input = '', env = process.env, timeout = stopLimitMs) {
  // Loaded here: nearly every run does without.
  const { execFile } = await import('node:child_process');
  return await new Promise<Failure | undefined>((resolve) => {
    const child = execFile(program, words, { env, timeout, maxBuffer: mostOutput }, (error, _stdout, stderr) =>
      resolve(error === null ? undefined : { words: stderr.trim(), code: error.code, message: error.message }),
    );
    // It may have ended before it reads.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

/** The tool of Elasticsearch's package for the file realm; the node reads its files again within seconds. */
async function usersTool(words: readonly string[], input: string): Promise<void> {
  const { ES_HOME: home = '/usr/share/elasticsearch', ES_PATH_CONF = '/etc/elasticsearch' } = process.env;
  const failed = await run(`${home}/bin/elasticsearch-users`, words, input, { ...process.env, ES_PATH_CONF });
  if (failed === undefined) return;
  const why = failed.code === 'ENOENT' ? 'it is not installed here' : failed.words || `exit code ${failed.code}`;
  throw new TerminalError(`elasticsearch-users ${words[0]} failed: ${why}`, {
    remedy: 'run it as root on a search node',
  });
}

/** An abstract Unix socket: it has no file that could be left behind, and the kernel frees it when the process dies. */
const socketLock: HostLock = {
  acquire: (name) =>
    new Promise((resolve, reject) => {
      const server = createServer((connection) => connection.destroy());
      server.once('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'EADDRINUSE') resolve(undefined);
        else reject(error);
      });
      server.listen(`\0drover/${name}`, () => {
        server.unref();
        resolve({ release: () => new Promise((done) => server.close(() => done())) });
      });
    }),
};
