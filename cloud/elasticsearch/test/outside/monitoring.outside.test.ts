import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outsideClient } from '../../../aws/test/outside/outside-client.ts';
import { fillSearch, freePort, type ServedSearch, serveSearch } from './served-search.ts';

const examples = 'examples/monitoring';
const [exporter, nodeExporter, prometheus, promtool] = (
  [
    ['prometheus-elasticsearch-exporter', 'prometheus-elasticsearch-exporter'],
    ['prometheus-node-exporter', 'prometheus-node-exporter'],
    ['prometheus', 'prometheus'],
    ['promtool', 'prometheus'],
  ] as const
).map(([command, debianPackage]) => outsideClient(command, `apt-get install ${debianPackage}`));
const missing = [exporter, nodeExporter, prometheus, promtool].find((client) => client!.missing);

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
}
const dashboard = JSON.parse(readFileSync(join(examples, 'grafana/search-cluster.json'), 'utf8')) as Dashboard;
/** As Grafana asks, with every cluster and every node chosen. */
const asked = (expression: string) =>
  expression.replaceAll('$cluster', '.*').replaceAll('$node', '.*').replaceAll('$__rate_interval', '1m');

describe.skipIf(missing !== undefined)(`Prometheus and Grafana${missing?.reason ?? ''}`, () => {
  it('promtool accepts the configuration and the rules, and their tests pass', () => {
    const run = (...args: string[]) => execFileSync(promtool!.path, args, { cwd: examples, encoding: 'utf8' });

    expect(run('check', 'config', 'prometheus.yml')).toContain('SUCCESS');
    expect(run('test', 'rules', 'search-cluster.rules.test.yml')).toContain('SUCCESS');
  });

  describe('a Prometheus that scrapes a cluster', () => {
    let search: ServedSearch | undefined;
    let folder = '';
    let url = '';
    const children: ChildProcess[] = [];
    const start = (path: string, args: readonly string[]) =>
      void children.push(spawn(path, args, { stdio: 'ignore', cwd: folder }));

    /** Series of an expression. */
    async function query(expression: string): Promise<readonly { readonly value: readonly [number, string] }[]> {
      const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expression)}`);
      const { status, data, error } = (await response.json()) as { status: string; data: never; error?: string };
      if (status !== 'success') throw new Error(`${expression}: ${error}`);
      return (data as { result: [] }).result;
    }

    beforeAll(async () => {
      search = await serveSearch('8.19.21');
      await fillSearch(search);
      await search.ask('PUT', '/_slm/policy/nightly', {
        schedule: '0 30 1 * * ?',
        name: '<nightly-{now/d}>',
        repository: 'backups',
      });
      folder = mkdtempSync(join(tmpdir(), 'drover-monitoring-'));
      const [ofSearch, ofNode, ofPrometheus] = [await freePort(), await freePort(), await freePort()];
      // As puppet/ starts it on a master that uses the password of elastic.
      const flags = ['--es.indices', '--es.shards', '--es.slm', `--es.uri=${search.urlWithPassword}`];
      start(exporter!.path, [...flags, `--web.listen-address=127.0.0.1:${ofSearch}`]);
      start(nodeExporter!.path, [`--web.listen-address=127.0.0.1:${ofNode}`]);
      const scrape = (job: string, port: number) => ({
        job_name: job,
        static_configs: [{ targets: [`127.0.0.1:${port}`], labels: { search_cluster: 'logs', instance_id: 'i-1' } }],
      });
      const config = {
        global: { scrape_interval: '1s', scrape_timeout: '1s' },
        rule_files: [join(process.cwd(), examples, 'search-cluster.rules.yml')],
        scrape_configs: [scrape('search', ofSearch), scrape('search-node', ofNode)],
      };
      writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config));
      start(prometheus!.path, [
        '--config.file=prometheus.yml',
        '--storage.tsdb.path=data',
        `--web.listen-address=127.0.0.1:${ofPrometheus}`,
      ]);
      url = `http://127.0.0.1:${ofPrometheus}`;
      const scraped = () => query('count_over_time(elasticsearch_slm_stats_up[1m]) > 3 and on () node_load1');
      for (let tries = 0; tries < 120 && (await scraped().catch(() => [])).length === 0; tries++) {
        await search.ask('GET', '/books/_search');
        await sleep(500);
      }
    }, 120_000);

    afterAll(async () => {
      for (const child of children.filter(({ exitCode }) => exitCode === null)) {
        child.kill();
        await once(child, 'exit');
      }
      await search?.close();
      if (folder !== '') rmSync(folder, { recursive: true, force: true });
    });

    it.each(dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)))(
      'the panel "%s" has data: %s',
      async (_title, expression) => {
        expect(await query(asked(expression))).not.toEqual([]);
      },
    );

    it('every metric of the rules is scraped, and no rule fails', async () => {
      const rules = readFileSync(join(examples, 'search-cluster.rules.yml'), 'utf8');
      const names = new Set(rules.match(/\b(elasticsearch|node)_[a-zA-Z0-9_]+(?=[{[ )])/g) ?? []);
      const absent: string[] = [];
      for (const name of names) if ((await query(name)).length === 0) absent.push(name);
      const response = await fetch(`${url}/api/v1/rules`);
      const { data } = (await response.json()) as {
        data: { groups: { rules: { name: string; health: string; lastError?: string }[] }[] };
      };
      const all = data.groups.flatMap((group) => group.rules);

      expect([names.size > 10, absent]).toEqual([true, []]);
      expect([all.length, all.filter(({ lastError = '' }) => lastError !== '')]).toEqual([16, []]);
    });

    it('the health panel is 1 for a cluster that is green, 2 for one that is yellow', async () => {
      const [panel] = dashboard.panels.filter(({ title }) => title === 'Health');
      const value = async () => (await query(asked(panel!.targets[0]!.expr)))[0]?.value[1];
      expect(await value()).toBe('1');

      await search!.ask('PUT', '/books/_settings', { index: { number_of_replicas: 5 } });
      for (let tries = 0; tries < 40 && (await value()) === '1'; tries++) await sleep(500);
      expect(await value()).toBe('2');
    });
  });
});
