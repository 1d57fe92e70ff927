import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { bundle, runBundle } from './support/bundle.ts';
import { type Loopback, loopback } from './support/loopback.ts';

const folder = mkdtempSync(join(tmpdir(), 'cluster-cli-'));
const open: Loopback[] = [];
const serve = async (answer: RequestListener): Promise<number> => {
  const server = await loopback(answer);
  open.push(server);
  return server.port;
};
const at = (port: number, ...argv: readonly string[]) => ['--es-host', '127.0.0.1', '--es-port', String(port), ...argv];
const withPassword = ['--password', 'hunter2'];

beforeAll(async () => void (await bundle()));
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the command with its standard output in a file. */
async function runToFile(argv: readonly string[]) {
  const path = join(folder, 'out');
  const out = openSync(path, 'w');
  const child = spawn(process.execPath, [await bundle(), ...argv], {
    env: { PATH: process.env.PATH ?? '', AWS_EC2_METADATA_DISABLED: 'true' },
    stdio: ['ignore', out, 'pipe'],
  });
  closeSync(out);
  let stderr = '';
  child.stderr!.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stderr, written: readFileSync(path, 'utf8') };
}

const line = 'logs 0 p STARTED 10.0.0.1\n';
const table = line.repeat(100_000);
const inChunks: RequestListener = (_request, response) => {
  for (let from = 0; from < table.length; from += 70_001) response.write(table.slice(from, from + 70_001));
  response.end();
};

it.each<[string, RequestListener]>([
  ['with a length', (_request, response) => void response.setHeader('content-length', table.length).end(table)],
  ['in chunks', inChunks],
])('a table that comes %s is the same in a file and in a pipe', async (_title, answer) => {
  const port = await serve(answer);

  const file = await runToFile(at(port, 'cat', 'shards'));
  const pipe = await runBundle(at(port, 'cat', 'shards'));

  expect([file.code, file.stderr, file.written === table]).toEqual([0, '', true]);
  expect([pipe.code, pipe.stderr, pipe.stdout.toString() === table]).toEqual([0, '', true]);
});

it.each([
  ['by length', { 'content-length': 1000 }],
  ['in chunks', {}],
])('a table that breaks off is an error, %s', async (_title, headers) => {
  const port = await serve((_request, response) => {
    response.writeHead(200, headers).write(line);
    setTimeout(() => response.destroy(), 20);
  });

  const { code, stderr, written } = await runToFile(at(port, 'cat', 'shards'));

  expect([code, written]).toEqual([1, line]);
  expect(stderr).toMatch(/^cluster-cli: .* closed the connection before the response was complete.*\n$/);
});

it('a table that asks for a password is asked for again with it', async () => {
  const port = await serve((request, response) =>
    request.headers.authorization === undefined
      ? response.writeHead(401).end('{}')
      : response.end(Buffer.from(request.headers.authorization.slice(6), 'base64').toString()),
  );

  const { code, stdout } = await runBundle(at(port, 'cat', 'shards'), { env: { CLUSTER_CLI_PASSWORD: 'hunter2' } });

  expect([code, stdout.toString()]).toEqual([0, 'elastic:hunter2\n']);
});

it('an error of the API is printed, and ends with 1', async () => {
  const port = await serve((_request, response) => response.writeHead(404).end('{"error":"nothing"}'));

  const { code, stderr, written } = await runToFile(at(port, ...withPassword, 'api', 'GET', '/nothing'));

  expect([code, written]).toEqual([1, '{"error":"nothing"}\n']);
  expect(stderr).toContain('Elasticsearch returned 404');
});

it.each([
  ['a table', ['cat', 'shards']],
  ['a response of the API', ['api', 'GET', '/_search']],
])('Ctrl-C ends %s with one line and exit 130, even if no one reads it', async (_title, argv) => {
  const port = await serve(inChunks);
  const child = spawn(process.execPath, [await bundle(), ...at(port, ...withPassword, ...argv)], { stdio: 'pipe' });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  await once(child.stdout, 'readable');
  await sleep(100);

  child.kill('SIGINT');
  const [code] = (await once(child, 'exit')) as [number | null];
  child.stdout.destroy();

  expect([code, stderr]).toEqual([130, 'cluster-cli: interrupted\n']);
});
