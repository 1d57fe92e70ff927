import { defaults, defaultVendor, functionLogPrefix, latestRunner } from '@drover/core/names/runner-fleet';
import { imageDefaults, notHibernating } from '../boot/images.ts';
import type { NameOf } from '../inputs/check-inputs.ts';
import { configurationDefaults } from '../inputs/shared-defaults.ts';
import { GitHubLevel, levelFrom } from '../props/github-level.ts';
import type { RunnerFleetInputs } from './props.ts';

/** How messages call the construct. */
export const title = 'the runner fleet';

const latestReleaseUrl = 'https://api.github.com/repos/actions/runner/releases/latest';

/** As GitHub's own cache and that of others keep entries, about. */
const defaultCacheDays = 10;

/** The cache of a fleet that has one. */
export interface FleetCacheSettings {
  readonly days: number;
  /** `owner/name`. */
  readonly repositories: readonly string[];
  readonly providerArn: string;
}

/** The settings of a fleet: its inputs with every default filled in. */
export type RunnerFleetSettings = ReturnType<typeof withDefaults>;

/** Fills in every default. An input whose meaning depends on others is replaced by what follows from them. */
export function withDefaults(props: RunnerFleetInputs, name: NameOf) {
  const { instanceType, lambdaSubnetIds, onDemandBaseCapacity, warmPoolMinSize, warmPoolMaxSize, types, ...inputs } =
    props;
  const scalingMode = inputs.scalingMode ?? 'idle';
  const architecture = inputs.architecture ?? 'x86_64';
  const asgMinSize = inputs.asgMinSize ?? inputs.subnetIds.length;
  const asgMaxSize = inputs.asgMaxSize ?? asgMinSize + 1;
  const idleRunnersTargetCount = inputs.idleRunnersTargetCount ?? defaults.idleRunnersTargetCount;
  const idleTargetSchedules = inputs.idleTargetSchedules ?? [];
  const idleTargets = [idleRunnersTargetCount, ...idleTargetSchedules.map((each) => each.idleRunnersTargetCount)];
  /** The largest idle target that is ever in force. */
  const mostIdle = Math.max(...idleTargets);
  /** Number of on-demand instances above which spot instances are used. Undefined: on-demand only. */
  const spotAboveBase = onDemandBaseCapacity ?? undefined;
  const usualType = architecture === 'arm64' ? 't4g.medium' : 't3a.medium';
  const { instanceRequirements } = inputs;
  /** None where requirements stand for them. */
  const instanceTypes = instanceRequirements === undefined ? (inputs.instanceTypes ?? [instanceType ?? usualType]) : [];
  const severalTypes = instanceRequirements !== undefined || instanceTypes.length > 1;
  /** AWS excludes a warm pool in a group with a mixed-instances policy, which both of these need. */
  const mixed = spotAboveBase !== undefined || severalTypes;
  const image = imageDefaults(inputs);
  /** If AWS does not list it for hibernation, there is no pool without a size. */
  const unlisted = notHibernating(image.imageFamily, instanceTypes);
  const warmPoolAskedFor = (warmPoolMaxSize ?? warmPoolMinSize ?? 0) > 0;
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
    scalingMode,
    adaptiveWindows: inputs.adaptiveWindows ?? false,
    /** Contradictions refuse none and more than one of them. */
    level: levelFrom(inputs) ?? GitHubLevel.organization(''),
    idleRunnersTargetCount,
    idleTargetSchedules,
    idleTargets,
    mostIdle,
    /** Fewer than the target would leave the target unmet. */
    scaleUpLimit: Math.max(inputs.scaleUpLimit ?? defaults.scaleUpLimit, mostIdle),
    platformApi: inputs.platformApi ?? 'https://api.github.com',
    groupName: inputs.groupName ?? `actions-runner-${inputs.environment}`,
    allowedDrainTime: inputs.allowedDrainTime ?? defaults.allowedDrainTimeSeconds,
    bootTimeout: inputs.bootTimeout ?? defaults.bootTimeoutSeconds,
    runnerSubnetsPrivate: inputs.runnerSubnetsPrivate ?? false,
    bakedImage: inputs.bakedImage ?? false,
    rootVolumeSize: inputs.rootVolumeSize ?? 30,
    maxInstanceLifetimeDays: inputs.maxInstanceLifetimeDays ?? 30,
    extraLabels: inputs.extraLabels ?? [],
    runnerVersion: inputs.runnerVersion ?? latestRunner,
    runnerReleaseUrl: inputs.runnerReleaseUrl ?? latestReleaseUrl,
    docker,
    passwordlessSudo,
    cacheBucket: inputs.cacheBucket ?? false,
    cacheDays: inputs.cacheDays ?? defaultCacheDays,
    cache: cacheSettings(inputs),
    cleanBetweenJobs: inputs.cleanBetweenJobs ?? true,
    jobPrivileges,
    ...configurationDefaults(inputs),
    functionLogPrefix: inputs.functionLogPrefix ?? functionLogPrefix,
    logRetentionDays: inputs.logRetentionDays ?? 365,
    ownLogKey: inputs.ownLogKey ?? true,
    vendor: inputs.vendor ?? defaultVendor,
    /** None: the functions are outside a VPC. */
    functionSubnetIds: lambdaSubnetIds?.length
      ? lambdaSubnetIds
      : inputs.runnerSubnetsPrivate === true
        ? inputs.subnetIds
        : [],
    spotAboveBase,
    /** Undefined: no warm pool. */
    warmPool:
      warmPoolWanted && !mixed && (warmPoolAskedFor || unlisted === undefined)
        ? { minSize: warmPoolMinSize ?? Math.min(idleRunnersTargetCount + 1, maxPrepared), maxPrepared }
        : undefined,
    instanceTypes,
    severalTypes,
    /** That of the launch template, which a bake uses. */
    templateType: instanceTypes[0] ?? usualType,
    mixed,
    onDemandPercentageAboveBase: inputs.onDemandPercentageAboveBase ?? 0,
    capacityRebalance: inputs.capacityRebalance ?? false,
    rerunInterruptedJobs: inputs.rerunInterruptedJobs ?? false,
    ...image,
    // Billed by the hour, and a machine of one job lives for minutes.
    detailedMonitoring: inputs.detailedMonitoring ?? scalingMode !== 'jobs',
    /** Id of the warning to its text. */
    warnings: {
      ...(mixed && warmPoolWanted
        ? { 'drover:warm-pool-off': warmPoolOff(name, spotAboveBase !== undefined, instanceRequirements !== undefined) }
        : {}),
      ...(!mixed && warmPoolWanted && unlisted !== undefined
        ? { 'drover:hibernation': hibernation(unlisted, warmPoolAskedFor, name) }
        : {}),
      ...(scalingMode === 'jobs' && inputs.extraLabels?.length ? { 'drover:shared-labels': sharedLabels(name) } : {}),
      ...(inputs.adaptiveWindows === true ? { 'drover:adaptive-windows': adaptive(name) } : {}),
      ...(jobPrivileges.length > 0 ? { 'drover:jobs-reach-role': jobsReachRole(jobPrivileges.map(name)) } : {}),
    },
  };
}

/** Contradictions refuse a bucket without repositories or without a provider. */
function cacheSettings(inputs: RunnerFleetInputs): FleetCacheSettings | undefined {
  if (inputs.cacheBucket !== true) return undefined;
  return {
    days: inputs.cacheDays ?? defaultCacheDays,
    repositories: [...new Set(inputs.cacheRepositories)],
    providerArn: inputs.cacheOidcProviderArn ?? '',
  };
}

const jobsReachRole = (names: readonly string[]) =>
  `${names.join(' and ')} ${names.length === 1 ? 'lets' : 'let'} every job become root on its instance, so jobs can act with the instance's role; allow only workflows that you would give that role to (docs/how-to/docker-and-sudo.md)`;

const sharedLabels = (name: NameOf) =>
  `a job goes to any scale set that has all of its labels: use the labels of ${name('extra_labels')} for no other fleet of the same organisation, or which fleet gets a job is undefined`;

const adaptive = (name: NameOf) =>
  `${name('adaptive_windows')} is experimental: that GitHub gives jobs to a scale set between two looks, and that its numbers are fresh at each, was not seen on a real organisation; look at the first job after a quiet hour before you rely on it (docs/how-to/scaling-mode.md)`;

const warmPoolOff = (name: NameOf, spot: boolean, described: boolean) =>
  spot
    ? `${name('on_demand_base_capacity')} is set, so the group uses spot instances and the warm pool is off; set it to null to get a warm pool, or set ${name('warm_pool_max_size')} to 0 if you want none`
    : `${described ? `${name('instance_requirements')} is given` : `${name('instance_types')} holds several types`}, so the group has a mixed-instances policy and the warm pool is off; give one type to get a warm pool, or set ${name('warm_pool_max_size')} to 0 if you want none`;

function hibernation(unlisted: string, poolOn: boolean, name: NameOf): string {
  const reason = `AWS does not list ${unlisted} among the images and instance types that hibernate`;
  const listed = `${name('image_family')} ubuntu-22.04 is listed`;
  return poolOn
    ? `${reason}: members of the warm pool may keep running and cost as much as runners; ${listed}`
    : `${reason}, so the warm pool is off; ${listed}. Set ${name('warm_pool_max_size')} to have a pool all the same, or to 0 if you want none`;
}
