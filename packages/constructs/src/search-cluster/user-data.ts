import { hooks, launchNoteTag, nodeRoles } from '@drover/core/names/search-cluster';
import { type InstanceFacts, instanceUserData } from '../boot/instance-user-data.ts';
import { type NodeKind, type SearchClusterSettings, title } from './settings.ts';

export interface NodeFacts extends InstanceFacts {
  readonly groupName: string;
  readonly elasticSecret: string;
  readonly kibanaSystemSecret: string;
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
    // What boot.py may let go itself: an instance on whose disk Elasticsearch has no index.
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
      version: settings.elasticsearchVersion,
      memory_lock: settings.memoryLock,
      heap_max_gib: settings.heapMaxGib,
      master_count: settings.nodes.master.count,
      elastic_secret: facts.elasticSecret,
      kibana_system_secret: facts.kibanaSystemSecret,
      ca_certificate_secret: facts.caCertificateSecret,
      ca_key_secret: facts.caKeySecret,
      snapshots_bucket: facts.snapshotsBucket,
      state_bucket: facts.stateBucket,
      master_url: settings.urls.master,
    },
  });
}
