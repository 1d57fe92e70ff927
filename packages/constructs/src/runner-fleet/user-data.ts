import { hooks, tokenSecretPrefix } from '@drover/core/names/runner-fleet';
import { type InstanceFacts, instanceUserData } from '../boot/instance-user-data.ts';
import { moduleName, type RunnerFleetSettings } from './settings.ts';

/** The cloud-init document of a runner instance. */
export function runnerUserData(settings: RunnerFleetSettings, facts: InstanceFacts): string {
  const { inputs, groupName } = settings;
  const boot = {
    module: moduleName,
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
      ...(inputs.runnerGroup === undefined ? {} : { runner_group: inputs.runnerGroup }),
      runner_version: inputs.runnerVersion,
      runner_checksum: inputs.runnerChecksum,
      registration_token_secret_prefix: tokenSecretPrefix(groupName),
    },
  });
}

/** Where runners register: the organisation's page, not the API. */
function platformUrl({ platformApi, platformOrg }: RunnerFleetSettings): string {
  const site = platformApi === 'https://api.github.com' ? 'https://github.com' : platformApi.replace(/\/api\/v3$/, '');
  return `${site}/${platformOrg}`;
}
