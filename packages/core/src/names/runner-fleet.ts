/** Every string of the runner fleet that crosses a room: functions, hooks, alarms, secrets, labels, metrics, tags. */

/** Functions of every fleet. */
export const functionSuffixes = ['registration', 'deregistration', 'record_metric', 'runner_version'] as const;
export type FunctionSuffix = (typeof functionSuffixes)[number] | 'demand' | 'image';

/** On what a fleet scales: idle runners that are kept, or jobs that wait, each on a fresh machine. */
export const scalingModes = ['idle', 'jobs'] as const;
export type ScalingMode = (typeof scalingModes)[number];

/** The functions of a fleet in this mode; `image` if it bakes its images by itself. */
export const functionsOf = (mode: ScalingMode, bakesImages = false): readonly FunctionSuffix[] => [
  ...functionSuffixes,
  ...(mode === 'jobs' ? (['demand'] as const) : []),
  ...(bakesImages ? (['image'] as const) : []),
];

/** The function's name: the group's name plus a suffix. */
export const functionName = (groupName: string, suffix: FunctionSuffix): string => `${groupName}_${suffix}`;

/** The longest group name with which every derived name stays within AWS's limits. */
export const groupNameMaxLength = 49;

/** The longest name of a type. */
export const typeNameMaxLength = 15;
/** More would be too many sessions for one window. */
export const mostTypes = 20;
/** At most this many instances, without types: then a window of the demand needs no more than half the memory of the other functions. */
export const smallFleet = 100;
/** The type that the inputs at the top describe; its group has the fleet's name. */
export const defaultType = 'default';
/** Group and scale set of a type. */
export const typeGroupName = (groupName: string, type: string): string => `${groupName}-${type}`;
/** The group beside a group with spot instances that launches on demand what spot has no capacity for. */
export const fallbackGroupName = (groupName: string): string => `${groupName}-od`;
/** Memory of the functions about one type, in the memory bucket. */
export const typeMemoryFolder = 'types/';
export const typeMemoryKey = (type: string): string => `${typeMemoryFolder}${type}.json`;

export const functionLogPrefix = '/aws/lambda';
export const functionLogGroup = (prefix: string, name: string): string => `${prefix}/${name}`;

/** The fleet's log group for what its instances write: one stream for each instance and source. */
export const instanceLogGroup = (groupName: string): string => `/drover/runners/${groupName}`;
/** `boot` is what a boot that failed sends; `jobs` has one JSON event for each start and end of a job. */
export const logSources = ['boot', 'cloud-init', 'puppet', 'agent', 'runner', 'hook', 'jobs'] as const;
export type LogSource = (typeof logSources)[number];
export const logStream = (instanceId: string, source: LogSource): string => `${instanceId}/${source}`;

export const hooks = {
  registration: { name: 'registration', heartbeatTimeoutSeconds: 900, defaultResult: 'ABANDON' },
  bootstrap: { name: 'bootstrap', defaultResult: 'ABANDON' },
  deregistration: { name: 'deregistration', heartbeatTimeoutSeconds: 1800, defaultResult: 'CONTINUE' },
} as const;

/**
 * How long AWS holds a launch open without a heartbeat: longer than the functions do, so that they note a boot that they end, and half an
 * hour at least, so that an instance kept for inspection holds its place (docs/decisions/0062).
 */
export const bootstrapTimeoutSeconds = (bootTimeoutSeconds: number): number => Math.max(1800, bootTimeoutSeconds + 300);

/** Alarms that every fleet has; docs/reference/alarms.md says what to do for each. */
export const alarmName = {
  errors: (fn: string): string => `errors-${fn}`,
  duration: (fn: string): string => `duration-${fn}`,
  atMaximum: (groupName: string): string => `group_at_maximum-${groupName}`,
  launchStuck: (groupName: string): string => `launch_stuck-${groupName}`,
  noneInService: (groupName: string): string => `none_in_service-${groupName}`,
  warmPoolEmpty: (groupName: string): string => `warm_pool_empty-${groupName}`,
  bootsFailing: (groupName: string): string => `boots_failing-${groupName}`,
  runnersMissing: (groupName: string): string => `runners_missing-${groupName}`,
  runnersOffline: (groupName: string): string => `runners_offline-${groupName}`,
  hookTooOld: (groupName: string): string => `hook_too_old-${groupName}`,
  metricSilent: (groupName: string): string => `metric_silent-${groupName}`,
  rateLimitLow: (groupName: string): string => `rate_limit_low-${groupName}`,
  registrationFails: (groupName: string): string => `registration_fails-${groupName}`,
  rolloutStopped: (groupName: string): string => `rollout_stopped-${groupName}`,
  runnerOutdated: (groupName: string): string => `runner_outdated-${groupName}`,
  idleLow: (groupName: string): string => `idle_runners_low-${groupName}`,
  idleNone: (groupName: string): string => `idle_runners_none-${groupName}`,
  idleHigh: (groupName: string): string => `idle_runners_high-${groupName}`,
  jobsNotTaken: (groupName: string): string => `jobs_not_taken-${groupName}`,
  demandSignalOld: (groupName: string): string => `demand_signal_old-${groupName}`,
  imageBakesFail: (groupName: string): string => `image_bakes_fail-${groupName}`,
  throttles: (fn: string): string => `throttles-${fn}`,
};

/** Alarms that change the size of the group and notify no one. */
export const scalingAlarms = (groupName: string): readonly string[] =>
  [alarmName.idleLow, alarmName.idleNone, alarmName.idleHigh].map((name) => name(groupName));

/**
 * The owner of a fleet's session with its scale set. A function's name is unique in its account and region, and so is the owner: a conflict with
 * it is one with a session of this fleet.
 */
export function sessionOwner(groupName: string, instanceArnPrefix: string): string {
  const [, , , region, account] = instanceArnPrefix.split(':');
  return `${functionName(groupName, 'demand')}-${region}-${account}`;
}

export const tokenSecretPrefix = (groupName: string): string => `actions-runner/${groupName}/`;
export const tokenSecretName = (groupName: string, instanceId: string): string =>
  `${tokenSecretPrefix(groupName)}${instanceId}`;

/** Keys of the hosts' reports: below it the ARN of the instance, by which IAM knows whose report it is. */
export const hostReportFolder = 'hosts/';
export const hostReportPrefix = (instanceArnPrefix: string): string => `${hostReportFolder}${instanceArnPrefix}`;

/** Reports of instances that bake an image or try one, in the memory bucket. */
export const imageFolder = 'image/';
export const imageReportKey = (bakeId: string, instanceId: string): string =>
  `${imageFolder}${bakeId}/${instanceId}.json`;
/** Notes of the last bake of each group, by `<asg>_image`: no instance may write there. */
export const bakeNoteFolder = 'bakes/';
export const bakeNoteKey = (groupName: string): string => `${bakeNoteFolder}${groupName}.json`;
/** The parameter of Systems Manager that names the image of new instances of a group with `baked_image`. */
export const imageParameterName = (groupName: string): string => `/drover/${groupName}/image`;

/**
 * Folder of the memory bucket that describes the mirrored runner software to instances that boot, with its archives.
 */
export const releaseFolder = 'runner/';
export const releaseObject = 'runner/current.json';
/** The same of the second architecture, in a fleet whose types have both. */
export const otherReleaseObject = 'runner/other/current.json';
/** GitHub registers no older runner software (github.blog, changelog of 2026-02-05). */
export const oldestRunnerVersion = '2.329.0';
/** The input `runner_version` that lets the fleet follow GitHub's releases. */
export const latestRunner = 'latest';

/** Compares versions number by number. */
export function isOlderVersion(version: string, than: string): boolean {
  const [a, b] = [version, than].map((text) => text.split('.').map(Number)) as [number[], number[]];
  for (const [index, number] of b.entries()) if ((a[index] ?? 0) !== number) return (a[index] ?? 0) < number;
  return false;
}

const instancePrefix = 'instance_id:';
const installationPrefix = 'installation_id:';

export const labels = {
  instance: (instanceId: string): string => `${instancePrefix}${instanceId}`,
  installation: (groupName: string): string => `${installationPrefix}${groupName}`,
  instancePrefix,
  /** These stay until the runner is removed: by them the fleet knows its own. */
  isOwn: (label: string): boolean => [instancePrefix, installationPrefix].some((prefix) => label.startsWith(prefix)),
};

/**
 * Labels that the platform gives to each runner; our runners set them themselves, so that a drain can remove them.
 */
export const usualLabels = (architecture: string): readonly string[] => [
  'self-hosted',
  'Linux',
  architecture === 'arm64' ? 'ARM64' : 'X64',
];

export const defaultVendor = 'Drover';
export const metricNamespace = (vendor: string): string => `${vendor}/ActionsRunner`;
export const metrics = {
  idle: 'IdleRunnersCount',
  wanted: 'RunnersWanted',
  /** The idle target in force, which schedules change. */
  idleTarget: 'IdleRunnersTarget',
  busy: 'BusyRunnersCount',
  offline: 'RunnersOffline',
  rateLimitRemaining: 'PlatformRateLimitRemaining',
  hookAge: 'HookAgeSeconds',
  registrationFailures: 'RegistrationFailures',
  missing: 'RunnersMissing',
  bootFailures: 'BootFailures',
  runnerAge: 'RunnerVersionAgeDays',
  /** Of the agents, one for each job that ended: count and run time. */
  jobs: 'JobsCompleted',
  jobSeconds: 'JobSeconds',
  runnerDaysLeft: 'RunnerVersionDaysLeft',
  /** Hosts that a roll-out has still to replace, and 1 while it stands because its template gives no host. */
  outdatedHosts: 'OutdatedHosts',
  rolloutStopped: 'RolloutStopped',
  /** In jobs mode: jobs that GitHub gave to the fleet, those of them that run, those that wait, and the age of that news. */
  assignedJobs: 'AssignedJobs',
  runningJobs: 'RunningJobs',
  waitingJobs: 'WaitingJobs',
  demandSignalAge: 'DemandSignalAgeSeconds',
  /** In a fleet with types, the worst of all: instances below the maximum, seconds of the oldest launch, groups without an instance. */
  groupRoom: 'GroupRoom',
  launchAge: 'LaunchAgeSeconds',
  groupsEmpty: 'GroupsEmpty',
  /** In jobs mode: jobs that wait although as many runners have been idle for long. */
  jobsNotTaken: 'JobsNotTaken',
  /** Groups whose last bake failed, in a fleet that bakes its images by itself. */
  imageBakesFailed: 'ImageBakesFailed',
} as const;

export const groupDimension = 'AutoScalingGroupName';

/** Tags on instances and secrets. */
export const tags = {
  /** On a token secret: ARN of the instance that may read it, compared with `ec2:SourceInstanceARN`. */
  secretInstance: 'drover:instance',
  /** On an instance of release 0.1.0: when its agent was last alive, and what it saw. */
  agentLiveness: 'drover:agent',
  /** On a token secret: an instance whose boot fails stays for inspection. */
  keepFailed: 'drover:keep-failed',
  moduleVersion: 'module_version',
  /** On the group and its instances: the inputs by which jobs can become root, and so act with the instance's role. */
  jobPrivileges: 'drover:job-privileges',
  /** On the group and the instances of a type: the fleet's group name, and the type's name. */
  fleet: 'drover:fleet',
  type: 'drover:type',
  /** On a group that launches on demand what spot has no capacity for: the group that it stands in for. */
  fallbackOf: 'drover:fallback-of',
  /** On the group of a type alone: what the functions have to know of it. Labels are separated by spaces. */
  labels: 'drover:labels',
  idleTarget: 'drover:idle-target',
  runnerGroup: 'drover:runner-group',
  /** On the group of a type whose interrupted jobs are run again. */
  rerunInterrupted: 'drover:rerun-interrupted',
  /** Of a type whose architecture is not the fleet's. */
  architecture: 'drover:architecture',
  /** On the group of a type: the instance type that it prefers, by which `drover fleet cost` counts instances that are gone. */
  instanceType: 'drover:instance-type',
} as const;

/** Tags of a fleet that bakes its images: apart, because few programs know of them. */
export const imageTags = {
  /** On a group with `baked_image`: the image that a bake begins with, and the instance profile of its instances. */
  baseImage: 'drover:base-image',
  bakeProfile: 'drover:bake-profile',
  /** On an instance that bakes an image, on one that tries it, and on image and snapshots: the id of the bake. */
  bake: 'drover:bake',
  trial: 'drover:trial',
  /** On the same: the group whose image it is. */
  imageOf: 'drover:image-of',
  /** On an image: a checksum of what is in it, and that the group has used it. */
  manifest: 'drover:manifest',
  promoted: 'drover:promoted',
  /** On an instance that bakes an image, and on the image: the version of the launch template. On the image: that of the runner software. */
  template: 'drover:template',
  runner: 'drover:runner',
} as const;

export const runnerService = 'actions-runner';
export const defaults = {
  allowedDrainTimeSeconds: 900,
  bootTimeoutSeconds: 1800,
  idleRunnersTargetCount: 1,
  scaleUpLimit: 10,
} as const;

/** Number of idle runners to keep from the times of the cron expression on, until another schedule fires. */
export interface IdleTargetSchedule {
  readonly cron: string;
  readonly timeZone: string;
  readonly idleRunnersTargetCount: number;
}

/** Environment keys of the functions: written by the construct, read by each function's config.ts. */
export const environment = {
  groupName: 'ASG_NAME',
  platformApi: 'PLATFORM_API',
  /** Exactly one of the three: where the runners belong. */
  platformOrg: 'PLATFORM_ORG',
  platformRepository: 'PLATFORM_REPOSITORY',
  platformEnterprise: 'PLATFORM_ENTERPRISE',
  platformTokenSecret: 'PLATFORM_TOKEN_SECRET_ARN',
  platformAppId: 'PLATFORM_APP_ID',
  platformAppPemSecret: 'PLATFORM_APP_PEM_SECRET_ARN',
  allowedDrainTime: 'ALLOWED_DRAIN_TIME',
  bootTimeout: 'BOOT_TIMEOUT',
  vendor: 'VENDOR',
  memoryBucket: 'FLEET_MEMORY_BUCKET',
  memoryKey: 'FLEET_MEMORY_KEY',
  runnerGroup: 'RUNNER_GROUP',
  /** How many idle runners to keep, and the most that one decision adds when none is idle. */
  idleTarget: 'IDLE_RUNNERS_TARGET',
  scaleUpLimit: 'SCALE_UP_LIMIT',
  scalingMode: 'SCALING_MODE',
  /** `true`: the fleet has groups of types, which are found by their tags. */
  types: 'FLEET_TYPES',
  /** `true`: groups with spot instances have, or had, a group that launches on demand beside them. */
  onDemandFallback: 'ON_DEMAND_FALLBACK',
  /** Days after which a new image is baked; none: the fleet bakes no images by itself. */
  imageBakeDays: 'IMAGE_BAKE_DAYS',
  /** JSON of `IdleTargetSchedule[]`. */
  idleTargetSchedules: 'IDLE_TARGET_SCHEDULES',
  /** Date on which the runner's version was released, for its age. */
  runnerReleased: 'RUNNER_RELEASE_DATE',
  /** `arn:aws:ec2:<region>:<account>:instance/` */
  instanceArnPrefix: 'INSTANCE_ARN_PREFIX',
} as const;

/**
 * Variables of `<asg>_runner_version` alone: the version, or `latest`; its checksum; which archive; where releases are;
 * after how many days hosts are replaced (0: never); whether spot instances are replaced that EC2 may take back; the
 * second architecture, if types have both.
 */
export const versionEnvironment = {
  version: 'RUNNER_VERSION',
  checksum: 'RUNNER_CHECKSUM',
  architecture: 'RUNNER_ARCHITECTURE',
  releaseUrl: 'RUNNER_RELEASE_URL',
  lifetimeDays: 'MAX_INSTANCE_LIFETIME_DAYS',
  replacesAtRisk: 'CAPACITY_REBALANCE',
  otherArchitecture: 'RUNNER_OTHER_ARCHITECTURE',
} as const;

/**
 * Variables of `<asg>_demand` alone: the labels of the scale set (JSON), for how many seconds a window polls, whether windows of a quiet
 * fleet are short, and whether interrupted jobs of the default type are run again.
 */
export const demandEnvironment = {
  labels: 'SCALE_SET_LABELS',
  window: 'DEMAND_WINDOW_SECONDS',
  adaptive: 'ADAPTIVE_WINDOWS',
  rerunInterrupted: 'RERUN_INTERRUPTED_JOBS',
} as const;
