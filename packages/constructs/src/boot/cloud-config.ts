import { readFileSync } from 'node:fs';
import { Token } from 'aws-cdk-lib';
import { gzipSync, strToU8 } from 'fflate';
import { stringify } from 'yaml';
import type { configurationDefaults } from '../inputs/shared-defaults.ts';
import type { ConfigurationProps, ExtraFile, ExtraRepo } from '../inputs/shared-props.ts';
import { bootSource } from '../programs.ts';
import type { ImageFamily } from './images.ts';
import type { Architecture } from './node-runtime.ts';
import { checkUserDataSize } from './user-data-size.ts';

type Configuration = ReturnType<typeof configurationDefaults>;
type GivenConfiguration = Pick<ConfigurationProps, 'extraRepos' | 'extraFiles' | 'postRuncmd'>;

/** Settings of a module for each of its instances. */
export interface InstanceSettings extends Configuration, GivenConfiguration {
  readonly environment: string;
  readonly imageFamily: ImageFamily;
  readonly architecture: Architecture;
}

/** How an instance of this kind comes up. */
export interface InstanceBoot {
  /** How messages call the module. */
  readonly module: string;
  readonly role: string;
  readonly groupName: string;
  /** The lifecycle hook that a failed boot gives up. */
  readonly hook: string;
  /** Log group that a failed boot sends the end of its logs to. */
  readonly logGroup?: string;
  /** The hook that holds an instance after its launch was given up, unless this folder of a service has something in it. */
  readonly release?: { readonly hook: string; readonly unless: string; readonly service: string };
  /** The tag in which an instance notes why its launch was given up. */
  readonly noteTag?: string;
  /** Services that an upgrade of a library must not restart, beside Drover's own. */
  readonly keepRunning: readonly string[];
  /** Whether the distribution may install security updates by itself; where instances are replaced often, the image brings them. */
  readonly unattendedUpgrades: boolean;
  /** Software that a booting instance takes from a bucket: the object says which version, and where in the bucket it lies. */
  readonly mirror?: { readonly bucket: string; readonly object: string };
  /** The image has what an instance needs, so that only what it lacks is installed. @default false */
  readonly bakedImage?: boolean;
  /** EC2 may take it back while it boots: it says so. @default false */
  readonly watchesNotice?: boolean;
  /** Variables of the boot script, of Puppet and of the services. @default none */
  readonly variables?: Readonly<Record<string, string>>;
  /** Settings of apt in addition to ours. */
  readonly aptProxy?: string;
  /** Certificates (PEM) of authorities that the system trusts in addition to its own. */
  readonly trusted?: string;
  /** A program below /opt/drover that runs before Puppet. */
  readonly prepare?: readonly string[];
}

const factsFile = '/etc/puppetlabs/facter/facts.d/custom.json';
const bootFile = '/opt/drover/boot.py';
/** Beside the boot script, whose calls it uses. */
const noticeFile = '/opt/drover/spot-notice.py';
/** From before packages are installed. cloud-init writes its files after this; an image may have one of another boot. */
const watchNotice =
  `cloud-init-per instance spot-notice sh -c 'rm -f ${noticeFile}; ` +
  `(until [ -x ${noticeFile} ]; do sleep 1; done; exec python3 ${noticeFile}) </dev/null >/dev/null 2>&1 &'`;
/** Beside the boot script, which runs them. Only root can read it, as it could cloud-init's own script. */
const commandsFile = '/opt/drover/post-runcmd.json';
/** Read by needrestart, which Ubuntu 24.04 runs after each upgrade of packages, unattended ones too. */
const needrestartFile = '/etc/needrestart/conf.d/drover.conf';
const aptFile = '/etc/apt/apt.conf.d/90drover';
/** Puppet's apt-get would fail at once while unattended-upgrades holds the lock, and the launch would be given up. */
const waitForLock = 'DPkg::Lock::Timeout "600";\n';
/** Read by apt-daily and apt-daily-upgrade, which unattended-upgrades runs from. */
const noTimers = 'APT::Periodic::Enable "0";\n';
/** Runs at each boot, before the agent: /run is empty then, and cloud-init runs the boot script only once (boot.py). */
const markAgain = '[ ! -e /var/lib/cloud/instance/drover-booted ] || install -D -m 644 /dev/null /run/drover/booted';

/** Comments are for readers of the source; the size of user data is limited. */
const withoutComments = (script: string) => script.replace(/^ *"""[\s\S]*?"""\n/gm, '').replace(/^ *#(?!!).*\n/gm, '');

/**
 * The cloud-init document of an instance: facts for Puppet and the boot script (puppet/README.md describes each), packages, and the script that
 * does the rest. Holds no secret.
 */
export function cloudConfig(settings: InstanceSettings, boot: InstanceBoot, facts: object): string {
  const { packages, puppetPackage, extraRepos, extraFiles = {}, postRuncmd: commands = [] } = settings;
  const { module, keepRunning, unattendedUpgrades, aptProxy = '', trusted } = boot;
  const script = (name: string) => withoutComments(readFileSync(bootSource(name), 'utf8'));
  const watches = boot.watchesNotice === true;
  const document = {
    output: { all: '| tee -a /var/log/cloud-init-output.log' },
    ...(trusted === undefined ? {} : { ca_certs: { trusted: [trusted] } }),
    // With them cloud-init would run apt at each first boot, whether or not something is missing: `bin/image` looks first.
    ...(boot.bakedImage ? {} : { package_update: true, packages: [...new Set([puppetPackage, ...packages])] }),
    ...(extraRepos === undefined ? {} : { apt: { sources: aptSources(extraRepos) } }),
    write_files: [
      file(factsFile, { permissions: '0644', content: JSON.stringify(facts) }),
      file(bootFile, { permissions: '0755', content: script('boot.py') }),
      // After the boot script, which it imports.
      ...(watches ? [file(noticeFile, { permissions: '0755', content: script('spot-notice.py') })] : []),
      // cloud-init writes files before it installs packages, so these hold from the first package on.
      file(needrestartFile, { permissions: '0644', content: neverRestart(keepRunning) }),
      file(aptFile, { permissions: '0644', content: waitForLock + (unattendedUpgrades ? '' : noTimers) + aptProxy }),
      ...(commands.length === 0
        ? []
        : [file(commandsFile, { permissions: '0600', content: JSON.stringify(commands) })]),
      ...Object.entries(extraFiles).map(([path, given]) => extraFile(path, given)),
    ],
    bootcmd: [markAgain, ...(watches ? [watchNotice] : [])],
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
