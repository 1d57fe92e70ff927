import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { OlderPrograms } from '../src/scenarios/release/release-upgrade.ts';
import { frozenClusterCli, frozenRunner } from './frozen-programs.ts';

const fixtures = fileURLToPath(new URL('fixtures', import.meta.url));

/** An example of which a release is kept. */
export type ReleasedExample = 'runner-fleet' | 'search-cluster' | 'local';

/**
 * Writes the cloud assembly of an example, as a release deployed it, into a folder that exists; returns the folder.
 * `replacing` holds names of the template and what stands for them in a world, such as the ids of its network.
 */
export function unpackRelease(
  release: '0.1.0',
  example: ReleasedExample,
  folder: string,
  replacing: Readonly<Record<string, string>> = {},
): string {
  const kept = join(fixtures, `release-${release}`);
  for (const file of filesIn(join(kept, example)))
    writeFileSync(join(folder, relative(join(kept, example), file)), replaced(readFileSync(file, 'utf8'), replacing));
  for (const file of filesIn(join(kept, 'assets'))) {
    const asset = join(folder, relative(join(kept, 'assets'), file).replace(/\.gz$/, ''));
    mkdirSync(dirname(asset), { recursive: true });
    writeFileSync(asset, gunzipSync(readFileSync(file)));
  }
  return folder;
}

/** The programs of a release and what its Puppet code writes, as scripts/freeze-programs.ts kept them. */
export function releasedPrograms(release: '0.1.0'): OlderPrograms {
  const kept = join(fixtures, `release-${release}`);
  const program = (name: string) => gunzipSync(readFileSync(join(kept, `programs/${name}.cjs.gz`))).toString('utf8');
  const written = (name: string) => readFileSync(join(kept, 'puppet', name), 'utf8');
  const unit = (name: string) =>
    written(`${name}.service.epp`).replaceAll(
      /<%= \$(\w+) %>/g,
      (_, parameter: string) => runnerParameters[parameter]!,
    );
  // With this line no cluster forms on Elasticsearch 8.19, which 0.1.0 installs: a cluster of 0.1.0 exists only where its operator has taken it out.
  const formed = (catalogue: string) => catalogue.replaceAll(/discovery\.ec2\.endpoint: [^\\]*\\n/g, '');
  const catalogs = ['search_data', 'search_master', 'search_master_bootstrapping'].map((name) => [
    name,
    JSON.parse(formed(written(`${name}.snap.json`))),
  ]);
  return {
    clusterCli: frozenClusterCli(program('cluster-cli')),
    runner: frozenRunner(program('runner-agent'), { runner: unit('actions-runner'), agent: unit('runner-agent') }),
    catalogs: Object.fromEntries(catalogs) as OlderPrograms['catalogs'],
  };
}

/** The defaults of 0.1.0's class drover_runner. */
const runnerParameters: Readonly<Record<string, string>> = {
  user: 'actions-runner',
  directory: '/opt/actions-runner',
  hook: '/opt/drover/hooks/job-started.sh',
  rules: '/etc/drover/metadata-firewall.nft',
};

const replaced = (text: string, replacing: Readonly<Record<string, string>>): string =>
  Object.entries(replacing).reduce((all, [name, instead]) => all.replaceAll(name, instead), text);

const filesIn = (path: string): string[] =>
  statSync(path).isDirectory() ? readdirSync(path).flatMap((name) => filesIn(join(path, name))) : [path];
