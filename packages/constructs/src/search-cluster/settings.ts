import { hostNames } from '@drover/core/names/search-cluster';
import { imageDefaults } from '../boot/images.ts';
import type { NameOf } from '../inputs/check-inputs.ts';
import { addressDefaults, configurationDefaults } from '../inputs/shared-defaults.ts';
import type { SearchClusterProps } from './props.ts';

/** How messages call the construct. */
export const title = 'the search cluster';

export const nodeKinds = ['master', 'data'] as const;
export type NodeKind = (typeof nodeKinds)[number];

/** What a cluster is built from: its inputs with every default filled in. */
export type SearchClusterSettings = ReturnType<typeof withDefaults>;

export interface NodeSettings {
  readonly count: number;
  readonly instanceType: string;
  readonly volumeGiB: number;
}

/** Fills in every default. Counts, instance types and volume sizes are grouped by the kind of node. */
export function withDefaults(props: SearchClusterProps, name: NameOf) {
  const {
    masterCount = 3,
    dataCount = 3,
    instanceTypeMaster,
    instanceTypeData,
    masterVolumeSize = 30,
    dataVolumeSize = 200,
    ...inputs
  } = props;
  const { clusterName, zoneName, architecture = 'x86_64' } = inputs;
  const arm = architecture === 'arm64';
  const nodes: Readonly<Record<NodeKind, NodeSettings>> = {
    master: {
      count: masterCount,
      instanceType: instanceTypeMaster ?? (arm ? 't4g.medium' : 't3a.medium'),
      volumeGiB: masterVolumeSize,
    },
    data: {
      count: dataCount,
      instanceType: instanceTypeData ?? (arm ? 'm7g.large' : 'm6i.large'),
      volumeGiB: dataVolumeSize,
    },
  };
  const url = (host: string) => `https://${host}.${zoneName}`;
  return {
    ...inputs,
    architecture,
    ...imageDefaults(inputs),
    ...addressDefaults(inputs),
    monitoringCidrBlock: inputs.monitoringCidrBlock ?? inputs.vpcCidrBlock ?? '',
    nodes,
    elasticsearchVersion: inputs.elasticsearchVersion ?? '8.19.21',
    memoryLock: inputs.memoryLock ?? false,
    heapMaxGib: inputs.heapMaxGib ?? 30,
    snapshotBucketPrefix: inputs.snapshotBucketPrefix ?? `${clusterName}-snapshots`,
    snapshotForceDestroy: inputs.snapshotForceDestroy ?? false,
    greenWithinMinutes: inputs.greenWithinMinutes ?? 45,
    maxInstanceLifetimeDays: inputs.maxInstanceLifetimeDays ?? 0,
    ...configurationDefaults(inputs),
    urls: {
      cluster: url(hostNames.cluster(clusterName)),
      master: url(hostNames.master(clusterName)),
      data: url(hostNames.data(clusterName)),
    },
    warnings: warnings(nodes, name),
  };
}

/** Inputs that are allowed, but give a cluster that cannot replace its nodes without an interruption. */
function warnings({ master, data }: Readonly<Record<NodeKind, NodeSettings>>, name: NameOf): string[] {
  return [
    ...(master.count > 1
      ? []
      : [`${name('master_count')} is 1: the cluster stops whenever that node is replaced; give 3 to avoid it`]),
    ...(data.count > 1
      ? []
      : [`${name('data_count')} is 1: replicas have no place, so the cluster is yellow and no node can be replaced`]),
  ];
}
