import { readFileSync } from 'node:fs';
import { Token } from 'aws-cdk-lib';
import { gzipSync, strToU8 } from 'fflate';
import { stringify } from 'yaml';
import type { ConfigurationProps, ExtraFile, ExtraRepo } from '../inputs/shared-props.ts';
import { bootSource } from '../programs.ts';
import { checkUserDataSize } from './user-data-size.ts';

export interface CloudConfig extends Pick<ConfigurationProps, 'extraRepos' | 'extraFiles'> {
  /** How messages call the module. */
  readonly module: string;
  readonly packages: readonly string[];
  /** Facts about this instance for Puppet and the boot script; puppet/README.md describes each. */
  readonly facts: object;
  /** Services that an upgrade of a library must not restart, without `.service`. */
  readonly keepRunning: readonly string[];
  /** Whether the distribution may install security updates by itself. */
  readonly unattendedUpgrades: boolean;
  readonly aptProxy?: string | undefined;
  /** Certificates (PEM), for the system's store before anything is fetched. */
  readonly trusted?: string | undefined;
  /** Shell lines that run when the instance is configured, before its launch is complete. */
  readonly commands: readonly string[];
}

const factsFile = '/etc/puppetlabs/facter/facts.d/custom.json';
const bootFile = '/opt/drover/boot.py';
/** Beside the boot script, which runs them. Only root can read it, as it could cloud-init's own script. */
const commandsFile = '/opt/drover/post-runcmd.json';
/** Read by needrestart, which Ubuntu 24.04 runs after each upgrade of packages, unattended ones too. */
const needrestartFile = '/etc/needrestart/conf.d/drover.conf';
const aptFile = '/etc/apt/apt.conf.d/90drover';
/** Puppet's apt-get would fail at once while unattended-upgrades holds the lock, and the launch would be given up. */
const waitForLock = 'DPkg::Lock::Timeout "600";\n';
/** Read by apt-daily and apt-daily-upgrade, which unattended-upgrades runs from. */
const noTimers = 'APT::Periodic::Enable "0";\n';
/** Debian 12, Ubuntu 22.04 and 24.04 all have a package of this name. */
const puppetPackage = 'puppet';
/** Runs at each boot, before the agent: /run is empty then, and cloud-init runs the boot script only once (boot.py). */
const markAgain = '[ ! -e /var/lib/cloud/instance/drover-booted ] || install -D -m 644 /dev/null /run/drover/booted';

/** Comments are for readers of the source; the size of user data is limited. */
const withoutComments = (script: string) => script.replace(/^ *"""[\s\S]*?"""\n/gm, '').replace(/^ *#(?!!).*\n/gm, '');

/** The cloud-init document of an instance: facts, packages, and the script that does the rest. Holds no secret. */
export function cloudConfig(config: CloudConfig): string {
  const { module, packages, extraRepos, extraFiles = {}, facts, keepRunning, unattendedUpgrades, commands } = config;
  const { aptProxy = '', trusted } = config;
  const bootScript = withoutComments(readFileSync(bootSource('boot.py'), 'utf8'));
  const document = {
    output: { all: '| tee -a /var/log/cloud-init-output.log' },
    ...(trusted === undefined ? {} : { ca_certs: { trusted: [trusted] } }),
    package_update: true,
    packages: [...new Set([puppetPackage, ...packages])],
    ...(extraRepos === undefined ? {} : { apt: { sources: aptSources(extraRepos) } }),
    write_files: [
      file(factsFile, { permissions: '0644', content: JSON.stringify(facts) }),
      file(bootFile, { permissions: '0755', content: bootScript }),
      // cloud-init writes files before it installs packages, so these hold from the first package on.
      file(needrestartFile, { permissions: '0644', content: neverRestart(keepRunning) }),
      file(aptFile, { permissions: '0644', content: waitForLock + (unattendedUpgrades ? '' : noTimers) + aptProxy }),
      ...(commands.length === 0
        ? []
        : [file(commandsFile, { permissions: '0600', content: JSON.stringify(commands) })]),
      ...Object.entries(extraFiles).map(([path, given]) => extraFile(path, given)),
    ],
    bootcmd: [markAgain],
    runcmd: [`python3 ${bootFile}`],
  };
  // cloud-init reads YAML 1.1, in which a plain `on` or `12:30:00` is no text. Indentation counts as user data, so there is little.
  const text = `#cloud-config\n${stringify(document, { lineWidth: 0, version: '1.1', indentSeq: false })}`;
  checkUserDataSize(module, text);
  return text;
}

/**
 * A file, compressed if that makes it shorter. Not the document as a whole: CloudFormation fills values in, here and in facts.
 * Not by Node's zlib, whose result depends on its version and the processor: another text would replace every instance.
 */
function file(path: string, { content, ...rest }: ExtraFile) {
  const plain = { path, ...rest, content };
  if (Token.isUnresolved(content)) return plain;
  const packed = Buffer.from(gzipSync(strToU8(content), { level: 9, mtime: 0 })).toString('base64');
  return packed.length >= content.length ? plain : { ...plain, encoding: 'gz+b64', content: packed };
}

/** A file of another owner waits until packages have made their users and groups. */
const extraFile = (path: string, given: string | ExtraFile) => {
  if (typeof given === 'string') return file(path, { content: given });
  return { ...file(path, given), ...(/^root(:root)?$/.test(given.owner ?? 'root') ? {} : { defer: true }) };
};

const aptSources = (repos: Readonly<Record<string, string | ExtraRepo>>) =>
  Object.fromEntries(
    Object.entries(repos).map(([name, repo]) => [name, typeof repo === 'string' ? { source: repo } : repo]),
  );

/** Patches come with a new image; a restart by needrestart would end jobs, or take down several nodes within the same hour. */
const neverRestart = (services: readonly string[]) =>
  // Puppet itself runs in drover-configure, and it installs packages.
  ['drover-[a-z-]+', ...services].map((name) => `$nrconf{override_rc}{qr(^${name}\\.service$)} = 0;\n`).join('');
