import { hooks, tokenSecretPrefix } from '@drover/core/names/runner-fleet';
import { cloudConfig } from '../boot/cloud-config.ts';
import type { BootAsset } from '../boot/software.ts';
import { moduleName, type RunnerFleetSettings } from './settings.ts';

export interface UserDataFacts {
  readonly region: string;
  /** `amazonaws.com`, or what it is in this partition. */
  readonly urlSuffix: string;
  readonly moduleVersion: string;
  readonly software: readonly BootAsset[];
}

/** The cloud-init document of a runner instance. */
export function runnerUserData(settings: RunnerFleetSettings, facts: UserDataFacts): string {
  const { extraRepos, extraFiles, postRuncmd = [] } = settings.inputs;
  return cloudConfig({
    module: moduleName,
    packages: settings.packages,
    extraRepos,
    extraFiles,
    facts: customFacts(settings, facts),
    commands: postRuncmd,
  });
}

/** What Puppet and the boot script know of this instance; puppet/README.md describes each. */
function customFacts(settings: RunnerFleetSettings, facts: UserDataFacts) {
  const { inputs, groupName } = settings;
  return {
    drover: {
      module_version: facts.moduleVersion,
      role: 'actions_runner',
      environment: settings.environment,
      region: facts.region,
      packages: settings.packages,
      software: facts.software,
      puppet: {
        hiera_config: settings.puppetHieraConfigPath,
        module_path: settings.puppetModulePath,
        manifest: settings.puppetManifest,
      },
      launch: {
        autoscaling_group_name: groupName,
        hook: hooks.bootstrap.name,
        endpoint: `https://autoscaling.${facts.region}.${facts.urlSuffix}/`,
      },
    },
    actions_runner: {
      autoscaling_group_name: groupName,
      region: facts.region,
      platform_url: platformUrl(settings),
      extra_labels: settings.extraLabels,
      ...(inputs.runnerGroup === undefined ? {} : { runner_group: inputs.runnerGroup }),
      runner_version: inputs.runnerVersion,
      runner_checksum: inputs.runnerChecksum,
      registration_token_secret_prefix: tokenSecretPrefix(groupName),
    },
  };
}

/** Where runners register: the organisation's page, not the API. */
function platformUrl({ platformApi, platformOrg }: RunnerFleetSettings): string {
  const site = platformApi === 'https://api.github.com' ? 'https://github.com' : platformApi.replace(/\/api\/v3$/, '');
  return `${site}/${platformOrg}`;
}
