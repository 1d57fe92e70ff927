import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { run } from '../../elasticsearch/commands.ts';
import { type Distribution, publishedDistribution } from '../../elasticsearch/distribution.ts';

const own = import.meta.dirname;
const cache = resolve('.cache/elasticsearch');
const version = '8.19.21';
/** Debian's folder of Java 17, which the image has: the test distribution brings none. */
const javaHome = '/usr/lib/jvm/java-17-openjdk-amd64';
/** Less compilation: nodes of a test live for minutes, and several start at once on few cores. */
const quickStart = 'CLI_JAVA_OPTS=-XX:TieredStopAtLevel=1\nES_JAVA_OPTS=-XX:TieredStopAtLevel=1\n';
const home = 'usr/share/elasticsearch';

/** Settings that Elastic's own set-up of security leaves in the keystore of a new node. */
const leftOver = [
  'autoconfiguration.password_hash',
  'xpack.security.http.ssl.keystore.secure_password',
  'xpack.security.transport.ssl.keystore.secure_password',
  'xpack.security.transport.ssl.truststore.secure_password',
];

/**
 * A signed apt repository with a package of Elastic's test distribution that looks like Elastic's own: same name, version, folders, user
 * and unit. It takes a minute, once; returns its folder, in which `GPG-KEY-elasticsearch` is the key and `fingerprint` that of the key.
 */
export async function elasticsearchRepository(say: (line: string) => void): Promise<string> {
  const folder = join(cache, `apt-${hashOf(own)}`);
  if (existsSync(folder)) return folder;
  say(`making a package of Elasticsearch's test distribution in ${folder}: about a minute, once`);
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(tmpdir(), 'drover-elasticsearch-package-'));
  try {
    const root = join(work, 'root');
    await layOut(root, await publishedDistribution(work, { plugins: ['security-index-analysis'] }), work);
    await sign(await buildRepository(root, work));
    // The work folder may be on another file system.
    cpSync(join(work, 'apt'), `${folder}.new`, { recursive: true });
    renameSync(`${folder}.new`, folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return folder;
}

function hashOf(folder: string): string {
  const hash = createHash('sha256').update(version);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) hash.update(entry.name).update(readFileSync(join(entry.parentPath, entry.name)));
  return hash.digest('hex').slice(0, 16);
}

/** The files of the package. */
async function layOut(root: string, distribution: Distribution, work: string): Promise<void> {
  const [es, etc] = [join(root, home), join(root, 'etc/elasticsearch')];
  mkdirSync(join(root, 'usr/share'), { recursive: true });
  mkdirSync(join(root, 'etc/default'), { recursive: true });
  renameSync(distribution.home, es);
  renameSync(join(es, 'config'), etc);
  writeFileSync(
    join(root, 'etc/default/elasticsearch'),
    `ES_PATH_CONF=/etc/elasticsearch\nES_JAVA_HOME=${javaHome}\n${quickStart}`,
  );
  const environment = join(es, 'bin/elasticsearch-env');
  const sourced = 'set -a\n. /etc/default/elasticsearch\nset +a\n';
  writeFileSync(
    environment,
    readFileSync(environment, 'utf8').replace(/^set -e.*$/m, (line) => `${line}\n${sourced}`),
  );
  const tool = join(es, 'bin/elasticsearch-plugin');
  const head = readFileSync(join(own, 'package/elasticsearch-plugin.head'), 'utf8');
  writeFileSync(tool, readFileSync(tool, 'utf8').replace(/^#!.*\n/, head));
  await addStandIns(root, es, work);
  becomeModules(es);
  await addKeystore(es, work, {
    ...process.env,
    ES_PATH_CONF: etc,
    ES_TMPDIR: work,
    ES_JAVA_HOME: distribution.javaHome,
  });
}

/** Nodes remove plugins that they were not asked to have. Modules stay; in Elastic's package these are some. */
function becomeModules(es: string): void {
  for (const name of readdirSync(join(es, 'plugins'))) renameSync(join(es, 'plugins', name), join(es, 'modules', name));
}

async function addStandIns(root: string, es: string, work: string): Promise<void> {
  const [standIn, units] = [join(es, 'stand-in'), join(root, 'usr/lib/systemd/system')];
  for (const folder of [standIn, units]) mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(join(own, 'package'))) {
    if (name.endsWith('.service')) copyFileSync(join(own, 'package', name), join(units, name));
    if (!name.endsWith('.py')) continue;
    copyFileSync(join(own, 'package', name), join(standIn, name));
    chmodSync(join(standIn, name), 0o755);
  }
  const limit = join(standIn, 'file-limit.so');
  await run('gcc', ['-shared', '-fPIC', '-o', limit, join(own, 'file-limit.c'), '-ldl']);
  const classes = join(work, 'classes');
  const classPath = readdirSync(join(es, 'lib')).map((jar) => join(es, 'lib', jar));
  const sources = ['Ec2Seeds', 'MissingModules'].map((name) => join(own, 'java', `${name}.java`));
  await run('javac', ['--release', '17', '-nowarn', '-d', classes, '-cp', classPath.join(':'), ...sources], {
    limitMs: 180_000,
  });
  await writePlugin(join(es, 'plugins/missing-modules'), 'missing-modules', 'MissingModules', classes);
  const discovery = join(work, 'discovery-ec2');
  await writePlugin(discovery, 'discovery-ec2', 'Ec2Seeds', classes);
  await run('jar', ['cfM', join(standIn, 'discovery-ec2.zip'), '-C', discovery, '.']);
}

async function writePlugin(folder: string, name: string, className: string, classes: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await run('jar', ['cf', join(folder, `${name}.jar`), '-C', classes, '.']);
  const lines = [
    ...[`name=${name}`, `description=stand-in for ${name}`, 'version=1', `classname=drover.${className}`],
    ...['java.version=17', `elasticsearch.version=${version}`],
  ];
  writeFileSync(join(folder, 'plugin-descriptor.properties'), `${lines.join('\n')}\n`);
}

/** By the distribution's own tool, before its final path is configured. */
async function addKeystore(es: string, work: string, env: NodeJS.ProcessEnv): Promise<void> {
  const bare = join(work, 'bare');
  cpSync(es, bare, { recursive: true });
  const environment = join(bare, 'bin/elasticsearch-env');
  const text = readFileSync(environment, 'utf8').replace('. /etc/default/elasticsearch\n', '');
  writeFileSync(environment, text);
  const keystore = join(bare, 'bin/elasticsearch-keystore');
  await run(keystore, ['create'], { env });
  await run(keystore, ['add', '--stdin', '--force', ...leftOver], { env, input: leftOver.map(() => 'x\n').join('') });
}

async function buildRepository(root: string, work: string): Promise<string> {
  const apt = join(work, 'apt');
  const binary = join(apt, 'dists/stable/main/binary-amd64');
  for (const folder of [join(root, 'DEBIAN'), binary, join(apt, 'pool')]) mkdirSync(folder, { recursive: true });
  const control = [
    ...[
      'Package: elasticsearch',
      `Version: ${version}`,
      'Architecture: amd64',
      'Maintainer: nobody <nobody@example.com>',
    ],
    ...['Section: web', 'Priority: optional', 'Description: test distribution of Elasticsearch'],
  ];
  writeFileSync(join(root, 'DEBIAN/control'), `${control.join('\n')}\n`);
  writeFileSync(join(root, 'DEBIAN/postinst'), readFileSync(join(own, 'package/postinst')), { mode: 0o755 });
  const file = `pool/elasticsearch_${version}_amd64.deb`;
  await run('dpkg-deb', ['--root-owner-group', '-Zgzip', '-z1', '--build', root, join(apt, file)], {
    limitMs: 300_000,
  });
  const deb = readFileSync(join(apt, file));
  const entry = [...control, `Filename: ${file}`, `Size: ${deb.length}`, `SHA256: ${sha256(deb)}`];
  const packages = `${entry.join('\n')}\n`;
  writeFileSync(join(binary, 'Packages'), packages);
  const release = [
    ...['Origin: elastic', 'Suite: stable', 'Codename: stable', 'Architectures: amd64', 'Components: main'],
    ...['Date: Thu, 01 Jan 2026 00:00:00 UTC', 'SHA256:'],
    ` ${sha256(packages)} ${packages.length} main/binary-amd64/Packages`,
  ];
  writeFileSync(join(apt, 'dists/stable/Release'), `${release.join('\n')}\n`);
  return apt;
}

const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex');

/** With a key that is made here and gone when this is done. */
async function sign(apt: string): Promise<void> {
  // The path of the agent's socket must be short.
  const gnupg = mkdtempSync('/tmp/drover-gpg-');
  const gpg = (...args: string[]) => run('gpg', ['--homedir', gnupg, '--batch', '--yes', ...args]);
  try {
    await gpg('--passphrase', '', '--quick-generate-key', 'stand-in for Elastic', 'rsa3072', 'sign', 'never');
    const listed = await gpg('--with-colons', '--list-keys');
    writeFileSync(join(apt, 'fingerprint'), /^fpr:+([0-9A-F]{40}):/m.exec(listed)![1]!);
    await gpg('--armor', '--output', join(apt, 'GPG-KEY-elasticsearch'), '--export');
    const release = join(apt, 'dists/stable');
    await gpg('--clearsign', '--output', join(release, 'InRelease'), join(release, 'Release'));
  } finally {
    await run('gpgconf', ['--homedir', gnupg, '--kill', 'all']).catch(() => {});
    rmSync(gnupg, { recursive: true, force: true });
  }
}
