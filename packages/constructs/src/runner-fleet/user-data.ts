import { hooks, tokenSecretPrefix } from '@drover/core/names/runner-fleet';
import { type InstanceFacts, instanceUserData } from '../boot/instance-user-data.ts';
import { type RunnerFleetSettings, title } from './settings.ts';

/** The cloud-init document of a runner instance. */
export function runnerUserData(settings: RunnerFleetSettings, facts: InstanceFacts): string {
  const { groupName } = settings;
  const boot = {
    module: title,
    role: 'actions_runner',
    groupName,
    hook: hooks.bootstrap.name,
    keepRunning: ['actions-runner', 'runner-agent'],
  };
  return instanceUserData(settings, facts, boot, {
    actions_runner: {
      autoscaling_group_name: groupName,
      region: facts.region,
      platform_url: platformUrl(settings),
      extra_labels: settings.extraLabels,
      ...(settings.runnerGroup === undefined ? {} : { runner_group: settings.runnerGroup }),
      runner_version: settings.runnerVersion,
      runner_checksum: settings.runnerChecksum,
      registration_token_secret_prefix: tokenSecretPrefix(groupName),
    },
  });
}

/** The URL that runners register at: the page of the organisation, not the API. */
function platformUrl({ platformApi, platformOrg }: RunnerFleetSettings): string {
  const site = platformApi === 'https://api.github.com' ? 'https://github.com' : platformApi.replace(/\/api\/v3$/, '');
  return `${site}/${platformOrg}`;
}
