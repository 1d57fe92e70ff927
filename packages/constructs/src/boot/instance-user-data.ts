import { debianVersion } from '@drover/core/names/version';
import { defaultPuppetPackage } from '../inputs/shared-defaults.ts';
import { cloudConfig, type InstanceBoot, type InstanceSettings } from './cloud-config.ts';
import { remoteAgentPackage } from './images.ts';
import type { BootAsset } from './software.ts';

/** Facts that only the stack knows. */
export interface InstanceFacts {
  readonly region: string;
  /** `amazonaws.com`, or what it is in this partition. */
  readonly urlSuffix: string;
  /** Of what comes with the stack: it names the software, too. Where that comes by a pointer, neither is here. */
  readonly moduleVersion?: string;
  readonly software?: readonly BootAsset[];
  /** Object that says which software an instance should have. */
  readonly pointerUrl?: string;
}

/** The cloud-init document of an instance: the fact `drover` for the boot script and Puppet, and what the module adds. */
export function instanceUserData(
  settings: InstanceSettings,
  facts: InstanceFacts,
  boot: InstanceBoot,
  ownFacts: Readonly<Record<string, object>>,
): string {
  return cloudConfig(settings, boot, { drover: droverFact(settings, facts, boot), ...ownFacts });
}

/** The tree that `bin/configure` applies, and what it applies it with. */
export const puppetFacts = (settings: InstanceSettings) => ({
  ...(settings.puppetPackage === defaultPuppetPackage ? {} : { package: settings.puppetPackage }),
  hiera_config: settings.puppetHieraConfigPath,
  module_path: settings.puppetModulePath,
  manifest: settings.puppetManifest,
});

/** The version of the programs' packages is that of the software; where a pointer names it, its taker writes the fact. */
const programFacts = ({ programsFromPackages }: InstanceSettings, version: string | undefined) => {
  return programsFromPackages && version !== undefined ? { program_version: debianVersion(version) } : {};
};

/** The address from which `bin/configure` fetches the agent of Systems Manager. */
const agentFact = (url: string | undefined) => (url === undefined ? {} : { remote_agent: url });

/** On a baked image `bin/image` takes the release: it knows which one the image has without reading its archive. */
const mirrorFact = (mirror: InstanceBoot['mirror'], bakedImage = false) => {
  const fact = mirror === undefined ? {} : { mirror };
  return bakedImage ? { baked_image: fact } : fact;
};

const droverFact = (
  settings: InstanceSettings,
  { moduleVersion, region, urlSuffix, software, pointerUrl }: InstanceFacts,
  { role, groupName, hook, release, noteTag, mirror, bakedImage, prepare, logGroup, variables = {} }: InstanceBoot,
) => ({
  ...(moduleVersion === undefined ? {} : { module_version: moduleVersion }),
  role,
  environment: settings.environment,
  region,
  packages: settings.packages,
  ...programFacts(settings, moduleVersion),
  ...(pointerUrl === undefined ? { software } : { software_pointer: pointerUrl }),
  puppet: puppetFacts(settings),
  launch: {
    autoscaling_group_name: groupName,
    hook,
    ...(release === undefined ? {} : { release }),
    ...(noteTag === undefined ? {} : { note: { tag: noteTag, endpoint: `https://ec2.${region}.${urlSuffix}/` } }),
    endpoint: `https://autoscaling.${region}.${urlSuffix}/`,
  },
  ...(logGroup === undefined ? {} : { logs: { group: logGroup, endpoint: `https://logs.${region}.${urlSuffix}/` } }),
  ...mirrorFact(mirror, bakedImage),
  ...agentFact(remoteAgentPackage(settings, { region, urlSuffix })),
  ...(prepare === undefined ? {} : { prepare }),
  ...(Object.keys(variables).length === 0 ? {} : { variables }),
});
