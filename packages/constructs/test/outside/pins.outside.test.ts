import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { outsideClient } from '../../../../cloud/aws/test/outside/outside-client.ts';

const apt = outsideClient('apt-get', 'a Debian or an Ubuntu');
const catalogue = fileURLToPath(new URL('../../../stage/src/cluster/catalogs/search_data.snap.json', import.meta.url));
const pinFile = '/etc/apt/preferences.d/drover-elasticsearch';

describe.skipIf(apt.missing)(`the pin of Elasticsearch's package, with real apt ${apt.reason}`, () => {
  const root = mkdtempSync(join(tmpdir(), 'apt-'));
  afterAll(() => rmSync(root, { recursive: true }));

  const entry = (version: string, more = '') =>
    `Package: elasticsearch\nVersion: ${version}\nArchitecture: all\nMaintainer: none\nDescription: none\n${more}\n`;
  const published = (version: string) =>
    entry(version, `Filename: ./elasticsearch_${version}_all.deb\nSize: 1\nSHA256: ${'0'.repeat(64)}\n`);
  const folders = [
    'state/lists/partial',
    'cache/archives/partial',
    'etc/preferences.d',
    'etc/apt.conf.d',
    'repository',
  ];
  for (const folder of folders) mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, 'status'), entry('8.19.21', 'Status: install ok installed\n'));
  writeFileSync(join(root, 'repository/Packages'), published('8.19.21') + published('8.19.22'));
  writeFileSync(join(root, 'etc/sources.list'), `deb [trusted=yes] file:${root}/repository ./\n`);
  const options = {
    'Dir::State': join(root, 'state'),
    'Dir::State::status': join(root, 'status'),
    'Dir::Cache': join(root, 'cache'),
    'Dir::Etc': join(root, 'etc'),
    'APT::Architecture': 'amd64',
    'APT::Sandbox::User': 'root',
  };
  /** The packages that a run of apt would install. */
  const run = (...words: string[]) => {
    const settings = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
    const { stdout, stderr, status } = spawnSync(apt.path, [...settings, ...words], { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    return stdout.split('\n').filter((line) => line.startsWith('Inst '));
  };

  it('apt keeps a package at the version that Puppet pins, and takes another that is named', () => {
    run('update');
    expect(run('--simulate', 'upgrade')).toEqual([expect.stringContaining('8.19.22')]);
    const steps = JSON.parse(readFileSync(catalogue, 'utf8')) as { file?: string; content?: string }[];
    const pin = steps.find(({ file }) => file === pinFile)!.content!;
    writeFileSync(join(root, 'etc/preferences.d/drover'), pin.replace('{{elasticsearch.version}}', '8.19.21'));
    for (const act of ['upgrade', 'dist-upgrade']) expect(run('--simulate', act)).toEqual([]);
    expect(run('--simulate', 'install', 'elasticsearch')).toEqual([]);
    expect(run('--simulate', 'install', 'elasticsearch=8.19.22')).toEqual([expect.stringContaining('8.19.22')]);
  });
});
