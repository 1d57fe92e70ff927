import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { command } from './commands.ts';

/** The ingredients of a root filesystem. */
export interface RootFilesystem {
  /** Debian's name for the release. */
  readonly suite: string;
  /** Beside what every machine of the cloud needs to boot and to configure itself. */
  readonly packages: readonly string[];
  /** Extra configuration for cloud-init of this release, as one line of YAML. */
  readonly cloudConfig?: string;
}

const prepareScript = fileURLToPath(new URL('image/prepare.sh', import.meta.url));

/** An init system, cloud-init, and the network tools that an Ubuntu cloud image has. */
const everyMachine = [
  ...['systemd', 'systemd-sysv', 'dbus', 'udev', 'cloud-init', 'cron', 'logrotate', 'procps', 'sudo'],
  ...['apt', 'unattended-upgrades', 'needrestart', 'gnupg', 'ca-certificates', 'curl', 'openssl'],
  ...['iproute2', 'iputils-ping', 'netbase', 'nftables', 'python3'],
];

/** The folder of images that are kept between runs. */
const cacheFolder = () => join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'drover', 'machines');

/** The name of a filesystem shows everything that it is made of. */
export function cacheName({ suite, packages, cloudConfig }: RootFilesystem): string {
  const made = [suite, [...everyMachine, ...packages].sort(), readFileSync(prepareScript, 'utf8')];
  const parts = JSON.stringify(cloudConfig === undefined ? made : [...made, cloudConfig]);
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
    const packages = [...new Set([...everyMachine, ...wanted.packages])].join(',');
    const configFile = join(making, 'cloud.cfg');
    writeFileSync(configFile, `${wanted.cloudConfig ?? ''}\n`);
    const hooks = [`${prepareScript} "$1"`, `cp ${configFile} "$1/etc/cloud/cloud.cfg.d/99-release.cfg"`];
    const options = ['--variant=minbase', '--quiet', `--include=${packages}`];
    options.push(...hooks.map((hook) => `--customize-hook=${hook}`));
    await command('mmdebstrap', ...options, wanted.suite, root);
    renameSync(root, folder);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
  return folder;
}
