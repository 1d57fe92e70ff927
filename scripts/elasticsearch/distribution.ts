import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { find, javaHome, NoServer, run } from './commands.ts';
import { installPlugins, type PluginName } from './plugins.ts';

/** A home directory of Elasticsearch, and the Java it runs with. */
export interface Distribution {
  readonly home: string;
  /** Undefined when the distribution brings its own. */
  readonly javaHome: string | undefined;
}

/**
 * Elastic's test distribution: the server with security, without most modules. The newest 8.19 on Maven Central when this was
 * written; later ones of 8.19 should do as well.
 */
export const newestVersion = '8.19.21';
const artifactOf = (version: string) => `org.elasticsearch.distribution.integ-test-zip:elasticsearch:${version}:zip`;
const copyGoal = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy';
const cache = resolve('.cache/elasticsearch');

/** For 110 MB; about a minute on a good line. */
const fetchMs = 240_000;

/** An installed distribution, used as it is. */
export function installedDistribution(home: string): Distribution {
  if (!existsSync(join(home, 'bin/elasticsearch')))
    throw new NoServer(`ELASTICSEARCH_HOME is ${home}, but there is no bin/elasticsearch in it`);
  return { home: resolve(home), javaHome: existsSync(join(home, 'jdk/bin/java')) ? undefined : javaHome() };
}

/** The test distribution from Maven Central, unpacked into a folder, with stand-ins for what it lacks. */
export async function publishedDistribution(
  folder: string,
  { version = newestVersion, plugins }: { readonly version?: string; readonly plugins?: readonly PluginName[] } = {},
): Promise<Distribution> {
  for (const command of ['mvn', 'javac', 'jar'])
    if (find(command) === undefined)
      throw new NoServer(`there is no ${command} on the path (Debian: default-jdk-headless and maven)`);
  const java = javaHome(leastJava(version));
  const zip = await fetchZip(version);
  await run('jar', ['xf', zip], { cwd: folder, limitMs: 120_000 });
  const home = join(folder, `elasticsearch-${version}`);
  // The archive's tool does not keep modes.
  for (const file of readdirSync(join(home, 'bin'))) chmodSync(join(home, 'bin', file), 0o755);
  await installPlugins({ home, version, java, release: leastJava(version) }, plugins);
  return { home, javaHome: java };
}

/** 9.0 and later need Java 21 (Elastic's support matrix). */
const leastJava = (version: string) => (version.startsWith('8.') ? 17 : 21);

/** Once fetched it stays in the cache. */
async function fetchZip(version: string): Promise<string> {
  const zip = join(cache, `elasticsearch-${version}.zip`);
  if (existsSync(zip)) return zip;
  const arriving = join(cache, 'arriving');
  rmSync(arriving, { recursive: true, force: true });
  mkdirSync(arriving, { recursive: true });
  const args = [
    '-q',
    '-B',
    copyGoal,
    `-Dartifact=${artifactOf(version)}`,
    `-DoutputDirectory=${arriving}`,
    '-Dmdep.useBaseVersion=true',
  ];
  await run('mvn', args, { cwd: arriving, limitMs: fetchMs }).catch((error: Error) => {
    throw new NoServer(`Maven does not bring ${artifactOf(version)}: ${error.message}`);
  });
  renameSync(join(arriving, `elasticsearch-${version}.zip`), zip);
  rmSync(arriving, { recursive: true });
  return zip;
}
