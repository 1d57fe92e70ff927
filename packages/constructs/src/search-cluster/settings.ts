import { hostNames } from '@drover/core/names/search-cluster';
import { InputError, propWords, type Words } from '../inputs/check-inputs.ts';
import { contradictions } from './contradictions.ts';
import type { SearchClusterProps } from './inputs.ts';

export const nodeKinds = ['master', 'data'] as const;
export type NodeKind = (typeof nodeKinds)[number];

/** A cluster's inputs with every default filled in. */
export interface SearchClusterSettings extends Required<Pick<SearchClusterProps, AlwaysSet>> {
  readonly inputs: SearchClusterProps;
  readonly nodes: Readonly<Record<NodeKind, NodeSettings>>;
  /** Host names without the zone, and with it as an address. */
  readonly urls: Readonly<Record<'cluster' | NodeKind, string>>;
  readonly warnings: readonly string[];
}

export interface NodeSettings {
  readonly count: number;
  readonly instanceType: string;
  readonly volumeGiB: number;
}

type AlwaysSet =
  | 'clusterName'
  | 'environment'
  | 'zoneId'
  | 'zoneName'
  | 'vpcId'
  | 'subnetIds'
  | 'loadBalancerScheme'
  | 'loadBalancerSubnetIds'
  | 'allowedCidrBlocks'
  | 'monitoringCidrBlock'
  | 'architecture'
  | 'elasticsearchVersion'
  | 'memoryLock'
  | 'snapshotBucketPrefix'
  | 'snapshotForceDestroy'
  | 'maxInstanceLifetimeDays'
  | 'packages'
  | 'puppetHieraConfigPath'
  | 'puppetModulePath'
  | 'puppetManifest';

/** How messages call this module. */
export const moduleName = 'the search cluster';

/** Fills in the defaults and stops with every contradiction between inputs. */
export function settle(inputs: SearchClusterProps, words: Words = propWords(moduleName)): SearchClusterSettings {
  const settings = withDefaults(inputs, words);
  const problems = contradictions(settings, words.name);
  if (problems.length > 0) throw new InputError(words.module, problems);
  return settings;
}

function withDefaults(inputs: SearchClusterProps, words: Words): SearchClusterSettings {
  const nodes = nodeSettings(inputs);
  const { vpcCidrBlock = '', clusterName, zoneName, subnetIds } = inputs;
  const given = <T>(list: readonly T[] | undefined, otherwise: readonly T[]) => (list?.length ? list : otherwise);
  return {
    inputs,
    clusterName,
    environment: inputs.environment,
    zoneId: inputs.zoneId,
    zoneName,
    vpcId: inputs.vpcId,
    subnetIds,
    loadBalancerScheme: inputs.loadBalancerScheme ?? 'internal',
    loadBalancerSubnetIds: given(inputs.loadBalancerSubnetIds, subnetIds),
    allowedCidrBlocks: given(inputs.allowedCidrBlocks, [vpcCidrBlock]),
    monitoringCidrBlock: inputs.monitoringCidrBlock ?? vpcCidrBlock,
    nodes,
    architecture: inputs.architecture ?? 'x86_64',
    elasticsearchVersion: inputs.elasticsearchVersion ?? '8.19.21',
    memoryLock: inputs.memoryLock ?? false,
    snapshotBucketPrefix: inputs.snapshotBucketPrefix ?? `${clusterName}-snapshots`,
    snapshotForceDestroy: inputs.snapshotForceDestroy ?? false,
    maxInstanceLifetimeDays: inputs.maxInstanceLifetimeDays ?? 0,
    packages: inputs.packages ?? [],
    puppetHieraConfigPath: inputs.puppetHieraConfigPath ?? '/opt/drover/puppet/hiera.yaml',
    puppetModulePath: inputs.puppetModulePath ?? '/opt/drover/puppet/modules',
    puppetManifest: inputs.puppetManifest ?? '/opt/drover/puppet/manifests/site.pp',
    urls: {
      cluster: `https://${hostNames.cluster(clusterName)}.${zoneName}`,
      master: `https://${hostNames.master(clusterName)}.${zoneName}`,
      data: `https://${hostNames.data(clusterName)}.${zoneName}`,
    },
    warnings: warnings(nodes, words),
  };
}

function nodeSettings(inputs: SearchClusterProps): Readonly<Record<NodeKind, NodeSettings>> {
  const arm = inputs.architecture === 'arm64';
  return {
    master: {
      count: inputs.masterCount ?? 3,
      instanceType: inputs.instanceTypeMaster ?? (arm ? 't4g.medium' : 't3a.medium'),
      volumeGiB: inputs.masterVolumeSize ?? 30,
    },
    data: {
      count: inputs.dataCount ?? 3,
      instanceType: inputs.instanceTypeData ?? (arm ? 'm7g.large' : 'm6i.large'),
      volumeGiB: inputs.dataVolumeSize ?? 200,
    },
  };
}

/** What works, but not as one expects of a cluster. */
function warnings({ master, data }: Readonly<Record<NodeKind, NodeSettings>>, { name }: Words): string[] {
  return [
    ...(master.count > 1
      ? []
      : [`${name('master_count')} is 1: the cluster stops whenever that node is replaced; give 3 to avoid it`]),
    ...(data.count > 1
      ? []
      : [`${name('data_count')} is 1: replicas have no place, so the cluster is yellow and no node can be replaced`]),
  ];
}
