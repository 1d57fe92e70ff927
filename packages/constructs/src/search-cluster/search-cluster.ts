import { discoveryTags } from '@drover/core/names/search-cluster';
import { moduleVersion } from '@drover/core/names/version';
import { Annotations, type SecretValue, Tags } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { ModuleAlarms } from '../alarms.ts';
import { BootSoftware } from '../boot/software.ts';
import { logKey } from '../log-key.ts';
import { addOutputs } from '../outputs.ts';
import { ClusterAddresses } from './addresses.ts';
import { clusterAlarmRules } from './alarms.ts';
import { ClusterBuckets } from './buckets.ts';
import { searchClusterInputs } from './inputs.ts';
import { ClusterNetwork } from './network.ts';
import { NodeGroup } from './node-group.ts';
import { searchClusterOutputs } from './outputs.ts';
import type { SearchClusterProps } from './props.ts';
import { ClusterSecrets } from './secrets.ts';
import type { NodeKind } from './settings.ts';

/** An Elasticsearch cluster of master and data nodes behind load balancers, with its snapshots, secrets and alarms. */
export class SearchCluster extends Construct {
  /** Output `cluster_url`. */
  readonly clusterUrl: string;
  /** Output `cluster_master_url`. */
  readonly clusterMasterUrl: string;
  /** Output `cluster_data_url`. */
  readonly clusterDataUrl: string;
  /** Output `elastic_secret_id`. */
  readonly elasticSecretId: string;
  /** Output `kibana_system_secret_id`. */
  readonly kibanaSystemSecretId: string;
  /** The password of `kibana_system`, resolved where it is used; never text in a template. */
  readonly kibanaSystemPassword: SecretValue;
  readonly elasticsearchVersion: string;

  /** Props from a YAML or JSON file with the keys of docs/CONFIGURATION.md. */
  static readConfiguration(file: string): SearchClusterProps {
    return searchClusterInputs.read(file);
  }

  constructor(scope: Construct, id: string, props: SearchClusterProps) {
    super(scope, id);
    const settings = searchClusterInputs.settings(props);
    for (const warning of settings.warnings) Annotations.of(this).addWarningV2('drover:too-few-nodes', warning);
    const key = logKey(this, 'a search cluster');
    const secrets = new ClusterSecrets(this, 'Secrets', settings, key);
    const buckets = new ClusterBuckets(this, 'Buckets', settings);
    const network = new ClusterNetwork(this, 'Network', settings);
    const addresses = new ClusterAddresses(this, 'Addresses', settings, network.balancers.attrGroupId);
    const software = new BootSoftware(this, 'Software', {
      architecture: settings.architecture,
      programs: { 'cluster-cli': 'apps/cluster-cli/dist' },
    });
    const group = (groupId: string, kind: NodeKind) => {
      const { targetGroup, listener } = addresses.balancers[kind];
      const made = new NodeGroup(this, groupId, kind, settings, {
        software,
        secrets,
        buckets,
        securityGroupId: network.nodes.attrGroupId,
        targetGroupArn: targetGroup.ref,
      });
      // A target group without a listener has no load balancer that checks its health; rules must stand before traffic.
      made.group.node.addDependency(listener, network);
      return made;
    };
    const [masters, data] = [group('Masters', 'master'), group('DataNodes', 'data')];
    const alarms = new ModuleAlarms(this, 'Alarms', settings, clusterAlarmRules(settings, addresses), key);
    // Silence is an alarm: it begins when there are nodes that could speak.
    alarms.node.addDependency(masters.group, data.group);
    const tags = {
      ...settings.tags,
      [discoveryTags.cluster]: settings.clusterName,
      [discoveryTags.environment]: settings.environment,
      module_version: moduleVersion,
    };
    for (const [name, value] of Object.entries(tags)) Tags.of(this).add(name, value);
    this.clusterUrl = settings.urls.cluster;
    this.clusterMasterUrl = settings.urls.master;
    this.clusterDataUrl = settings.urls.data;
    this.elasticSecretId = secrets.elastic.secretArn;
    this.kibanaSystemSecretId = secrets.kibanaSystem.secretArn;
    this.kibanaSystemPassword = secrets.kibanaSystem.secretValue;
    this.elasticsearchVersion = settings.elasticsearchVersion;
    addOutputs(this, searchClusterOutputs, {
      cluster_url: this.clusterUrl,
      cluster_master_url: this.clusterMasterUrl,
      cluster_data_url: this.clusterDataUrl,
      elastic_secret_id: this.elasticSecretId,
      kibana_system_secret_id: this.kibanaSystemSecretId,
      ca_certificate_secret_id: secrets.caCertificateArn,
      snapshots_bucket: buckets.snapshots.bucketName,
      master_autoscaling_group_name: masters.group.ref,
      data_autoscaling_group_name: data.group.ref,
      elasticsearch_version: settings.elasticsearchVersion,
      alarm_topic_arn: alarms.topic.topicArn,
      module_version: moduleVersion,
    });
  }
}
