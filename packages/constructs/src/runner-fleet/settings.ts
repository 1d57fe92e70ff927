import { defaults, defaultVendor, functionLogPrefix } from '@drover/core/names/runner-fleet';
import { InputError, propWords, type Words } from '../inputs/check-inputs.ts';
import { contradictions } from './contradictions.ts';
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

/** How messages call this module. */
export const moduleName = 'the runner fleet';

/** Fills in the defaults and stops with every contradiction between inputs. */
export function settle(inputs: RunnerFleetProps, words: Words = propWords(moduleName)): RunnerFleetSettings {
  const settings = withDefaults(inputs, words);
  const problems = contradictions(settings, words.name);
  if (problems.length > 0) throw new InputError(words.module, problems);
  return settings;
}

function withDefaults(inputs: RunnerFleetProps, { name }: Words): RunnerFleetSettings {
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
  return {
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
    functionSubnetIds: inputs.lambdaSubnetIds?.length ? inputs.lambdaSubnetIds : inputs.subnetIds,
    warmPool,
    spotAboveBase,
    instanceTypes: inputs.instanceTypes ?? [
      inputs.instanceType ?? (inputs.architecture === 'arm64' ? 't4g.medium' : 't3a.medium'),
    ],
    warnings:
      spotAboveBase !== undefined && warmPoolWanted
        ? [
            `${name('on_demand_base_capacity')} is set, so the group uses spot instances and the warm pool is off; set it to null to get a warm pool, or ${name('warm_pool_max_size')} to 0 to say that you want none`,
          ]
        : [],
  };
}
