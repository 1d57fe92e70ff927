import { recoveryMaxBytesPerSec } from '@drover/core/instance-bandwidth';
import {
  defaultNodeLeftDelay,
  drillDays,
  hostNames,
  nodeCertificateDays,
  overdueSeconds,
  policiesOf,
  recoverySetting,
  resourceName,
  snapshotPolicies,
  superuser,
} from '@drover/core/names/search-cluster';
import { imageDefaults } from '../boot/images.ts';
import type { NameOf } from '../inputs/check-inputs.ts';
import { addressDefaults, configurationDefaults } from '../inputs/shared-defaults.ts';
import { type GroupSettings, type Groups, groupsOf } from './groups/group-settings.ts';
import type { SearchClusterInputs } from './props.ts';

/** How messages call the construct. */
export const title = 'the search cluster';

/** Where Elastic publishes packages, plugins and the key that signs them. */
export const elasticArtifacts = 'https://artifacts.elastic.co';

export const defaultElasticsearchVersion = '8.19.21';

export const nodeKinds = ['master', 'data'] as const;
export type NodeKind = (typeof nodeKinds)[number];

/** The settings of a cluster: its inputs with every default filled in. */
export type SearchClusterSettings = ReturnType<typeof withDefaults>;

/** Fills in every default. Counts, instance types and volume sizes are those of the groups. */
export function withDefaults(props: SearchClusterInputs, name: NameOf) {
  const {
    masterCount,
    dataCount,
    instanceTypeMaster,
    instanceTypeData,
    masterVolumeSize,
    dataVolumeSize,
    nodeGroups,
    ...inputs
  } = props;
  const { clusterName, zoneName, architecture = 'x86_64' } = inputs;
  const groupPrefix = resourceName(clusterName, inputs.environment, inputs.namesWithEnvironment ?? false);
  const { nodes, problems: groupProblems } = groupsOf(
    { resourceName: groupPrefix, arm: architecture === 'arm64', inputs: props },
    name,
  );
  const data = Object.values(nodes).filter(({ holdsData }) => holdsData);
  const recoveryRate = slowest(data.map(({ instanceType }) => recoveryRateOf(inputs, instanceType)));
  const url = (host: string) => `https://${host}.${zoneName}`;
  return {
    ...inputs,
    architecture,
    ...imageDefaults(inputs),
    /** Groups, functions, alarms and metrics are named by it. */
    resourceName: groupPrefix,
    namesWithEnvironment: inputs.namesWithEnvironment ?? false,
    amiRelease: inputs.amiRelease ?? '',
    ...addressDefaults(inputs),
    monitoringCidrBlock: inputs.monitoringCidrBlock ?? inputs.vpcCidrBlock ?? '',
    nodes,
    groupProblems,
    elasticsearchVersion: inputs.elasticsearchVersion ?? defaultElasticsearchVersion,
    separateDataVolume: inputs.separateDataVolume ?? false,
    memoryLock: inputs.memoryLock ?? false,
    heapMaxGib: inputs.heapMaxGib ?? 30,
    recoveryMaxBytesPerSec: recoveryRate,
    nodeLeftDelay: inputs.nodeLeftDelay ?? defaultNodeLeftDelay,
    forcedAwareness: inputs.forcedAwareness ?? false,
    exporterUser: inputs.exporterUser ?? superuser,
    anonymousMonitoring: inputs.anonymousMonitoring ?? inputs.loadBalancerScheme !== 'internet-facing',
    kibanaAuth: inputs.kibanaAuth ?? 'password',
    rotateElastic: inputs.rotateElastic ?? false,
    restoreDrillDays: inputs.restoreDrillDays ?? drillDays,
    nodeCertificateDays: inputs.nodeCertificateDays ?? nodeCertificateDays,
    packageMirror: inputs.packageMirror ?? elasticArtifacts,
    /** Overdue after this time; undefined without any policy. */
    oldSnapshotSeconds: oldestSnapshot(inputs.snapshotPolicies),
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
    warnings: {
      'drover:too-few-nodes': warnings(nodes, name),
      'drover:unused-disks': unusedDisks(nodes),
      'drover:long-drain': data.flatMap((group) => longDrains(largestOf(group, inputs), recoveryRate, name)),
    },
  };
}

/**
 * The rate that masters keep as a cluster setting; undefined where elasticsearch.yml sets it, which a cluster setting
 * would overrule.
 */
function recoveryRateOf(
  { indicesRecoveryMaxBytesPerSec, elasticsearchSettings = {}, dataVolumeThroughput = 125 }: SearchClusterInputs,
  instanceType: string,
): string | undefined {
  if (recoverySetting in elasticsearchSettings) return undefined;
  return indicesRecoveryMaxBytesPerSec ?? recoveryMaxBytesPerSec(instanceType, dataVolumeThroughput);
}

/** Masters keep one rate for all nodes: the least of their machines. */
const slowest = (rates: readonly (string | undefined)[]) => {
  const mb = (rate: string) => Number.parseInt(rate, 10) * (rate.endsWith('gb') ? 1024 : 1);
  return rates.filter((rate) => rate !== undefined).sort((a, b) => mb(a) - mb(b))[0];
};

/** Disk usage above which Elasticsearch places no shards. */
const fullShare = 0.85;
const hookHours = 48;

/** As large as its volumes may become by themselves. */
const largestOf = (group: GroupSettings, { dataVolumeMaxSize = 0 }: Pick<SearchClusterInputs, 'dataVolumeMaxSize'>) =>
  group.key === 'data' ? { ...group, volumeGiB: Math.max(group.volumeGiB, dataVolumeMaxSize) } : group;

/** A full node that cannot be drained while its hook lasts: it would be retained whenever it is replaced. */
function longDrains({ volumeGiB }: GroupSettings, rate: string | undefined, name: NameOf): string[] {
  const [, amount, unit] = /^(\d+)(mb|gb)$/.exec(rate ?? '') ?? [];
  if (amount === undefined) return [];
  const hours = (fullShare * volumeGiB * 1024) / (Number(amount) * (unit === 'gb' ? 1024 : 1)) / 3600;
  if (hours <= hookHours) return [];
  return [
    `a full volume of ${volumeGiB} GiB takes about ${Math.round(hours)} h to drain at ${rate}/s, but a termination waits ${hookHours} h: nodes that are replaced would be retained; lower ${name('data_volume_size')} and raise ${name('data_count')}, or raise ${name('data_volume_throughput')} or ${name('indices_recovery_max_bytes_per_sec')}`,
  ];
}

function oldestSnapshot(inputs: SearchClusterInputs['snapshotPolicies']): number | undefined {
  const policies = inputs === undefined ? snapshotPolicies : policiesOf(inputs);
  return policies.length === 0 ? undefined : Math.min(...policies.map(overdueSeconds));
}

/** Families with disks of the instance itself, by the `d` of their name, or made for storage (EC2 user guide, "Instance store volumes"). */
const withInstanceStore = /^([a-z]+\d+[a-z]*d[a-z]*|(i|im|is|d|h)\d\w*|x1e?)\./;

const unusedDisks = (nodes: Groups): string[] =>
  Object.values(nodes)
    .filter(({ instanceType }) => withInstanceStore.test(instanceType))
    .map(({ instanceType }) => `${instanceType} has disks of its own, which are not used: data is kept on EBS`);

/** Inputs that are allowed, but give a cluster that cannot replace its nodes without an interruption. */
function warnings({ master, data, ...further }: Groups, name: NameOf): string[] {
  return [
    ...(master.count > 1
      ? []
      : [`${name('master_count')} is 1: the cluster stops whenever that node is replaced; give 3 to avoid it`]),
    ...(data.count > 1
      ? []
      : [`${name('data_count')} is 1: replicas have no place, so the cluster is yellow and no node can be replaced`]),
    ...Object.values(further)
      .filter(({ count }) => count === 1)
      .map(
        ({ key }) =>
          `${name('node_groups')}.${key} has one node: replicas of its tier have no place, so they stay unassigned and the node cannot be replaced`,
      ),
  ];
}
