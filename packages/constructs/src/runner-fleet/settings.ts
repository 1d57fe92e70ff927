import { defaults, defaultVendor, functionLogPrefix } from '@drover/core/names/runner-fleet';
import { InputError, type InputProblem } from '../inputs/check-inputs.ts';
import type { RunnerFleetProps } from './inputs.ts';

/** A fleet's inputs with every default filled in. */
export interface RunnerFleetSettings extends Required<Pick<RunnerFleetProps, AlwaysSet>> {
  readonly inputs: RunnerFleetProps;
  readonly groupName: string;
  readonly functionSubnetIds: readonly string[];
  /** Undefined: no warm pool. */
  readonly warmPool: { readonly minSize: number; readonly maxPrepared: number } | undefined;
  /** Undefined: on-demand only. */
  readonly spotAboveBase: number | undefined;
  readonly instanceTypes: readonly string[];
  readonly warnings: readonly string[];
}

type AlwaysSet =
  | 'environment'
  | 'platformOrg'
  | 'platformApi'
  | 'vpcId'
  | 'subnetIds'
  | 'asgMinSize'
  | 'asgMaxSize'
  | 'idleRunnersTargetCount'
  | 'allowedDrainTime'
  | 'architecture'
  | 'rootVolumeSize'
  | 'maxInstanceLifetimeDays'
  | 'extraLabels'
  | 'packages'
  | 'puppetHieraConfigPath'
  | 'puppetModulePath'
  | 'puppetManifest'
  | 'functionLogPrefix'
  | 'logRetentionDays'
  | 'vendor';

/** GiB of memory of the types whose hibernation we can check without asking AWS. */
const memoryGiB: Readonly<Record<string, number>> = {
  't3a.medium': 4,
  't3a.large': 8,
  't3.medium': 4,
  't3.large': 8,
  'm6i.large': 8,
  'm6i.xlarge': 16,
  'c6i.large': 4,
  'c6i.xlarge': 8,
  't4g.medium': 4,
  't4g.large': 8,
  'm7g.large': 8,
};

/** Fills in the defaults and stops with every contradiction between inputs. */
export function settle(inputs: RunnerFleetProps): RunnerFleetSettings {
  const asgMinSize = inputs.asgMinSize ?? inputs.subnetIds.length;
  const asgMaxSize = inputs.asgMaxSize ?? asgMinSize + 1;
  const idleRunnersTargetCount = inputs.idleRunnersTargetCount ?? defaults.idleRunnersTargetCount;
  const spotAboveBase = inputs.onDemandBaseCapacity ?? undefined;
  const warmPoolWanted = inputs.warmPoolMaxSize !== 0;
  const warmPool =
    warmPoolWanted && spotAboveBase === undefined
      ? {
          minSize: inputs.warmPoolMinSize ?? idleRunnersTargetCount + 1,
          maxPrepared: inputs.warmPoolMaxSize ?? asgMaxSize,
        }
      : undefined;
  const settings: RunnerFleetSettings = {
    inputs,
    environment: inputs.environment,
    platformOrg: inputs.platformOrg,
    platformApi: inputs.platformApi ?? 'https://api.github.com',
    vpcId: inputs.vpcId,
    subnetIds: inputs.subnetIds,
    groupName: inputs.groupName ?? `actions-runner-${inputs.environment}`,
    asgMinSize,
    asgMaxSize,
    idleRunnersTargetCount,
    allowedDrainTime: inputs.allowedDrainTime ?? defaults.allowedDrainTimeSeconds,
    architecture: inputs.architecture ?? 'x86_64',
    rootVolumeSize: inputs.rootVolumeSize ?? 30,
    maxInstanceLifetimeDays: inputs.maxInstanceLifetimeDays ?? 30,
    extraLabels: inputs.extraLabels ?? [],
    packages: inputs.packages ?? [],
    puppetHieraConfigPath: inputs.puppetHieraConfigPath ?? '/opt/drover/puppet/hiera.yaml',
    puppetModulePath: inputs.puppetModulePath ?? '/opt/drover/puppet/modules',
    puppetManifest: inputs.puppetManifest ?? '/opt/drover/puppet/manifests/site.pp',
    functionLogPrefix: inputs.functionLogPrefix ?? functionLogPrefix,
    logRetentionDays: inputs.logRetentionDays ?? 365,
    vendor: inputs.vendor ?? defaultVendor,
    functionSubnetIds: inputs.lambdaSubnetIds ?? inputs.subnetIds,
    warmPool,
    spotAboveBase,
    instanceTypes: inputs.instanceTypes ?? [
      inputs.instanceType ?? (inputs.architecture === 'arm64' ? 't4g.medium' : 't3a.medium'),
    ],
    warnings:
      spotAboveBase !== undefined && warmPoolWanted
        ? [
            'on_demand_base_capacity is set, so the group uses spot instances and the warm pool is off; set it to null to get a warm pool',
          ]
        : [],
  };
  const problems = contradictions(settings);
  if (problems.length > 0) throw new InputError('the runner fleet', problems);
  return settings;
}

function contradictions(settings: RunnerFleetSettings): InputProblem[] {
  return [
    ...authentication(settings.inputs),
    ...sizes(settings),
    ...functionSubnets(settings.inputs),
    ...hibernation(settings),
    ...hieraPackage(settings),
  ];
}

function authentication(inputs: RunnerFleetProps): InputProblem[] {
  const app = inputs.platformAppId !== undefined || inputs.platformAppPemSecretArn !== undefined;
  const remedy = 'Give platform_token_secret_arn, or platform_app_id with platform_app_pem_secret_arn';
  if (app === (inputs.platformTokenSecretArn !== undefined))
    return [
      {
        key: 'platform_token_secret_arn',
        problem: app ? 'a token and an app are both given' : 'no way of authentication is given',
        remedy,
      },
    ];
  if (app && (inputs.platformAppId === undefined || inputs.platformAppPemSecretArn === undefined))
    return [
      { key: 'platform_app_id', problem: 'the app id and the secret of its private key belong together', remedy },
    ];
  return [];
}

function sizes(settings: RunnerFleetSettings): InputProblem[] {
  const { asgMinSize, asgMaxSize, warmPool } = settings;
  if (asgMaxSize < asgMinSize)
    return [
      {
        key: 'asg_max_size',
        problem: `${asgMaxSize} is below asg_min_size ${asgMinSize}`,
        remedy: 'Raise it, or lower asg_min_size',
      },
    ];
  if (warmPool !== undefined && warmPool.maxPrepared < asgMinSize)
    return [
      {
        key: 'warm_pool_max_size',
        problem: `${warmPool.maxPrepared} is below asg_min_size ${asgMinSize}, but it counts the group and the pool together`,
        remedy: 'Raise it, or set it to 0 for no warm pool',
      },
    ];
  return [];
}

function functionSubnets(inputs: RunnerFleetProps): InputProblem[] {
  if (inputs.lambdaSubnetIds !== undefined || inputs.runnerSubnetsPrivate === true) return [];
  return [
    {
      key: 'lambda_subnet_ids',
      problem: 'it is missing',
      remedy:
        'Give subnets with a way out through NAT; a function in a public subnet has none. If the runner subnets are private with NAT, set runner_subnets_private: true',
    },
  ];
}

function hibernation(settings: RunnerFleetSettings): InputProblem[] {
  if (settings.warmPool === undefined) return [];
  const [type = ''] = settings.instanceTypes;
  const memory = memoryGiB[type];
  if (memory !== undefined && settings.rootVolumeSize < memory + 10)
    return [
      {
        key: 'root_volume_size',
        problem: `${settings.rootVolumeSize} GiB cannot hold the ${memory} GiB of memory of a hibernated ${type}`,
        remedy: `Give at least ${memory + 10}`,
      },
    ];
  return [];
}

/** A data file below /opt/<package> comes with that package. */
function hieraPackage(settings: RunnerFleetSettings): InputProblem[] {
  const owner = /^\/opt\/([^/]+)\//.exec(settings.puppetHieraConfigPath)?.[1];
  if (owner === undefined || owner === 'drover' || settings.packages.includes(owner)) return [];
  return [
    {
      key: 'packages',
      problem: `puppet_hiera_config_path ${settings.puppetHieraConfigPath} belongs to the package ${owner}, which is not in packages`,
      remedy: `Add ${owner} to packages`,
    },
  ];
}
