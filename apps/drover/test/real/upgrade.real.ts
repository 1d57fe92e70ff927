import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { RealNodes } from './real-nodes.ts';
import { RealWriter } from './real-writer.ts';

/** On real nodes: `npm run test:elasticsearch -- --all` boots them. */
const [from, ...path] = process.env.DROVER_REAL_PATH!.split(',');
const index = 'written';
let real: RealNodes;
let writer: RealWriter;

beforeAll(async () => {
  real = await RealNodes.start({ dataCount: 2, elasticsearchVersion: from! });
  const { nodes } = await real.ask('GET', '/_nodes/settings?filter_path=nodes.*.settings.path.repo');
  const { repo } = (Object.values(nodes)[0] as { settings: { path: { repo: string | string[] } } }).settings.path;
  const location = join([repo].flat()[0]!, 'backups');
  mkdirSync(location, { recursive: true });
  chmodSync(location, 0o777);
  await real.ask('PUT', '/_snapshot/backups', { type: 'fs', settings: { location } });
  await real.ask('PUT', `/${index}`, { settings: { number_of_shards: 2, number_of_replicas: 1 } });
  await real.ask('GET', `/_cluster/health/${index}?wait_for_status=green&timeout=120s`);
  writer = new RealWriter(real, index);
}, 600_000);

it.each(path)(
  'real nodes are upgraded one by one to %s by the operator command, and no acknowledged document is lost',
  async (to) => {
    const planned = await real.drover('cluster', 'upgrade', '--to', to, '--dry-run', '--format', 'json');
    const { order, blockers } = JSON.parse(planned.stdout) as { order: { name: string }[]; blockers: unknown[] };
    // Each of the two nodes with data is alone in its tier.
    expect(blockers).toMatchObject([{ check: 'tier-stays' }]);
    const [known, begun] = [writer.acknowledged.size, real.now()];
    writer.start();

    const { exitCode, stderr } = await real.drover('cluster', 'upgrade', '--to', to, '--skip', 'tier-stays');

    await writer.stop();
    const taken = [...stderr.matchAll(/^.*node (\S+) \(\S+\): \S+ -> /gm)].map(([, name]) => name);
    expect([exitCode, taken], stderr).toEqual([0, order.map(({ name }) => name)]);
    expect(await real.versions()).toEqual(real.nodes.map(() => to));
    expect(writer.acknowledged.size).toBeGreaterThan(known);
    expect(await writer.missing()).toEqual([]);
    expect(await real.ask('GET', '/_cluster/health')).toMatchObject({ status: 'green', number_of_nodes: 5 });
    expect((await real.ask('GET', '/_nodes/shutdown')).nodes).toEqual([]);
    const seconds = Math.round((real.now() - begun) / 1000);
    const said = `${writer.acknowledged.size - known} documents acknowledged, ${writer.refused.length} requests refused`;
    console.log(`to ${to} in ${seconds} s: ${said}`, [...new Set(writer.refused)]);
    writer.refused.length = 0;
  },
);

it('a real server keeps copies on the first tier of the preference that has nodes, and moves them on when the last of these is removed', async () => {
  const preference = 'index.routing.allocation.include._tier_preference';
  const make = (name: string, tiers: string) =>
    real.ask('PUT', `/${name}`, { settings: { number_of_shards: 1, number_of_replicas: 0, [preference]: tiers } });
  const comesTo = async (name: string, node: string) => {
    const holder = async () => (await real.ask('GET', `/_cat/shards/${name}?format=json&h=state,node`))[0];
    await expect.poll(holder, { timeout: 60_000 }).toEqual({ state: 'STARTED', node });
  };
  const { nodes } = await real.ask('GET', '/_nodes/node-5?filter_path=nodes.*.name');
  const [warm] = Object.keys(nodes);
  const record = (type: string) => real.ask('PUT', `/_nodes/${warm}/shutdown`, { type, reason: 'a test' });

  await make('tiered-warm', 'data_warm,data_hot');
  await make('tiered-cold', 'data_cold,data_hot');
  await comesTo('tiered-warm', 'node-5');
  await comesTo('tiered-cold', 'node-4');

  await record('restart');
  await real.ask('POST', '/_cluster/reroute');
  await comesTo('tiered-warm', 'node-5');
  await real.ask('DELETE', `/_nodes/${warm}/shutdown`);
  await record('remove');
  await comesTo('tiered-warm', 'node-4');
  await real.ask('DELETE', `/_nodes/${warm}/shutdown`);
  await comesTo('tiered-warm', 'node-5');
  await real.ask('DELETE', '/tiered-warm,tiered-cold');
});
