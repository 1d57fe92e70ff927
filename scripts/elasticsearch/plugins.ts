import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './commands.ts';

const sources = join(import.meta.dirname, 'plugins');

/** A folder below `plugins`: one plugin of the server. */
interface PluginSource {
  readonly name: string;
  /** Each has a Java package of its own. */
  readonly inPackage: string;
  readonly className: string;
  /** A plugin of the distribution whose classes it uses. */
  readonly extended?: string;
  /** A module instead of the unnamed one, compiled by itself. */
  readonly module?: string;
}

/** Stand-ins for modules that the test distribution lacks. None of them is needed where the distribution is whole. */
const plugins: readonly PluginSource[] = [
  { name: 'security-index-analysis', inPackage: 'analysis', className: 'SecurityIndexAnalysis' },
  { name: 'node-shutdown', inPackage: 'shutdown', className: 'NodeShutdown' },
  { name: 'snapshot-lifecycle', inPackage: 'lifecycle', className: 'SnapshotLifecycle', extended: 'x-pack-core' },
  { name: 'folders-as-buckets', inPackage: 'buckets', className: 'FoldersAsBuckets' },
  { name: 'server-facts', inPackage: 'facts', className: 'ServerFacts', module: 'org.elasticsearch.shardhealth' },
];

export type PluginName = 'security-index-analysis' | 'node-shutdown' | 'snapshot-lifecycle';

/** A server that lacks modules, and the Java that it runs with. */
export interface Target {
  readonly home: string;
  readonly version: string;
  readonly java: string;
  /** The release of Java that its own classes are of. */
  readonly release: number;
}

/** Compiles the plugins with the jars of the distribution and installs them in it; only the named ones where some are. */
export async function installPlugins(target: Target, only?: readonly PluginName[]): Promise<void> {
  const { home } = target;
  const chosen = plugins.filter(({ name }) => only === undefined || only.includes(name as PluginName));
  const work = mkdtempSync(join(tmpdir(), 'drover-plugins-'));
  try {
    const library = jarsOf(join(home, 'lib'));
    const classPath = [...library, ...jarsOf(join(home, 'modules/x-pack-core'))].join(':');
    const unnamed = chosen.filter(({ module }) => module === undefined).map(({ name }) => name);
    await compile(target, join(work, 'unnamed'), ['-cp', classPath], [...unnamed, sharedOf(target)]);
    for (const { name } of chosen.filter(({ module }) => module !== undefined))
      await compile(target, join(work, name), ['-p', library.join(':')], [name]);
    for (const plugin of chosen) await pack(plugin, target, work);
  } finally {
    rmSync(work, { recursive: true });
  }
}

/** Classes that plugins of ours share, as the server's major wants them. */
const sharedOf = ({ version }: Target) => (version.startsWith('8.') ? 'for-8' : 'for-9');

const jarsOf = (folder: string) =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.jar'))
    .map((jar) => join(folder, jar));

async function compile(
  { java, release }: Target,
  classes: string,
  where: readonly string[],
  folders: readonly string[],
): Promise<void> {
  const files = folders.flatMap((name) =>
    readdirSync(join(sources, name))
      .filter((file) => file.endsWith('.java'))
      .map((file) => join(sources, name, file)),
  );
  const quiet = ['-nowarn', '-Xlint:-options,-module'];
  await run(join(java, 'bin/javac'), ['--release', String(release), ...quiet, '-d', classes, ...where, ...files], {
    limitMs: 180_000,
  });
}

async function pack(plugin: PluginSource, target: Target, work: string): Promise<void> {
  const { name, inPackage, module } = plugin;
  const folder = join(target.home, 'plugins', name);
  mkdirSync(folder, { recursive: true });
  const classes = join(work, module === undefined ? 'unnamed' : name);
  const content = module === undefined ? [`drover/${inPackage}`, 'drover/server'] : ['.'];
  await run('jar', ['cf', join(folder, `${name}.jar`), ...content.flatMap((each) => ['-C', classes, each])]);
  writeFileSync(join(folder, 'plugin-descriptor.properties'), descriptor(plugin, target));
  const policy = join(sources, name, 'entitlement-policy.yaml');
  if (existsSync(policy)) copyFileSync(policy, join(folder, 'entitlement-policy.yaml'));
}

const descriptor = ({ name, inPackage, className, extended, module }: PluginSource, { version, release }: Target) =>
  `${[
    `name=${name}`,
    `description=Drover's stand-in for what the test distribution lacks: ${name}`,
    'version=1',
    `classname=drover.${inPackage}.${className}`,
    `java.version=${release}`,
    `elasticsearch.version=${version}`,
    ...(extended === undefined ? [] : [`extended.plugins=${extended}`]),
    ...(module === undefined ? [] : [`modulename=${module}`]),
  ].join('\n')}\n`;
