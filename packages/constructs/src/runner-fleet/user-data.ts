import { hooks, latestRunner, releaseObject, tokenSecretPrefix } from '@drover/core/names/runner-fleet';
import { type InstanceFacts, instanceUserData } from '../boot/instance-user-data.ts';
import { type RunnerFleetSettings, title } from './settings.ts';

/** The bucket of the fleet, and the prefix of the hosts' reports in it. */
export interface FleetBucket {
  readonly bucket: string;
  readonly reports: string;
}

/** The cloud-init document of a runner instance. */
export function runnerUserData(settings: RunnerFleetSettings, facts: InstanceFacts, memory: FleetBucket): string {
  const { groupName, docker, passwordlessSudo } = settings;
  const latest = settings.runnerVersion === latestRunner;
  const boot = {
    module: title,
    role: 'actions_runner',
    groupName,
    hook: hooks.bootstrap.name,
    // A restart of the daemon would end the containers of jobs.
    keepRunning: ['actions-runner', 'runner-agent', ...(docker ? ['docker', 'containerd'] : [])],
    // They would hold the lock of dpkg in the middle of jobs, and restart what jobs use.
    unattendedUpgrades: false,
    ...(latest
      ? { mirror: { bucket: `https://s3.${facts.region}.${facts.urlSuffix}/${memory.bucket}`, object: releaseObject } }
      : {}),
  };
  return instanceUserData(settings, facts, boot, {
    actions_runner: {
      autoscaling_group_name: groupName,
      region: facts.region,
      platform_url: platformUrl(settings),
      extra_labels: settings.extraLabels,
      ...(settings.runnerGroup === undefined ? {} : { runner_group: settings.runnerGroup }),
      ...(latest ? {} : { runner_version: settings.runnerVersion, runner_checksum: settings.runnerChecksum }),
      host_reports: `${memory.bucket}/${memory.reports}`,
      registration_token_secret_prefix: tokenSecretPrefix(groupName),
      ...(docker ? { docker } : {}),
      ...(passwordlessSudo ? { passwordless_sudo: passwordlessSudo } : {}),
    },
  });
}

/** The URL that runners register at: the page of the organisation, not the API. */
const platformUrl = ({ platformApi, platformOrg }: RunnerFleetSettings) =>
  `${platformApi.replace(/^https:\/\/api\.(github\.com|[\w-]+\.ghe\.com)$/, 'https://$1').replace(/\/api\/v3$/, '')}/${platformOrg}`;
