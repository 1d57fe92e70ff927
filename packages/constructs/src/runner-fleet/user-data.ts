import { tokenSecretPrefix } from '@drover/core/names/runner-fleet';
import { stringify } from 'yaml';
import type { RunnerFleetSettings } from './settings.ts';

/** Software that comes with the stack: where it lies and how it is checked. */
export interface BootAsset {
  readonly bucket: string;
  readonly key: string;
  /** Path below /opt/drover. */
  readonly target: string;
}

export interface UserDataFacts {
  readonly region: string;
  readonly moduleVersion: string;
  readonly assets: readonly BootAsset[];
}

const factsFile = '/etc/puppetlabs/facter/facts.d/custom.json';

/** The cloud-init document of a runner instance: facts, packages, download, Puppet. Holds no secret. */
export function runnerUserData(settings: RunnerFleetSettings, facts: UserDataFacts): string {
  const { inputs } = settings;
  const document = {
    package_update: true,
    packages: ['puppet', 'unzip', 'curl', ...settings.packages],
    ...(inputs.extraRepos === undefined ? {} : { apt: { sources: aptSources(inputs.extraRepos) } }),
    write_files: [
      { path: factsFile, permissions: '0644', content: JSON.stringify(customFacts(settings, facts)) },
      ...Object.entries(inputs.extraFiles ?? {}).map(([path, content]) => ({ path, content })),
    ],
    runcmd: [
      ...facts.assets.map((asset) => ['sh', '-c', download(asset, facts.region)]),
      [
        'sh',
        '-c',
        `puppet apply --logdest /var/log/puppet.log --detailed-exitcodes --hiera_config ${settings.puppetHieraConfigPath} --modulepath ${settings.puppetModulePath} ${settings.puppetManifest}; [ $? -le 2 ] || /opt/drover/bin/abandon-launch`,
      ],
      ...(inputs.postRuncmd ?? []).map((command) => ['sh', '-c', command]),
    ],
  };
  return `#cloud-config\n${stringify(document, { lineWidth: 0 })}`;
}

const aptSources = (repos: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(repos).map(([name, source]) => [name, { source }]));

/** An asset's key is the digest of its content, and the transfer is TLS to a bucket that only the deployment writes. */
const download = (asset: BootAsset, region: string) =>
  `aws --region ${region} s3 cp s3://${asset.bucket}/${asset.key} /tmp/${asset.target}.zip && mkdir -p /opt/drover/${asset.target} && unzip -qo /tmp/${asset.target}.zip -d /opt/drover/${asset.target}`;

function customFacts(settings: RunnerFleetSettings, facts: UserDataFacts) {
  const { inputs } = settings;
  return {
    drover: { module_version: facts.moduleVersion, role: 'actions_runner', environment: settings.environment },
    actions_runner: {
      autoscaling_group_name: settings.groupName,
      region: facts.region,
      platform_url: platformUrl(settings),
      extra_labels: settings.extraLabels,
      ...(inputs.runnerGroup === undefined ? {} : { runner_group: inputs.runnerGroup }),
      runner_version: inputs.runnerVersion,
      runner_checksum: inputs.runnerChecksum,
      registration_token_secret_prefix: tokenSecretPrefix(settings.groupName),
    },
  };
}

/** Where runners register: the organisation's page, not the API. */
function platformUrl({ platformApi, platformOrg }: RunnerFleetSettings): string {
  const site = platformApi === 'https://api.github.com' ? 'https://github.com' : platformApi.replace(/\/api\/v3$/, '');
  return `${site}/${platformOrg}`;
}
