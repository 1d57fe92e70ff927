import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createRawServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bundle, type Ended, type RunOptions, runBundle } from './support/bundle.ts';
import { health, type Loopback, loopback } from './support/loopback.ts';

const open: { close(): Promise<void> }[] = [];
const serve = async (...args: Parameters<typeof loopback>): Promise<Loopback> => {
  const server = await loopback(...args);
  open.push(server);
  return server;
};
const at = (port: number, ...argv: readonly string[]) => [
  '--es-host',
  '127.0.0.1',
  '--es-port',
  String(port),
  '--password',
  'hunter2',
  ...argv,
];
const run = (port: number, argv: readonly string[], options?: RunOptions) => runBundle(at(port, ...argv), options);

beforeAll(async () => void (await bundle()));
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

/** One line for people, no stack, no password. */
function expectClearLine(ended: Ended, code: number, message: string | RegExp): void {
  expect(ended.stderr).toMatch(message);
  expect(ended.code).toBe(code);
  expect(ended.stderr.trim().split('\n')).toHaveLength(1);
  expect(ended.stderr).not.toContain('hunter2');
  expect(ended.stdout.toString()).toBe('');
}

describe('what was typed', () => {
  it.each([
    ['an unknown option', ['cluster-health', '--colour'], "unknown option '--colour'"],
    ['a missing argument', ['snapshots', 'create'], "missing required argument 'REPOSITORY'"],
    ['bad JSON', ['api', 'POST', '/_search', '-d', '{'], 'the body after -d is not JSON'],
  ])('a command line with %s: one line, exit 2, and nothing was sent', async (_title, argv, message) => {
    const { port, requests } = await serve((_request, response) => void response.end('{}'));

    expectClearLine(await run(port, argv), 2, message);
    expect(requests).toEqual([]);
  });
});

describe('an Elasticsearch that cannot be understood', () => {
  it('a refused connection to Elasticsearch is reported with its address', async () => {
    const { port, close } = await loopback(() => {});
    await close();

    expectClearLine(
      await run(port, ['cluster-health']),
      1,
      /cannot reach Elasticsearch at http:\/\/127\.0\.0\.1:\d+: connection refused/,
    );
  });

  it('an unknown host name is reported', async () => {
    expectClearLine(
      await runBundle(['--es-host', 'no-such-host.invalid', 'cluster-health']),
      1,
      'the host name is unknown',
    );
  });

  it('an Elasticsearch that never responds', async () => {
    const { port } = await serve(() => {});

    expectClearLine(
      await run(
        port,
        ['cluster-health'].flatMap((word) => ['--request-timeout', '1', word]),
      ),
      1,
      /no response within 1 s/,
    );
  });

  it('stops in the middle of the response', async () => {
    const { port } = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 });
      response.write(health.slice(0, 20));
      setTimeout(() => response.destroy(), 20);
    });

    expectClearLine(await run(port, ['cluster-health']), 1, 'closed the connection before the response was complete');
  });

  it('stops in the middle of the response and stays silent', async () => {
    const { port } = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 });
      response.write(health.slice(0, 20));
    });

    expectClearLine(await run(port, ['--request-timeout', '1', 'cluster-health']), 1, /no response within 1 s/);
  });

  it.each([
    ['by its type', { 'content-type': 'text/html' }, 'Sign in'],
    ['by its look', {}, '<!DOCTYPE html><html><body>Sign in</body></html>'],
  ])('a response that is a web page, %s', async (_title, headers, body) => {
    const { port } = await serve((_request, response) => response.writeHead(200, headers).end(body));

    expectClearLine(await run(port, ['cluster-health']), 1, 'returned a web page');
  });

  it('returns what is not JSON', async () => {
    const { port } = await serve((_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":'),
    );

    expectClearLine(await run(port, ['cluster-health']), 1, 'the response is not JSON');
  });

  it('redirects, which would carry the password to another host', async () => {
    const { port, requests } = await serve((_request, response) =>
      response.writeHead(302, { location: 'https://login.example/' }).end(),
    );

    expectClearLine(await run(port, ['cluster-health']), 1, /redirects \(302\) to https:\/\/login\.example\//);
    expect(requests).toHaveLength(1);
  });

  it('returns more than fits in memory', async () => {
    const { port } = await serve((_request, response) => {
      const block = Buffer.alloc(1 << 20, ' ');
      const more = () => {
        while (!response.destroyed && response.write(block));
      };
      response.writeHead(200, { 'content-type': 'application/json' }).on('drain', more);
      more();
    });

    expectClearLine(await run(port, ['cluster-health']), 1, /larger than 64 MiB/);
  });

  it('a server that does not speak HTTP is reported', async () => {
    const server = createRawServer((socket) =>
      socket.on('error', () => {}).end('SSH-2.0-OpenSSH_9.2\r\n', () => socket.destroy()),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.push({ close: () => new Promise((resolve) => server.close(() => resolve())) });

    expectClearLine(
      await run((server.address() as { port: number }).port, ['cluster-health']),
      1,
      'does not speak HTTP',
    );
  });

  it.each([
    [401, 'security_exception', 'unable to authenticate user [elastic]', 'check --username and the password'],
    [403, 'security_exception', 'action is unauthorized', 'a user with more privileges'],
    [
      503,
      'master_not_discovered_exception',
      'no master',
      'returned 503: no master. To fix it: no master is elected, or the node is starting',
    ],
    [429, 'circuit_breaking_exception', 'Data too large', 'returned 429: Data too large'],
  ])('refuses with %i', async (status, type, reason, message) => {
    const { port } = await serve((_request, response) =>
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(JSON.stringify({ error: { type, reason }, status })),
    );

    expectClearLine(await run(port, ['cluster-health']), 1, message);
  });
});

describe('TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cluster-cli-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '1',
      '-keyout',
      key,
      '-out',
      cert,
      '-subj',
      '/CN=es',
      '-addext',
      'subjectAltName=IP:127.0.0.1',
    ],
    { stdio: 'ignore' },
  );
  afterAll(() => rmSync(folder, { recursive: true }));
  const secure = () =>
    serve(
      (_request, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(health),
      (listener) => createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, listener) as never,
    );

  it('TLS to a server that speaks plain HTTP is reported', async () => {
    const { port } = await serve((_request, response) => response.end(health));

    expectClearLine(
      await run(port, ['--es-protocol', 'https', 'cluster-health']),
      1,
      'does not speak TLS. To fix it: use --es-protocol http',
    );
  });

  it('plain HTTP to a server that speaks TLS is reported', async () => {
    const { port } = await secure();

    expectClearLine(await run(port, ['cluster-health']), 1, '--es-protocol https');
  });

  it('a certificate of an unknown authority is reported', async () => {
    const { port } = await secure();

    expectClearLine(await run(port, ['--es-protocol', 'https', 'cluster-health']), 1, 'CLUSTER_CLI_CA_FILE');
  });

  it('works with the CA file', async () => {
    const { port } = await secure();

    const ended = await run(port, ['--es-protocol', 'https', 'cluster-health'], { env: { CLUSTER_CLI_CA_FILE: cert } });

    expect([ended.code, ended.stderr]).toEqual([0, '']);
    expect(ended.stdout.toString()).toContain('status                          yellow');
  });
});

describe('a wait for green', () => {
  it('a wait for green goes on while a load balancer has no node to ask', async () => {
    let asked = 0;
    const { port } = await serve((_request, response) => {
      asked += 1;
      if (asked > 1) response.end(health.replace('"yellow"', '"green"'));
      else response.writeHead(503, { 'content-type': 'text/plain' }).end('no target is healthy');
    });

    const ended = await run(port, ['cluster-health', '--wait-for', 'green']);

    expect(ended.stderr).toContain('Elasticsearch returned 503');
    expect([ended.code, asked]).toEqual([0, 3]);
  });
});

describe('the process', () => {
  it('ends a wait at Ctrl-C with one line and exit 130', async () => {
    const { port } = await serve((_request, response) => response.end(health));
    let sent = false;

    const ended = await run(port, ['cluster-health', '--wait-for', 'green'], {
      onStderr: (_text, kill) => {
        if (!sent) kill('SIGINT');
        sent = true;
      },
    });

    expect(ended.code).toBe(130);
    expect(ended.stderr.trim().split('\n').at(-1)).toBe('cluster-cli: interrupted');
  });

  it('sends a GET with a body from standard input and prints the response untouched', async () => {
    const { port, requests } = await serve((_request, response) => response.end('{"hits" : 1}'));

    const ended = await run(port, ['api', 'get', '_search?size=0', '-d', '-'], { stdin: '{"query":{"match_all":{}}}' });

    expect([ended.code, ended.stdout.toString(), ended.stderr]).toEqual([0, '{"hits" : 1}\n', '']);
    expect(requests).toMatchObject([{ method: 'GET', url: '/_search?size=0', body: '{"query":{"match_all":{}}}' }]);
    expect(requests[0]!.headers['content-type']).toBe('application/json');
  });

  it('exits 1 on an error of the API and prints its body', async () => {
    const { port } = await serve((_request, response) => response.writeHead(404).end('{"error":"nothing"}'));

    const ended = await run(port, ['api', 'DELETE', '/nothing']);

    expect([ended.code, ended.stdout.toString()]).toEqual([1, '{"error":"nothing"}\n']);
  });

  it('stops without a word when the reader of a pipe has gone', async () => {
    const line = 'logs 0 p STARTED 10.0.0.1\n'.repeat(1000);
    const { port } = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      for (let block = 0; block < 200; block++) response.write(line);
      response.end();
    });
    const command = `${process.execPath} ${await bundle()} ${at(port, 'cat', 'shards').join(' ')} 2>&1 | head -1`;

    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', command]);

    expect(stdout).toBe('logs 0 p STARTED 10.0.0.1\n');
  });
});
