import { readFileSync } from 'node:fs';
import { hooks, tokenSecretPrefix } from '@drover/core/names/runner-fleet';
import { stringify } from 'yaml';
import type { BootAsset } from '../boot/software.ts';
import { checkUserDataSize } from '../boot/user-data-size.ts';
import type { RunnerFleetSettings } from './settings.ts';

export interface UserDataFacts {
  readonly region: string;
  /** `amazonaws.com`, or what it is in this partition. */
  readonly urlSuffix: string;
  readonly moduleVersion: string;
  readonly software: readonly BootAsset[];
}

const factsFile = '/etc/puppetlabs/facter/facts.d/custom.json';
const bootFile = '/opt/drover/boot.py';
/** Debian 12, Ubuntu 22.04 and 24.04 all have a package of this name. */
const puppetPackage = 'puppet';

/** The cloud-init document of a runner instance: facts, packages, and the script that does the rest. Holds no secret. */
export function runnerUserData(settings: RunnerFleetSettings, facts: UserDataFacts): string {
  const { inputs } = settings;
  const bootScript = readFileSync(new URL('../boot/boot.py', import.meta.url), 'utf8');
  const document = {
    output: { all: '| tee -a /var/log/cloud-init-output.log' },
    package_update: true,
    packages: [...new Set([puppetPackage, ...settings.packages])],
    ...(inputs.extraRepos === undefined ? {} : { apt: { sources: aptSources(inputs.extraRepos) } }),
    write_files: [
      { path: factsFile, permissions: '0644', content: JSON.stringify(customFacts(settings, facts)) },
      { path: bootFile, permissions: '0755', content: bootScript },
      ...Object.entries(inputs.extraFiles ?? {}).map(([path, content]) => ({ path, content })),
    ],
    // What runs after a failed boot would run on an instance that is on its way out.
    runcmd: [`python3 ${bootFile} || exit 1`, ...(inputs.postRuncmd ?? [])],
  };
  // cloud-init reads YAML 1.1, in which a plain `on` or `12:30:00` is no text.
  const text = `#cloud-config\n${stringify(document, { lineWidth: 0, version: '1.1' })}`;
  checkUserDataSize('the runner fleet', text);
  return text;
}

const aptSources = (repos: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(repos).map(([name, source]) => [name, { source }]));

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
