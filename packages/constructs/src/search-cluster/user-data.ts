import {
  defaultNodeLeftDelay,
  drillDays,
  hooks,
  launchNoteTag,
  nodeCertificateDays,
  replicaClient,
} from '@drover/core/names/search-cluster';
import { type InstanceFacts, instanceUserData, puppetFacts } from '../boot/instance-user-data.ts';
import type { GroupSettings } from './groups/group-settings.ts';
import type { ClusterStores } from './permissions.ts';
import { elasticArtifacts, type SearchClusterSettings, title } from './settings.ts';

/** The secrets and buckets of the stack that a node uses. */
export interface NodePlaces {
  readonly elasticSecret: string;
  readonly kibanaSystemSecret: string;
  readonly exporterSecret?: string | undefined;
  readonly kibanaTokenSecret?: string | undefined;
  readonly caCertificateSecret: string;
  readonly caKeySecret: string;
  readonly snapshotsBucket: string;
  readonly stateBucket: string;
}

export const placesOf = ({ secrets, buckets }: ClusterStores): NodePlaces => ({
  elasticSecret: secrets.elastic.secretArn,
  kibanaSystemSecret: secrets.kibanaSystem.secretArn,
  exporterSecret: secrets.exporter?.secretArn,
  kibanaTokenSecret: secrets.kibanaTokenArn,
  caCertificateSecret: secrets.caCertificateArn,
  caKeySecret: secrets.caKeyArn,
  snapshotsBucket: buckets.snapshots.bucketName,
  stateBucket: buckets.state.bucketName,
});

export interface NodeFacts extends InstanceFacts, NodePlaces {
  readonly groupName: string;
  /** The least version of Elasticsearch: a node that joins a cluster which was upgraded in place takes that one. */
  readonly launchVersion: string;
}

/**
 * The cloud-init document of a search node: what a launch needs, with secrets by name. Every other input comes with the
 * software, by its pointer. Commissioning may take two days: a unit does it after the boot
 * (puppet/modules/drover_search/manifests/launch.pp).
 */
export function nodeUserData(key: string, settings: SearchClusterSettings, facts: NodeFacts): string {
  const boot = {
    module: title,
    role: settings.nodes[key]!.role,
    groupName: facts.groupName,
    hook: hooks.launching.name,
    // Instances that boot.py may release itself: one on whose disk Elasticsearch, once it is stopped, has no index.
    release: { hook: hooks.terminating.name, unless: '/var/lib/elasticsearch/indices', service: 'elasticsearch' },
    noteTag: launchNoteTag,
    keepRunning: ['elasticsearch'],
    unattendedUpgrades: true,
    prepare: ['bin/cluster-cli', 'node', 'prepare'],
  };
  return instanceUserData(settings, facts, boot, {
    elasticsearch: {
      ...clusterFacts(settings, facts),
      version: facts.launchVersion,
      state_bucket: facts.stateBucket,
      ...(settings.separateDataVolume ? { data_volume: true } : {}),
    },
  });
}

/** Which cluster it is, and where its secrets are. */
const clusterFacts = (settings: SearchClusterSettings, places: NodePlaces) => ({
  cluster_name: settings.clusterName,
  environment: settings.environment,
  ...(settings.namesWithEnvironment ? { resource_name: settings.resourceName } : {}),
  elastic_secret: places.elasticSecret,
  kibana_system_secret: places.kibanaSystemSecret,
  ca_certificate_secret: places.caCertificateSecret,
  ca_key_secret: places.caKeySecret,
  snapshots_bucket: places.snapshotsBucket,
  master_url: settings.urls.master,
});

/**
 * The facts that a node takes with its software: everything that Puppet and `cluster-cli` act on, except what belongs to
 * the launch (version, volume, state bucket).
 */
export const pointedFacts = (key: string, settings: SearchClusterSettings, places: NodePlaces) => ({
  drover: {
    packages: settings.packages,
    puppet: puppetFacts(settings),
    programs_from_packages: settings.programsFromPackages,
  },
  elasticsearch: {
    ...clusterFacts(settings, places),
    memory_lock: settings.memoryLock,
    ...rolesFact(settings.nodes[key]!),
    heap_max_gib: settings.heapMaxGib,
    ...(settings.nodeCertificateDays === nodeCertificateDays
      ? {}
      : { node_certificate_days: settings.nodeCertificateDays }),
    ...(settings.anonymousMonitoring ? {} : { anonymous_monitoring: false }),
    ...(key === 'master' ? masterFacts(settings, places) : {}),
    ...ownSoftware(settings),
    ...(places.exporterSecret === undefined
      ? {}
      : { exporter_user: settings.exporterUser, exporter_secret: places.exporterSecret }),
  },
});

/** Only if the input says something about them: Puppet knows the roles of masters and data nodes. */
const rolesFact = ({ roles }: GroupSettings) => (roles === undefined ? {} : { node_roles: roles });

/** Facts that only masters act on. */
const masterFacts = (
  {
    nodes,
    snapshotPolicies,
    recoveryMaxBytesPerSec: rate,
    nodeLeftDelay,
    restoreDrillDays,
    forcedAwareness,
    passwordRotationDays: rotation,
    rotateElastic,
    ...inputs
  }: SearchClusterSettings,
  { kibanaTokenSecret }: NodePlaces,
) => ({
  master_count: nodes.master.count,
  ...(rate === undefined ? {} : { recovery_max_bytes_per_sec: rate }),
  ...(nodeLeftDelay === defaultNodeLeftDelay ? {} : { node_left_delay: nodeLeftDelay }),
  ...(snapshotPolicies === undefined ? {} : { snapshot_policies: snapshotPolicies }),
  ...(inputs.snapshotReplicaBucket === undefined ? {} : { snapshot_replica_bucket: inputs.snapshotReplicaBucket }),
  ...(inputs.snapshotReplicaRegion === undefined ? {} : { snapshot_replica_region: inputs.snapshotReplicaRegion }),
  ...(restoreDrillDays === drillDays ? {} : { restore_drill_days: restoreDrillDays }),
  ...(forcedAwareness ? { forced_awareness: true } : {}),
  ...(kibanaTokenSecret === undefined ? {} : { kibana_token_secret: kibanaTokenSecret }),
  ...(rotation === undefined ? {} : { password_rotation_days: rotation }),
  ...(rotateElastic ? { rotate_elastic: true } : {}),
});

/** Releases before 8.19 take the host of a bucket from the address alone, later ones from the region. */
const replicaClientSettings = (region: string | undefined) => {
  if (region === undefined) return {};
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  return {
    [`s3.client.${replicaClient}.region`]: region,
    [`s3.client.${replicaClient}.endpoint`]: `https://s3.${region}.${suffix}`,
  };
};

/** Each only if it is given. */
const ownSoftware = ({
  elasticsearchSettings: ownSettings,
  elasticsearchPlugins,
  keystoreSecrets,
  ...inputs
}: SearchClusterSettings) => ({
  ...(ownSettings === undefined && inputs.snapshotReplicaRegion === undefined
    ? {}
    : { settings: { ...replicaClientSettings(inputs.snapshotReplicaRegion), ...ownSettings } }),
  ...(elasticsearchPlugins === undefined ? {} : { plugins: elasticsearchPlugins }),
  ...(keystoreSecrets === undefined ? {} : { keystore_secrets: keystoreSecrets }),
  ...(inputs.packageMirror === elasticArtifacts ? {} : { mirror: inputs.packageMirror }),
});
