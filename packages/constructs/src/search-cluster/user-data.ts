import { hooks, nodeRoles } from '@drover/core/names/search-cluster';
import { cloudConfig } from '../boot/cloud-config.ts';
import type { BootAsset } from '../boot/software.ts';
import { moduleName, type NodeKind, type SearchClusterSettings } from './settings.ts';

export interface NodeFacts {
  readonly region: string;
  /** `amazonaws.com`, or what it is in this partition. */
  readonly urlSuffix: string;
  readonly moduleVersion: string;
  readonly software: readonly BootAsset[];
  readonly groupName: string;
  readonly elasticSecret: string;
  readonly kibanaSystemSecret: string;
  readonly caCertificateSecret: string;
  readonly caKeySecret: string;
  readonly snapshotsBucket: string;
  readonly stateBucket: string;
}

/** The cloud-init document of a search node. Secrets are named in it, never held. */
export function nodeUserData(kind: NodeKind, settings: SearchClusterSettings, facts: NodeFacts): string {
  const { extraRepos, extraFiles, postRuncmd = [] } = settings.inputs;
  return cloudConfig({
    module: moduleName,
    packages: settings.packages,
    extraRepos,
    extraFiles,
    facts: customFacts(kind, settings, facts),
    // Commissioning may take two days: a unit does it after the boot (puppet/modules/drover_search/manifests/launch.pp).
    commands: postRuncmd,
  });
}

function customFacts(kind: NodeKind, settings: SearchClusterSettings, facts: NodeFacts) {
  return {
    drover: {
      module_version: facts.moduleVersion,
      role: nodeRoles[kind],
      environment: settings.environment,
      region: facts.region,
      packages: settings.packages,
      software: facts.software,
      puppet: {
        hiera_config: settings.puppetHieraConfigPath,
        module_path: settings.puppetModulePath,
        manifest: settings.puppetManifest,
      },
      launch: {
        autoscaling_group_name: facts.groupName,
        hook: hooks.launching.name,
        endpoint: `https://autoscaling.${facts.region}.${facts.urlSuffix}/`,
      },
      prepare: ['bin/cluster-cli', 'node', 'prepare'],
    },
    elasticsearch: {
      cluster_name: settings.clusterName,
      environment: settings.environment,
      version: settings.elasticsearchVersion,
      memory_lock: settings.memoryLock,
      master_count: settings.nodes.master.count,
      elastic_secret: facts.elasticSecret,
      kibana_system_secret: facts.kibanaSystemSecret,
      ca_certificate_secret: facts.caCertificateSecret,
      ca_key_secret: facts.caKeySecret,
      snapshots_bucket: facts.snapshotsBucket,
      state_bucket: facts.stateBucket,
      master_url: settings.urls.master,
    },
  };
}
