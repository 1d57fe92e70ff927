import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { certificatesShown, handshake } from '../src/handshake.ts';

const folder = mkdtempSync(join(tmpdir(), 'drover-handshake-'));
const file = (name: string) => join(folder, name);
const servers: { kill(): void }[] = [];
afterAll(() => {
  for (const server of servers) server.kill();
});

function authority(name: string, subject: string): void {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', file(`${name}.key`)];
  const words = ['req', '-x509', ...key, '-subj', subject, '-out', file(`${name}.crt`)];
  execFileSync('openssl', words, { stdio: 'pipe' });
}

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

it.each(['-tls1_2', '-tls1_3'])(
  'a handshake with a TLS server shows its issuer and every authority that it trusts (%s)',
  async (version) => {
    authority('one', '/O=Example/CN=logs node authority');
    authority('two', '/CN=logs node authority 1a2b3c4d');
    execFileSync('sh', ['-c', `cat ${file('one.crt')} ${file('two.crt')} > ${file('both.crt')}`]);
    const port = await freePort();
    // It demands a certificate of the client, as a node does, and gets none.
    const words = ['-accept', `127.0.0.1:${port}`, '-cert', file('one.crt'), '-key', file('one.key'), '-Verify', '1'];
    const server = spawn('openssl', ['s_server', ...words, '-CAfile', file('both.crt'), version, '-quiet']);
    servers.push(server);
    let seen: unknown;
    for (let tries = 0; tries < 50 && seen === undefined; tries++) {
      seen = await handshake('127.0.0.1', port).catch(() => undefined);
      if (seen === undefined) await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(seen).toEqual({
      issuer: 'CN=logs node authority,O=Example',
      trusts: ['CN=logs node authority,O=Example', 'CN=logs node authority 1a2b3c4d'],
    });
  },
);

it('a port that nothing listens on is an error with the address', async () => {
  const port = await freePort();
  await expect(handshake('127.0.0.1', port)).rejects.toThrow(`nothing at 127.0.0.1:${port} speaks TLS`);
});

it('a server that names no authority trusts none', () => {
  expect(certificatesShown('issuer=CN = a\n---\nNo client certificate CA names sent\n---\n')).toEqual({
    trusts: [],
    issuer: 'CN=a',
  });
});
