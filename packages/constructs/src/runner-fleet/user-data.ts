import { runnerUrl } from '@drover/core/names/platform-level';
import {
  hooks,
  latestRunner,
  metricNamespace,
  releaseObject,
  tokenSecretPrefix,
} from '@drover/core/names/runner-fleet';
import { type InstanceFacts, instanceUserData } from '../boot/instance-user-data.ts';
import { aptProxy, instanceEnvironment } from './network.ts';
import { type RunnerFleetSettings, title } from './settings.ts';

/** Places of the fleet that an instance reads and writes. */
export interface FleetPlaces {
  /** Holds the runner software and the hosts' reports. */
  readonly bucket: string;
  /** Prefix of the hosts' reports in the bucket. */
  readonly reports: string;
  readonly logGroup: string;
}

/** The cloud-init document of a runner instance. */
export function runnerUserData(
  settings: RunnerFleetSettings,
  facts: InstanceFacts,
  { bucket, reports, logGroup }: FleetPlaces,
): string {
  const { groupName, docker, passwordlessSudo } = settings;
  const latest = settings.runnerVersion === latestRunner;
  const boot = {
    module: title,
    role: 'actions_runner',
    groupName,
    hook: hooks.bootstrap.name,
    logGroup,
    // A restart of the daemon would end the containers of jobs.
    keepRunning: ['actions-runner', 'runner-agent', ...(docker ? ['docker', 'containerd'] : [])],
    // They would hold the lock of dpkg in the middle of jobs, and restart what jobs use.
    unattendedUpgrades: false,
    ...(latest
      ? { mirror: { bucket: `https://s3.${facts.region}.${facts.urlSuffix}/${bucket}`, object: releaseObject } }
      : {}),
    variables: instanceEnvironment(settings),
    aptProxy: aptProxy(settings),
    ...(settings.caCertificates === undefined ? {} : { trusted: settings.caCertificates }),
  };
  return instanceUserData(settings, facts, boot, {
    actions_runner: {
      autoscaling_group_name: groupName,
      region: facts.region,
      platform_url: runnerUrl(settings.platformApi, settings.level),
      ...(settings.scalingMode === 'jobs' ? { scaling_mode: settings.scalingMode } : {}),
      extra_labels: settings.extraLabels,
      ...(settings.runnerGroup === undefined ? {} : { runner_group: settings.runnerGroup }),
      ...(latest ? {} : { runner_version: settings.runnerVersion, runner_checksum: settings.runnerChecksum }),
      host_reports: `${bucket}/${reports}`,
      log_group: logGroup,
      metric_namespace: metricNamespace(settings.vendor),
      registration_token_secret_prefix: tokenSecretPrefix(groupName),
      ...(docker ? { docker } : {}),
      ...(passwordlessSudo ? { passwordless_sudo: passwordlessSudo } : {}),
    },
  });
}
