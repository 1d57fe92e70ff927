import { drillDays, hooks, launchNoteTag, nodeRoles } from '@drover/core/names/search-cluster';
import { type InstanceFacts, instanceUserData } from '../boot/instance-user-data.ts';
import { elasticArtifacts, type NodeKind, type SearchClusterSettings, title } from './settings.ts';

export interface NodeFacts extends InstanceFacts {
  readonly groupName: string;
  /** The least version of Elasticsearch: a node that joins a cluster which was upgraded in place takes that one. */
  readonly launchVersion: string;
  readonly elasticSecret: string;
  readonly kibanaSystemSecret: string;
  readonly exporterSecret?: string | undefined;
  readonly kibanaTokenSecret?: string | undefined;
  readonly caCertificateSecret: string;
  readonly caKeySecret: string;
  readonly snapshotsBucket: string;
  readonly stateBucket: string;
}

/**
 * The cloud-init document of a search node. Secrets are named in it, never held. Commissioning may take two days: a unit
 * does it after the boot (puppet/modules/drover_search/manifests/launch.pp).
 */
export function nodeUserData(kind: NodeKind, settings: SearchClusterSettings, facts: NodeFacts): string {
  const boot = {
    module: title,
    role: nodeRoles[kind],
    groupName: facts.groupName,
    hook: hooks.launching.name,
    // Instances that boot.py may release itself: one on whose disk Elasticsearch has no index.
    release: { hook: hooks.terminating.name, unless: '/var/lib/elasticsearch/indices' },
    noteTag: launchNoteTag,
    keepRunning: ['elasticsearch'],
    unattendedUpgrades: true,
    prepare: ['bin/cluster-cli', 'node', 'prepare'],
  };
  return instanceUserData(settings, facts, boot, {
    elasticsearch: {
      cluster_name: settings.clusterName,
      environment: settings.environment,
      ...(settings.namesWithEnvironment ? { resource_name: settings.resourceName } : {}),
      version: facts.launchVersion,
      memory_lock: settings.memoryLock,
      heap_max_gib: settings.heapMaxGib,
      ...(settings.separateDataVolume ? { data_volume: true } : {}),
      ...(settings.anonymousMonitoring ? {} : { anonymous_monitoring: false }),
      ...(kind === 'master' ? masterFacts(settings) : {}),
      ...ownSoftware(settings),
      elastic_secret: facts.elasticSecret,
      kibana_system_secret: facts.kibanaSystemSecret,
      ...(facts.exporterSecret === undefined
        ? {}
        : { exporter_user: settings.exporterUser, exporter_secret: facts.exporterSecret }),
      ...(facts.kibanaTokenSecret === undefined ? {} : { kibana_token_secret: facts.kibanaTokenSecret }),
      ca_certificate_secret: facts.caCertificateSecret,
      ca_key_secret: facts.caKeySecret,
      snapshots_bucket: facts.snapshotsBucket,
      state_bucket: facts.stateBucket,
      master_url: settings.urls.master,
    },
  });
}

/** Facts that only masters act on: data nodes are not replaced for it. */
const masterFacts = ({
  nodes,
  snapshotPolicies,
  recoveryMaxBytesPerSec: rate,
  restoreDrillDays,
  forcedAwareness,
}: SearchClusterSettings) => ({
  master_count: nodes.master.count,
  ...(rate === undefined ? {} : { recovery_max_bytes_per_sec: rate }),
  ...(snapshotPolicies === undefined ? {} : { snapshot_policies: snapshotPolicies }),
  ...(restoreDrillDays === drillDays ? {} : { restore_drill_days: restoreDrillDays }),
  ...(forcedAwareness ? { forced_awareness: true } : {}),
});

/** Each only if it is given, so that the user data of a cluster without it stays as it is. */
const ownSoftware = ({
  elasticsearchSettings,
  elasticsearchPlugins,
  keystoreSecrets,
  ...inputs
}: SearchClusterSettings) => ({
  ...(elasticsearchSettings === undefined ? {} : { settings: elasticsearchSettings }),
  ...(elasticsearchPlugins === undefined ? {} : { plugins: elasticsearchPlugins }),
  ...(keystoreSecrets === undefined ? {} : { keystore_secrets: keystoreSecrets }),
  ...(inputs.packageMirror === elasticArtifacts ? {} : { mirror: inputs.packageMirror }),
});
