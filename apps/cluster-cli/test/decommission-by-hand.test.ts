import { beforeEach, describe, expect, it } from 'vitest';
import { Interrupted } from '../src/exit.ts';
import { prepareDrain } from './support/prepare-drain.ts';
import { minute, type SearchWorld } from './support/search-world.ts';

let world: SearchWorld;
let doomed: string;
const prepare = async (options: Parameters<typeof SearchWorld.start>[0] = {}): Promise<void> => {
  ({ world, doomed } = await prepareDrain(options));
};
const requests = (source: string) =>
  world.world.engine.journal.entries
    .filter((entry) => entry.kind === 'request' && entry.source === source)
    .map(({ name }) => name);

describe('by hand', () => {
  beforeEach(() => prepare());

  it('drains a node that stays in service, without touching AWS', async () => {
    const before = requests('aws.autoscaling').length;

    const ended = await world.run(doomed, 'cluster-cli cluster decommission-node --reason "bigger disk"');

    expect(ended.exitCode).toBe(0);
    expect(ended.stderr).toContain('it may be stopped');
    expect(await world.records()).toMatchObject([{ reason: 'bigger disk', status: 'COMPLETE' }]);
    expect(requests('aws.autoscaling').length).toBe(before);
  });

  it('takes another node by name, id or address', async () => {
    const target = world.nodeOf(doomed);
    const from = world.inService('search')[0]!;

    const ended = await world.run(from, `cluster-cli cluster decommission-node --reason test ${target.name}`);

    expect(ended.exitCode).toBe(0);
    expect(await world.records()).toMatchObject([{ node_id: target.id }]);
  });

  it('gives up after its time: exit 4, and the record of a node in service is deleted', async () => {
    await world.search('PUT', '/_cluster/settings', { persistent: { 'indices.recovery.max_bytes_per_sec': '1b' } });
    for (let at = 0; at < 50; at++) await world.search('PUT', `/solo/_doc/big${at}`, { text: 'x'.repeat(5000) });

    const ended = await world.run(
      doomed,
      'cluster-cli cluster decommission-node --reason test --wait-until-complete 30 --allow-timeout',
    );

    expect(ended.exitCode).toBe(4);
    expect(ended.stderr).toContain('The shutdown was withdrawn');
    expect(await world.records()).toEqual([]);
  });

  it('waits at most an hour unless configured otherwise', async () => {
    await world.search('PUT', '/_cluster/settings', { persistent: { 'indices.recovery.max_bytes_per_sec': '1b' } });
    for (let at = 0; at < 50; at++) await world.search('PUT', `/solo/_doc/big${at}`, { text: 'x'.repeat(5000) });
    const began = world.clock.now();

    const ended = await world.run(doomed, 'cluster-cli cluster decommission-node --reason test --allow-timeout');

    expect(ended.exitCode).toBe(4);
    expect(Math.round((world.clock.now() - began) / minute)).toBe(60);
  });

  it('ends at Ctrl-C with exit 130, and says that Elasticsearch goes on draining', async () => {
    const abort = new AbortController();
    await prepare({ wrap: (io) => ({ ...io, signal: abort.signal }) });
    await world.search('PUT', '/_cluster/settings', { persistent: { 'indices.recovery.max_bytes_per_sec': '1b' } });
    const running = world.begin(doomed, 'cluster-cli cluster decommission-node --reason test');
    await world.clock.advance(10_000);
    abort.abort(new Interrupted());

    const ended = await world.until(running, minute);

    expect(ended.exitCode).toBe(130);
    expect(ended.stderr).toContain('Elasticsearch goes on draining');
    expect(await world.records()).toHaveLength(1);
  });

  it('forecasts without changing anything', async () => {
    const yes = await world.run(doomed, 'cluster-cli --format json cluster decommission-node --reason test --dry-run');
    await world.search('PUT', '/solo/_settings', {
      'index.routing.allocation.require._name': world.nodeOf(doomed).name,
    });
    const no = await world.run(doomed, 'cluster-cli --format json cluster decommission-node --reason test --dry-run');

    expect([yes.exitCode, JSON.parse(yes.stdout).verdict]).toEqual([0, 'would-drain']);
    expect([no.exitCode, JSON.parse(no.stdout).verdict]).toEqual([3, 'refused']);
    expect(await world.records()).toEqual([]);
  });

  it('says which nodes there are when NODE is none of them', async () => {
    const ended = await world.run(doomed, 'cluster-cli cluster decommission-node --reason test data-99');

    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain('no node data-99 is in cluster search');
  });

  it('refuses to complete a hook for a node elsewhere', async () => {
    const from = world.inService('search')[0]!;

    const ended = await world.run(
      from,
      `cluster-cli cluster decommission-node --reason test --complete-lifecycle-action ${world.nodeOf(doomed).name}`,
    );

    expect(ended.exitCode).toBe(2);
  });
});
