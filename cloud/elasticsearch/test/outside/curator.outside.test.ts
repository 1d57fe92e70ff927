import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { outsideClient } from '../../../aws/test/outside/outside-client.ts';
import { fillSearch, type ServedSearch, serveSearch } from './served-search.ts';

const curator = outsideClient('curator', 'apt-get install elasticsearch-curator');
const byName = (value: string, kind = 'prefix') => [{ filtertype: 'pattern', kind, value }];

describe.skipIf(curator.missing)(`elasticsearch-curator${curator.reason}`, () => {
  let search: ServedSearch;
  let folder = '';

  beforeAll(async () => {
    search = await serveSearch('7.17.29');
    await fillSearch(search);
    folder = mkdtempSync(join(tmpdir(), 'curator-'));
    const { hostname, port } = new URL(search.url);
    const client = {
      hosts: [hostname],
      port: Number(port),
      http_auth: `${search.username}:${search.password}`,
      timeout: 60,
    };
    writeFileSync(
      join(folder, 'curator.yml'),
      stringify({ client, logging: { loglevel: 'INFO', logformat: 'default' } }),
    );
  }, 120_000);

  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await search?.close();
  });

  /** Runs one action to its end. The server is in this process: it must not be blocked meanwhile. */
  async function act(action: string, options: object, filters?: object): Promise<string> {
    const file = join(folder, `${action}.yml`);
    const entry = { action, description: 'by curator', options, ...(filters === undefined ? {} : { filters }) };
    writeFileSync(file, stringify({ actions: { 1: entry } }));
    const { execFile } = await import('node:child_process');
    return await new Promise((resolve, reject) => {
      execFile(curator.path, ['--config', join(folder, 'curator.yml'), file], (error, stdout, stderr) => {
        if (error === null) resolve(stdout + stderr);
        else reject(new Error(`${action}: ${stdout}${stderr}`));
      });
    });
  }

  it('curator has a version that supports 7.17', () => {
    expect(spawnSync(curator.path, ['--version'], { encoding: 'utf8' }).stdout).toContain('curator');
  });

  it('curator takes a snapshot', async () => {
    await act(
      'snapshot',
      { repository: 'backups', name: 'by-curator', wait_for_completion: true, wait_interval: 1, max_wait: 120 },
      byName('books'),
    );

    const { snapshots } = await search.ask('GET', '/_snapshot/backups/by-curator');
    expect(snapshots[0]).toMatchObject({ state: 'SUCCESS', indices: ['books'] });
  }, 180_000);

  it('curator restores a snapshot under another name', async () => {
    const options = {
      repository: 'backups',
      name: 'by-curator',
      indices: ['books'],
      rename_pattern: '(.+)',
      rename_replacement: 'again-$1',
      wait_for_completion: true,
      wait_interval: 1,
      max_wait: 120,
    };
    await act('restore', options, [{ filtertype: 'state', state: 'SUCCESS' }]);

    expect((await search.ask('GET', '/again-books/_count')).count).toBe(5);
  }, 180_000);

  it('curator deletes a snapshot and keeps the others', async () => {
    await act('delete_snapshots', { repository: 'backups', retry_interval: 1, retry_count: 3 }, byName('by-curator'));

    const { snapshots } = await search.ask('GET', '/_snapshot/backups/_all');
    expect(snapshots.map(({ snapshot }: { snapshot: string }) => snapshot)).toEqual(['first']);
  }, 180_000);

  it('curator changes allocation filters of an index and the allocation setting', async () => {
    const here = {
      key: 'zone',
      value: 'b',
      allocation_type: 'require',
      wait_for_completion: true,
      wait_interval: 1,
      max_wait: 120,
    };
    await act('allocation', here, byName('logs-'));
    const shards = await search.ask('GET', '/_cat/shards/logs-2026.01.01?format=json');
    expect(shards.map(({ node }: { node: string }) => node)).toEqual(['node-b']);

    await act('cluster_routing', {
      routing_type: 'allocation',
      value: 'primaries',
      setting: 'enable',
      wait_for_completion: true,
      wait_interval: 1,
      max_wait: 120,
    });
    const settings = await search.ask('GET', '/_cluster/settings?flat_settings');
    expect(settings.transient).toEqual({ 'cluster.routing.allocation.enable': 'primaries' });
    await act('cluster_routing', { routing_type: 'allocation', value: 'all', setting: 'enable' });
  }, 180_000);

  it('curator changes the number of replicas and deletes an index', async () => {
    await act('replicas', { count: 0, wait_for_completion: true, wait_interval: 1, max_wait: 120 }, byName('again-'));
    const settings = await search.ask('GET', '/again-books/_settings?flat_settings');
    expect(settings['again-books'].settings['index.number_of_replicas']).toBe('0');

    await act('delete_indices', {}, byName('again-'));
    expect(await search.ask('GET', '/_cat/indices/again-*?format=json')).toEqual([]);
  }, 180_000);

  it('curator refuses a server of another major version', async () => {
    const newer = await serveSearch('8.19.21');
    const { port } = new URL(newer.url);
    const client = { hosts: ['127.0.0.1'], port: Number(port), http_auth: `${newer.username}:${newer.password}` };
    writeFileSync(join(folder, 'newer.yml'), stringify({ client }));
    const { execFile } = await import('node:child_process');
    const told = await new Promise<string>((resolve) => {
      execFile(
        curator.path,
        ['--config', join(folder, 'newer.yml'), join(folder, 'snapshot.yml')],
        (_error, out, err) => resolve(out + err),
      );
    });
    await newer.close();

    expect(told).toMatch(/incompatible/i);
  }, 180_000);
});
