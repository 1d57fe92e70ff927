import { readFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { checkUserDataSize } from './user-data-size.ts';

export interface CloudConfig {
  /** How messages call the module. */
  readonly module: string;
  readonly packages: readonly string[];
  readonly extraRepos?: Readonly<Record<string, string>> | undefined;
  readonly extraFiles?: Readonly<Record<string, string>> | undefined;
  /** What Puppet and the boot script know of this instance; puppet/README.md describes each. */
  readonly facts: object;
  /** Services that an upgrade of a library must not restart, without `.service`. */
  readonly keepRunning: readonly string[];
  /** Shell lines that run when the instance is configured. */
  readonly commands: readonly string[];
}

const factsFile = '/etc/puppetlabs/facter/facts.d/custom.json';
const bootFile = '/opt/drover/boot.py';
/** Read by needrestart, which Ubuntu 24.04 runs after each upgrade of packages, unattended ones too. */
const needrestartFile = '/etc/needrestart/conf.d/drover.conf';
const aptFile = '/etc/apt/apt.conf.d/90drover';
/** Puppet's apt-get would fail at once while unattended-upgrades holds the lock, and the launch would be given up. */
const waitForLock = 'DPkg::Lock::Timeout "600";\n';
/** Debian 12, Ubuntu 22.04 and 24.04 all have a package of this name. */
const puppetPackage = 'puppet';

/** The cloud-init document of an instance: facts, packages, and the script that does the rest. Holds no secret. */
export function cloudConfig({
  module,
  packages,
  extraRepos,
  extraFiles,
  facts,
  keepRunning,
  commands,
}: CloudConfig): string {
  const bootScript = readFileSync(new URL('boot.py', import.meta.url), 'utf8');
  const document = {
    output: { all: '| tee -a /var/log/cloud-init-output.log' },
    package_update: true,
    packages: [...new Set([puppetPackage, ...packages])],
    ...(extraRepos === undefined ? {} : { apt: { sources: aptSources(extraRepos) } }),
    write_files: [
      { path: factsFile, permissions: '0644', content: JSON.stringify(facts) },
      { path: bootFile, permissions: '0755', content: bootScript },
      // cloud-init writes files before it installs packages, so these hold from the first package on.
      { path: needrestartFile, permissions: '0644', content: neverRestart(keepRunning) },
      { path: aptFile, permissions: '0644', content: waitForLock },
      ...Object.entries(extraFiles ?? {}).map(([path, content]) => ({ path, content })),
    ],
    // What runs after a failed boot would run on an instance that is on its way out.
    runcmd: [`python3 ${bootFile} || exit 1`, ...commands],
  };
  // cloud-init reads YAML 1.1, in which a plain `on` or `12:30:00` is no text. Indentation counts as user data, so there is little.
  const text = `#cloud-config\n${stringify(document, { lineWidth: 0, version: '1.1', indentSeq: false })}`;
  checkUserDataSize(module, text);
  return text;
}

const aptSources = (repos: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(repos).map(([name, source]) => [name, { source }]));

/** Patches come with a new image; a restart by needrestart would end jobs, or take down several nodes within the same hour. */
const neverRestart = (services: readonly string[]) =>
  // Puppet itself runs in drover-configure, and it installs packages.
  ['drover-[a-z-]+', ...services].map((name) => `$nrconf{override_rc}{qr(^${name}\\.service$)} = 0;\n`).join('');
