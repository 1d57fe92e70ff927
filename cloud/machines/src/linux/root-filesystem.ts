import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { command } from './commands.ts';

/** The ingredients of a root filesystem. */
export interface RootFilesystem {
  /** The distribution's name for the release. */
  readonly suite: string;
  /** The archive of its packages. @default Debian */
  readonly archive?: Archive;
  /** Beside what every machine of the cloud needs to boot and to configure itself. */
  readonly packages: readonly string[];
  /** Only what a distribution's image for clouds has: machines install the rest from its archive. @default false */
  readonly bare?: boolean;
  /** Extra configuration for cloud-init of this release, as one line of YAML. */
  readonly cloudConfig?: string;
}

/** A package archive of a distribution. */
export interface Archive {
  readonly mirror: string;
  readonly components: readonly string[];
  /** Keys that sign it. @default those of mmdebstrap for Debian */
  readonly keyring?: string;
}

const prepareScript = fileURLToPath(new URL('image/prepare.sh', import.meta.url));

/** An init system, cloud-init, and the network tools that an Ubuntu cloud image has. */
const everyMachine = [
  ...['systemd', 'systemd-sysv', 'dbus', 'udev', 'cloud-init', 'cron', 'logrotate', 'procps', 'sudo'],
  ...['apt', 'unattended-upgrades', 'needrestart', 'gnupg', 'ca-certificates', 'curl', 'openssl'],
  ...['iproute2', 'iputils-ping', 'netbase', 'nftables', 'python3'],
];

/** The least that boots, configures itself and installs packages. */
const bareMachine = [
  ...['systemd', 'systemd-sysv', 'dbus', 'udev', 'cloud-init', 'procps', 'apt', 'ca-certificates'],
  ...['iproute2', 'iputils-ping', 'netbase', 'python3'],
];

const debian: Archive = { mirror: 'http://deb.debian.org/debian', components: ['main'] };

/** The folder of images that are kept between runs. */
const cacheFolder = () => join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'drover', 'machines');

/** The name of a filesystem shows everything that it is made of. */
export function cacheName({ suite, packages, cloudConfig, bare = false, archive }: RootFilesystem): string {
  const made = [suite, [...everyMachine, ...packages].sort(), readFileSync(prepareScript, 'utf8')];
  const also = [cloudConfig, ...(bare ? ['bare', bareMachine] : []), archive].filter((each) => each !== undefined);
  const parts = JSON.stringify([...made, ...also]);
  return `${suite}-${createHash('sha256').update(parts).digest('hex').slice(0, 16)}`;
}

/** The folder of a root filesystem: from the cache, or made by mmdebstrap, which takes some minutes. Never written to by machines. */
export async function rootFilesystem(
  wanted: RootFilesystem,
  say: (line: string) => void,
  cache = cacheFolder(),
): Promise<string> {
  const folder = join(cache, cacheName(wanted));
  if (existsSync(folder)) return folder;
  say(`making the root filesystem ${folder}: some minutes, once`);
  mkdirSync(cache, { recursive: true });
  const making = mkdtempSync(join(cache, 'making-'));
  try {
    const root = join(making, 'root');
    const { bare = false, archive = debian } = wanted;
    const packages = [...new Set([...(bare ? bareMachine : everyMachine), ...wanted.packages])].join(',');
    const configFile = join(making, 'cloud.cfg');
    writeFileSync(configFile, `${wanted.cloudConfig ?? ''}\n`);
    const hooks = [`${prepareScript} "$1"`, `cp ${configFile} "$1/etc/cloud/cloud.cfg.d/99-release.cfg"`];
    if (bare) {
      const sourcesFile = join(making, 'sources.list');
      writeFileSync(sourcesFile, sourcesOf(wanted.suite, archive));
      // needrestart comes later, and finds the distribution's configuration.
      hooks.unshift('mkdir -p "$1/etc/needrestart/conf.d"');
      hooks.push(`cp ${sourcesFile} "$1/etc/apt/sources.list"`);
    }
    const options = ['--variant=minbase', '--quiet', `--include=${packages}`];
    options.push(`--components=${archive.components.join(',')}`);
    if (archive.keyring !== undefined) options.push(`--keyring=${archive.keyring}`);
    options.push(...hooks.map((hook) => `--customize-hook=${hook}`));
    await command(
      'mmdebstrap',
      ...options,
      wanted.suite,
      root,
      ...(wanted.archive === undefined ? [] : [archive.mirror]),
    );
    // Another run may have made it meanwhile.
    if (!existsSync(folder)) renameSync(root, folder);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
  return folder;
}

/** As the images of the distributions for clouds have them: the release, its updates, and those for security. */
function sourcesOf(suite: string, { mirror, components }: Archive): string {
  const isDebian = mirror.endsWith('/debian');
  const security = isDebian ? mirror.replace(/debian$/, 'debian-security') : mirror;
  const sources = [`${mirror} ${suite}`, `${mirror} ${suite}-updates`, `${security} ${suite}-security`];
  return sources.map((source) => `deb ${source} ${components.join(' ')}\n`).join('');
}
