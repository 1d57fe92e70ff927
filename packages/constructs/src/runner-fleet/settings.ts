import { defaults, defaultVendor, functionLogPrefix, latestRunner } from '@drover/core/names/runner-fleet';
import type { NameOf } from '../inputs/check-inputs.ts';
import { configurationDefaults } from '../inputs/shared-defaults.ts';
import type { RunnerFleetProps } from './props.ts';

/** How messages call the construct. */
export const title = 'the runner fleet';

export const latestReleaseUrl = 'https://api.github.com/repos/actions/runner/releases/latest';

/** What a fleet is built from: its inputs with every default filled in. */
export type RunnerFleetSettings = ReturnType<typeof withDefaults>;

/** Fills in every default. An input whose meaning depends on others is replaced by what follows from them. */
export function withDefaults(props: RunnerFleetProps, name: NameOf) {
  const { instanceType, lambdaSubnetIds, onDemandBaseCapacity, warmPoolMinSize, warmPoolMaxSize, ...inputs } = props;
  const architecture = inputs.architecture ?? 'x86_64';
  const asgMinSize = inputs.asgMinSize ?? inputs.subnetIds.length;
  const asgMaxSize = inputs.asgMaxSize ?? asgMinSize + 1;
  const idleRunnersTargetCount = inputs.idleRunnersTargetCount ?? defaults.idleRunnersTargetCount;
  /** Spot instances are used above so many on-demand ones. Undefined: on-demand only. */
  const spotAboveBase = onDemandBaseCapacity ?? undefined;
  const warmPoolWanted = warmPoolMaxSize !== 0;
  const maxPrepared = warmPoolMaxSize ?? asgMaxSize;
  const docker = inputs.docker ?? false;
  const passwordlessSudo = inputs.passwordlessSudo ?? false;
  /** Inputs that are on and let a job become root. */
  const jobPrivileges = [...(docker ? ['docker'] : []), ...(passwordlessSudo ? ['passwordless_sudo'] : [])];
  return {
    ...inputs,
    architecture,
    asgMinSize,
    asgMaxSize,
    idleRunnersTargetCount,
    platformApi: inputs.platformApi ?? 'https://api.github.com',
    groupName: inputs.groupName ?? `actions-runner-${inputs.environment}`,
    allowedDrainTime: inputs.allowedDrainTime ?? defaults.allowedDrainTimeSeconds,
    runnerSubnetsPrivate: inputs.runnerSubnetsPrivate ?? false,
    rootVolumeSize: inputs.rootVolumeSize ?? 30,
    maxInstanceLifetimeDays: inputs.maxInstanceLifetimeDays ?? 30,
    extraLabels: inputs.extraLabels ?? [],
    runnerVersion: inputs.runnerVersion ?? latestRunner,
    runnerReleaseUrl: inputs.runnerReleaseUrl ?? latestReleaseUrl,
    docker,
    passwordlessSudo,
    jobPrivileges,
    ...configurationDefaults(inputs),
    functionLogPrefix: inputs.functionLogPrefix ?? functionLogPrefix,
    logRetentionDays: inputs.logRetentionDays ?? 365,
    vendor: inputs.vendor ?? defaultVendor,
    functionSubnetIds: lambdaSubnetIds?.length ? lambdaSubnetIds : inputs.subnetIds,
    spotAboveBase,
    /** Undefined: no warm pool. */
    warmPool:
      warmPoolWanted && spotAboveBase === undefined
        ? { minSize: warmPoolMinSize ?? Math.min(idleRunnersTargetCount + 1, maxPrepared), maxPrepared }
        : undefined,
    instanceTypes: inputs.instanceTypes ?? [instanceType ?? (architecture === 'arm64' ? 't4g.medium' : 't3a.medium')],
    /** Id of the warning to its text. */
    warnings: {
      ...(spotAboveBase !== undefined && warmPoolWanted ? { 'drover:warm-pool-off': warmPoolOff(name) } : {}),
      ...(jobPrivileges.length > 0 ? { 'drover:jobs-reach-role': jobsReachRole(jobPrivileges.map(name)) } : {}),
    },
  };
}

const jobsReachRole = (names: readonly string[]) =>
  `${names.join(' and ')} ${names.length === 1 ? 'lets' : 'let'} every job become root on its instance, so jobs can act with the instance's role; allow only workflows that you would give that role to (docs/OPERATING.md, "Docker and sudo in jobs")`;

const warmPoolOff = (name: NameOf) =>
  `${name('on_demand_base_capacity')} is set, so the group uses spot instances and the warm pool is off; set it to null to get a warm pool, or set ${name('warm_pool_max_size')} to 0 if you want none`;
