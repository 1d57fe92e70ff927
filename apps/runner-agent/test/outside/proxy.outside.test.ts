import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const fetched = spawnSync(process.execPath, ['packages/constructs/src/boot/fetch-node.mjs', 'x86_64'], {
  cwd: root,
  encoding: 'utf8',
});
const missing = process.arch !== 'x64' || fetched.status !== 0;
const reason = missing ? '(skipped: the Node of instances cannot be fetched or run here)' : '';

/** One request of each way that agent and functions have, and one to the metadata service of an instance. */
const program = `
import { nodeFetch } from './packages/adapters/src/http/node-fetch.ts';
import { s3, signedCalls } from './packages/adapters/src/aws-signed.ts';
import { autoScalingSdk, sdkCalls, sdkProxy } from './packages/adapters/src/aws-sdk.ts';
const keys = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' };
const region = 'eu-west-1';
const fails = (request) => request.then(() => { throw new Error('a response'); }, () => {});
await fails(nodeFetch('https://github.invalid/'));
await fails(signedCalls(s3, { region: async () => region, credentials: async () => keys })('GetObject', { Bucket: 'b', Key: 'k' }));
const sdk = sdkCalls(autoScalingSdk, { region, credentials: keys, maxAttempts: 1, ...sdkProxy() });
await fails(sdk('DescribeAutoScalingInstances', {}));
await fails(fetch('https://fetch.invalid/'));
for (const get of [fetch, nodeFetch]) console.log(await (await get(process.argv[2])).text());
`;

describe.skipIf(missing)(`the Node of instances behind a proxy ${reason}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'drover-proxy-'));
  const servers: Server[] = [];
  beforeAll(() => {
    execFileSync('tar', ['-xzf', fetched.stdout.trim(), '-C', folder, 'package/bin/node']);
    const stdin = { contents: program, resolveDir: root, loader: 'ts' } as const;
    const built = buildSync({
      stdin,
      bundle: true,
      platform: 'node',
      format: 'esm',
      write: false,
      logLevel: 'error',
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    });
    writeFileSync(join(folder, 'program.mjs'), built.outputFiles[0]!.text);
  });
  afterAll(() => {
    for (const server of servers) server.close().closeAllConnections();
    rmSync(folder, { recursive: true });
  });

  async function listening(server: Server): Promise<string> {
    servers.push(server);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it('agent and functions send every https request through the proxy, and none to the metadata service', async () => {
    const tunnels: string[] = [];
    const proxy = createServer();
    proxy.on('connect', ({ url = '' }, socket) => {
      tunnels.push(url);
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    });
    const https_proxy = await listening(proxy);
    const metadata = await listening(createServer((_, response) => response.end('direct')));
    const env = { https_proxy, http_proxy: https_proxy, no_proxy: '127.0.0.1', NODE_USE_ENV_PROXY: '1' };

    const child = spawn(join(folder, 'package/bin/node'), [join(folder, 'program.mjs'), metadata], { env });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += String(chunk)));
    const [code] = await once(child, 'close');

    expect(code, said).toBe(0);
    expect(said).toContain('direct\ndirect\n');
    expect([...new Set(tunnels)].map((host) => host.replace(/:443$/, ''))).toEqual([
      'github.invalid',
      expect.stringMatching(/^(b\.)?s3\.eu-west-1\.amazonaws\.com$/),
      'autoscaling.eu-west-1.amazonaws.com',
      'fetch.invalid',
    ]);
  });
});
