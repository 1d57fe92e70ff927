import { expect, it } from 'vitest';
import { main } from '../src/main.ts';
import { health } from './support/loopback.ts';
import { memoryIo, scriptedExchange } from './support/memory-io.ts';

async function run(...argv: string[]) {
  const { exchange, requests } = scriptedExchange({
    '*': ({ host }) => {
      if (host.startsWith('169.254.')) throw new Error('no route to host');
      return { body: health };
    },
  });
  const memory = memoryIo({ exchange, env: { CLUSTER_CLI_PASSWORD: 'hunter2' } });
  const exitCode = await main(argv, memory.io);
  const who = requests.map(({ headers }) => Buffer.from((headers.authorization ?? '').slice(6), 'base64').toString());
  const where = requests.map(({ protocol, host }) => `${protocol}://${host}`);
  return { exitCode, stdout: memory.stdout(), stderr: memory.stderr(), who, where };
}

it('cluster-cli without options logs in as elastic, over http, at 127.0.1.1, port 9200, and prints text', async () => {
  const { exitCode, who, where, stdout } = await run('api', 'GET', '/_cluster/health');
  const table = await run('cluster-health');

  expect({ exitCode, who, where }).toEqual({
    exitCode: 0,
    who: ['elastic:hunter2'],
    where: ['http://127.0.1.1:9200'],
  });
  expect(stdout.trim()).toBe(health);
  expect(table.stdout).toMatch(/^cluster_name +search\n/);
});

it('--username, --password, --es-protocol, --es-host and --es-port say who and where', async () => {
  const options = '--username app --password p --es-protocol https --es-host search.example.com --es-port 443';
  const { who, where } = await run(...options.split(' '), 'api', 'GET', '/');

  expect({ who, where }).toEqual({ who: ['app:p'], where: ['https://search.example.com:443'] });
});

it('--debug logs every exchange on stderr, and never a password', async () => {
  const { stdout, stderr } = await run('--debug', '--password', 'hunter3', 'cluster-health');

  expect(stderr).toMatch(/debug: GET \/_cluster\/health 200 \d+ ms/);
  expect(stdout + stderr).not.toMatch(/hunter/);
  expect((await run('cluster-health')).stderr).toBe('');
});

it('--quiet leaves only warnings and errors on stderr; data still comes', async () => {
  const notes = await run('cluster', 'reap');
  const quiet = await run('--quiet', 'cluster', 'reap');
  const data = await run('--quiet', 'cluster-health');

  expect(notes.stderr).toContain('not on an instance');
  expect(quiet.stderr).toBe('cluster-cli: nodes is missing, not an object\n');
  expect(data.stdout).toContain('yellow');
});
