import { decodeFirstSync } from 'cbor';
import * as smile from 'smile-js';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { main } from '../src/main.ts';
import { memoryIo } from './support/memory-io.ts';
import { hour, SearchWorld, secretIds } from './support/search-world.ts';

let world: SearchWorld;
let host: string;
const cli = (words: string) => world.run(host, `cluster-cli ${words}`);

beforeAll(async () => {
  world = await SearchWorld.start({ cron: false });
  [host] = world.inService('search-data') as [string];
  await world.search('PUT', '/logs', { settings: { number_of_shards: 2, number_of_replicas: 1 } });
  await world.clock.advance(60_000);
});

/** The same command with its bytes kept. */
async function bytes(argv: readonly string[]): Promise<Uint8Array> {
  const node = world.nodeOf(host);
  const memory = memoryIo({
    clock: world.clock,
    exchange: (request) => node.handle(request),
    env: { CLUSTER_CLI_PASSWORD: world.elasticPassword() },
  });
  expect(await world.until(main(argv, memory.io))).toBe(0);
  return memory.stdoutBytes();
}
const decode = {
  json: (body: Uint8Array): unknown => JSON.parse(Buffer.from(body).toString()),
  yaml: (body: Uint8Array): unknown => parseYaml(Buffer.from(body).toString()),
  cbor: (body: Uint8Array): unknown => decodeFirstSync(Buffer.from(body)),
  smile: (body: Uint8Array): unknown => (smile as unknown as { parse(body: Uint8Array): unknown }).parse(body),
};

describe.each(['json', 'yaml', 'cbor', 'smile'] as const)('--format %s', (format) => {
  it('the health in a format is what Elasticsearch renders', async () => {
    expect(decode[format](await bytes(['--format', format, 'cluster-health']))).toMatchObject({
      cluster_name: 'search',
      status: 'green',
      number_of_nodes: 6,
      number_of_data_nodes: 3,
    });
  });

  it('the shards in a format are what Elasticsearch renders', async () => {
    const rows = decode[format](await bytes(['--format', format, 'cat', 'shards'])) as { index: string }[];

    expect(rows.filter(({ index }) => index === 'logs')).toHaveLength(4);
  });

  it('what the command puts together is encoded here', async () => {
    const name = world.nodeOf(host).name;

    expect(decode[format](await bytes(['--format', format, 'cat', 'nodes', name]))).toMatchObject([{ name }]);
  });
});

describe('commands on a secured cluster', () => {
  it.each(['shards', 'nodes', 'allocation', 'indices', 'health', 'repositories'])(
    'cat %s needs no password',
    async (word) => {
      const ended = await cli(`--username elastic cat ${word}`);

      expect([ended.exitCode, ended.stderr]).toEqual([0, '']);
    },
  );

  it('explains the shard that was named, 0 too', async () => {
    const ended = await cli('cluster allocation-explain --index logs --shard 0 --primary');

    expect(ended.exitCode).toBe(0);
    expect(ended.stdout).toMatch(/^shard \[0\] \[primary\] of index \[logs\] is started on data-/);
  });

  it('says that nothing is unassigned', async () => {
    expect(await cli('cluster allocation-explain')).toMatchObject({
      exitCode: 0,
      stdout: 'no shard is unassigned: there is nothing to explain\n',
    });
  });

  it('changes a setting by the raw call, and prints the error of a bad one with exit 1', async () => {
    const good = await cli(
      `api PUT /_cluster/settings -d '{"persistent":{"cluster.routing.allocation.enable":"all"}}'`,
    );
    const bad = await cli(`api PUT /_cluster/settings -d '{"persistent":{"no.such.setting":"1"}}'`);

    expect([good.exitCode, JSON.parse(good.stdout).acknowledged]).toEqual([0, true]);
    expect([bad.exitCode, JSON.parse(bad.stdout).status]).toEqual([1, 400]);
  });

  it('a wrong password is refused with exit 1', async () => {
    const ended = await cli('--password wrong api GET /_cluster/settings');

    expect(ended.exitCode).toBe(1);
    expect(ended.stdout).toContain('unable to authenticate user [elastic]');
  });

  it('waits for green', async () => {
    await world.search('PUT', '/wide', { settings: { number_of_shards: 1, number_of_replicas: 3 } });
    const waiting = world.begin(host, 'cluster-cli cluster-health --wait-for green');
    await world.clock.advance(60_000);
    await world.search('DELETE', '/wide');

    expect(await world.until(waiting)).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('the cluster is yellow, 1 shards unassigned'),
    });
  });

  it('waits in vain: exit 4 after an hour', async () => {
    await world.search('PUT', '/wide', { settings: { number_of_shards: 1, number_of_replicas: 3 } });

    const ended = await world.run(host, 'cluster-cli --quiet cluster-health --wait-for green', 2 * hour);
    await world.search('DELETE', '/wide');

    expect([ended.exitCode, ended.stderr]).toEqual([4, 'error: the cluster did not get green in time\n']);
  });

  it('changes the password of kibana_system, so that the test of configuration agents passes', async () => {
    expect((await cli('--username kibana_system --quiet cluster-health')).exitCode).toBe(1);

    const ended = await cli('passwd --username kibana_system');

    expect([ended.exitCode, ended.stdout]).toEqual([0, '']);
    expect(ended.stderr).toBe(`the password of kibana_system was changed; it is in secret ${secretIds.kibana}\n`);
    expect((await cli('--username kibana_system --quiet cluster-health')).exitCode).toBe(0);
  });

  it('makes a new password each time, and it is the one in the secret that lets in', async () => {
    const stored = () => world.world.observe.secretValue(secretIds.kibana);
    const before = stored();

    expect((await cli('passwd --username kibana_system')).exitCode).toBe(0);

    expect(stored()).not.toBe(before);
    expect(stored()).toMatch(/^\w{32}$/);
    const login = (password: string) => cli(`--username kibana_system --password ${password} cluster-health`);
    expect((await login(stored())).exitCode).toBe(0);
    expect((await login(before)).exitCode).toBe(1);
  });

  it('says which secret it misses', async () => {
    const ended = await cli('passwd --username app');

    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain('no secret is known for user app');
  });
});
