import { debianVersion } from '@drover/core/names/version';
import type { ConfigurationProps } from '../inputs/shared-props.ts';
import { cloudConfig } from './cloud-config.ts';
import { type ImageFamily, remoteAgentPackage } from './images.ts';
import type { Architecture } from './node-runtime.ts';
import type { BootAsset } from './software.ts';

/** Settings of a module for each of its instances. */
export interface InstanceSettings extends Pick<ConfigurationProps, 'extraRepos' | 'extraFiles' | 'postRuncmd'> {
  readonly environment: string;
  readonly imageFamily: ImageFamily;
  readonly architecture: Architecture;
  readonly packages: readonly string[];
  readonly programsFromPackages: boolean;
  readonly puppetHieraConfigPath: string;
  readonly puppetModulePath: string;
  readonly puppetManifest: string;
}

/** Facts that only the stack knows. */
export interface InstanceFacts {
  readonly region: string;
  /** `amazonaws.com`, or what it is in this partition. */
  readonly urlSuffix: string;
  readonly moduleVersion: string;
  readonly software: readonly BootAsset[];
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
  /** The hook that holds an instance after its launch was given up, unless this folder has something in it. */
  readonly release?: { readonly hook: string; readonly unless: string };
  /** The tag in which an instance notes why its launch was given up. */
  readonly noteTag?: string;
  /** Services that an upgrade of a library must not restart, beside Drover's own. */
  readonly keepRunning: readonly string[];
  /** Whether the distribution may install security updates by itself; where instances are replaced often, the image brings them. */
  readonly unattendedUpgrades: boolean;
  /** Software that a booting instance takes from a bucket: the object says which version, and where in the bucket it lies. */
  readonly mirror?: { readonly bucket: string; readonly object: string };
  /** Variables of the boot script, of Puppet and of the services. @default none */
  readonly variables?: Readonly<Record<string, string>>;
  /** Settings of apt in addition to ours. */
  readonly aptProxy?: string;
  /** Certificates (PEM) of authorities that the system trusts in addition to its own. */
  readonly trusted?: string;
  /** A program below /opt/drover that runs before Puppet. */
  readonly prepare?: readonly string[];
}

/** The cloud-init document of an instance: the fact `drover` for the boot script and Puppet, and what the module adds. */
export function instanceUserData(
  settings: InstanceSettings,
  facts: InstanceFacts,
  boot: InstanceBoot,
  ownFacts: Readonly<Record<string, object>>,
): string {
  const { extraRepos, extraFiles, postRuncmd = [] } = settings;
  return cloudConfig({
    module: boot.module,
    packages: settings.packages,
    extraRepos,
    extraFiles,
    facts: { drover: droverFact(settings, facts, boot), ...ownFacts },
    keepRunning: boot.keepRunning,
    unattendedUpgrades: boot.unattendedUpgrades,
    commands: postRuncmd,
    aptProxy: boot.aptProxy,
    trusted: boot.trusted,
  });
}

/** The address from which `bin/configure` fetches the agent of Systems Manager. */
const agentFact = (url: string | undefined) => (url === undefined ? {} : { remote_agent: url });

const droverFact = (
  settings: InstanceSettings,
  { moduleVersion, region, urlSuffix, software }: InstanceFacts,
  { role, groupName, hook, release, noteTag, mirror, prepare, logGroup, variables = {} }: InstanceBoot,
) => ({
  module_version: moduleVersion,
  role,
  environment: settings.environment,
  region,
  packages: settings.packages,
  ...(settings.programsFromPackages ? { program_version: debianVersion(moduleVersion) } : {}),
  software,
  puppet: {
    hiera_config: settings.puppetHieraConfigPath,
    module_path: settings.puppetModulePath,
    manifest: settings.puppetManifest,
  },
  launch: {
    autoscaling_group_name: groupName,
    hook,
    ...(release === undefined ? {} : { release }),
    ...(noteTag === undefined ? {} : { note: { tag: noteTag, endpoint: `https://ec2.${region}.${urlSuffix}/` } }),
    endpoint: `https://autoscaling.${region}.${urlSuffix}/`,
  },
  ...(logGroup === undefined ? {} : { logs: { group: logGroup, endpoint: `https://logs.${region}.${urlSuffix}/` } }),
  ...(mirror === undefined ? {} : { mirror }),
  ...agentFact(remoteAgentPackage(settings, { region, urlSuffix })),
  ...(prepare === undefined ? {} : { prepare }),
  ...(Object.keys(variables).length === 0 ? {} : { variables }),
});
