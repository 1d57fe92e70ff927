import { type AgentKey, agentKeys } from '@drover/core/names/agent-keys';
import { runnerUrl } from '@drover/core/names/platform-level';
import { hooks, latestRunner, metricNamespace, tokenSecretPrefix } from '@drover/core/names/runner-fleet';
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
  /** Describes the runner software of the instance's architecture, in the bucket. */
  readonly release: string;
  /** Name of the instance's own group, where that is the on-demand fallback. @default the fleet's group */
  readonly ownGroup?: string;
}

/** The cloud-init document of a runner instance. */
export function runnerUserData(
  settings: RunnerFleetSettings,
  facts: InstanceFacts,
  { bucket, reports, logGroup, release, ownGroup }: FleetPlaces,
): string {
  const { groupName, docker, dockerRegistryMirror, passwordlessSudo } = settings;
  const latest = settings.runnerVersion === latestRunner;
  const boot = {
    module: title,
    role: 'actions_runner',
    groupName: ownGroup ?? groupName,
    hook: hooks.bootstrap.name,
    logGroup,
    // A restart of the daemon would end the containers of jobs.
    keepRunning: ['actions-runner', 'runner-agent', ...(docker ? ['docker', 'containerd'] : [])],
    // They would hold the lock of dpkg in the middle of jobs, and restart what jobs use.
    unattendedUpgrades: false,
    ...(latest
      ? { mirror: { bucket: `https://s3.${facts.region}.${facts.urlSuffix}/${bucket}`, object: release } }
      : {}),
    bakedImage: settings.bakedImage,
    // Where nothing else can be launched at once, the group replaces it as spot when it is gone.
    watchesNotice: settings.onDemandFallback === true && ownGroup === undefined,
    variables: instanceEnvironment(settings),
    aptProxy: aptProxy(settings),
    ...(settings.caCertificates === undefined ? {} : { trusted: settings.caCertificates }),
  };
  return instanceUserData(settings, facts, boot, {
    actions_runner: {
      [agentKeys.groupName]: groupName,
      ...(ownGroup === undefined ? {} : { [agentKeys.ownGroup]: ownGroup }),
      [agentKeys.region]: facts.region,
      [agentKeys.platformUrl]: runnerUrl(settings.platformApi, settings.level),
      ...(settings.scalingMode === 'jobs' ? { [agentKeys.scalingMode]: settings.scalingMode } : {}),
      [agentKeys.extraLabels]: settings.extraLabels,
      ...(settings.runnerGroup === undefined ? {} : { [agentKeys.runnerGroup]: settings.runnerGroup }),
      ...(latest
        ? {}
        : { [agentKeys.runnerVersion]: settings.runnerVersion, [agentKeys.runnerChecksum]: settings.runnerChecksum }),
      [agentKeys.hostReports]: `${bucket}/${reports}`,
      [agentKeys.logGroup]: logGroup,
      [agentKeys.metricNamespace]: metricNamespace(settings.vendor),
      [agentKeys.tokenSecretPrefix]: tokenSecretPrefix(groupName),
      ...(docker ? { [agentKeys.docker]: docker } : {}),
      ...(docker && dockerRegistryMirror !== undefined
        ? { [agentKeys.dockerRegistryMirror]: dockerRegistryMirror }
        : {}),
      ...(settings.cleanBetweenJobs ? {} : { [agentKeys.cleanBetweenJobs]: false }),
      ...(passwordlessSudo ? { [agentKeys.passwordlessSudo]: passwordlessSudo } : {}),
    } satisfies { readonly [Key in AgentKey]?: unknown },
  });
}
