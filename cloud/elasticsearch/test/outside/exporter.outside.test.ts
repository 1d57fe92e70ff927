import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outsideClient } from '../../../aws/test/outside/outside-client.ts';
import { fillSearch, freePort, type ServedSearch, serveSearch } from './served-search.ts';

const exporter = outsideClient(
  'prometheus-elasticsearch-exporter',
  'apt-get install prometheus-elasticsearch-exporter',
);

/** Every collector that this version knows. */
function collectorFlags(): string[] {
  const { stdout, stderr } = spawnSync(exporter.path, ['--help'], { encoding: 'utf8' });
  const known = `${stdout}${stderr}`.match(/--(es\.[a-z_]+|collector\.[a-z-]+)(?=\s)/g) ?? [];
  return [...new Set(known)].filter((flag) => flag !== '--es.ssl-skip-verify');
}

/** Values by metric, labels left out; of several rows the last. */
function read(text: string): Map<string, number> {
  const rows = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(rows.map((row) => [row.replace(/[{ ].*/, ''), Number(row.slice(row.lastIndexOf(' ') + 1))]));
}

describe.skipIf(exporter.missing)(`prometheus-elasticsearch-exporter${exporter.reason}`, () => {
  let search: ServedSearch | undefined;
  let child: ChildProcess | undefined;
  let metrics = new Map<string, number>();
  let text = '';

  beforeAll(async () => {
    search = await serveSearch('8.19.21');
    await fillSearch(search);
    await search.ask('PUT', '/_slm/policy/nightly', {
      schedule: '0 30 1 * * ?',
      name: '<nightly-{now/d}>',
      repository: 'backups',
      config: { indices: 'books' },
    });
    const port = await freePort();
    const flags = [`--es.uri=${search.urlWithPassword}`, '--es.timeout=60s', `--web.listen-address=127.0.0.1:${port}`];
    child = spawn(exporter.path, [...collectorFlags(), ...flags], { stdio: 'ignore' });
    for (let tries = 0; tries < 240 && !metrics.has('elasticsearch_clusterinfo_last_retrieval_success_ts'); tries++) {
      await sleep(500);
      text = await fetch(`http://127.0.0.1:${port}/metrics`).then(
        (answer) => answer.text(),
        () => '',
      );
      metrics = read(text);
    }
  }, 180_000);

  afterAll(async () => {
    if (child !== undefined && child.exitCode === null) {
      child.kill();
      await once(child, 'exit');
    }
    await search?.close();
  });

  it('the exporter reports every collector up', () => {
    const up = [...metrics].filter(([name]) => /_up$/.test(name));

    expect(up.length).toBeGreaterThanOrEqual(8);
    expect(Object.fromEntries(up.filter(([, value]) => value !== 1))).toEqual({});
    expect(metrics.get('elasticsearch_exporter_build_info')).toBe(1);
  });

  it('the exporter reports no failed scrape and no collector without success', () => {
    const failures = [...metrics].filter(
      ([name, value]) => /json_parse_failures|scrape_errors/.test(name) && value !== 0,
    );
    const collectors = text.split('\n').filter((line) => line.startsWith('elasticsearch_scrape_collector_success'));

    expect(Object.fromEntries(failures)).toEqual({});
    expect(collectors.filter((line) => !line.endsWith(' 1'))).toEqual([]);
  });

  it('the exporter reports the nodes, shards and documents of the cluster', () => {
    expect(metrics.get('elasticsearch_cluster_health_number_of_nodes')).toBe(3);
    expect(metrics.get('elasticsearch_cluster_health_number_of_data_nodes')).toBe(3);
    expect(metrics.get('elasticsearch_cluster_health_unassigned_shards')).toBe(0);
    expect(metrics.get('elasticsearch_snapshot_stats_number_of_snapshots')).toBe(1);
    const rows = (name: string) => text.split('\n').filter((row) => row.startsWith(`${name}{`));
    expect(rows('elasticsearch_cluster_health_status')).toContain(
      'elasticsearch_cluster_health_status{cluster="outside",color="green"} 1',
    );
    expect(rows('elasticsearch_version')).toEqual([expect.stringContaining('version="8.19.21"')]);
    expect(rows('elasticsearch_indices_docs_primary')).toContain(
      'elasticsearch_indices_docs_primary{cluster="outside",index="books"} 5',
    );
  });

  it('the exporter exposes the metric families that dashboards use', () => {
    for (const family of [
      'elasticsearch_breakers_estimated_size_bytes',
      'elasticsearch_cluster_health_active_shards',
      'elasticsearch_filesystem_data_available_bytes',
      'elasticsearch_filesystem_data_size_bytes',
      'elasticsearch_indices_docs_total',
      'elasticsearch_indices_indexing_index_total',
      'elasticsearch_indices_store_size_bytes',
      'elasticsearch_jvm_memory_max_bytes',
      'elasticsearch_jvm_memory_used_bytes',
      'elasticsearch_os_cpu_percent',
      'elasticsearch_os_load1',
      'elasticsearch_process_cpu_percent',
      'elasticsearch_process_open_files_count',
      'elasticsearch_slm_stats_operation_mode',
      'elasticsearch_snapshot_stats_snapshot_end_time_timestamp',
      'elasticsearch_thread_pool_active_count',
      'elasticsearch_transport_rx_packets_total',
    ])
      expect(metrics.has(family), family).toBe(true);
  });
});
