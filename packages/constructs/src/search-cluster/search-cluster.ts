import { discoveryTags, metrics } from '@drover/core/names/search-cluster';
import { moduleVersion } from '@drover/core/names/version';
import { Annotations, type SecretValue, Tags } from 'aws-cdk-lib';
import { AutoScalingGroup, type IAutoScalingGroup } from 'aws-cdk-lib/aws-autoscaling';
import type { Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import { type Connections, type IConnectable, Port } from 'aws-cdk-lib/aws-ec2';
import { Grant, type IGrantable, type IRole } from 'aws-cdk-lib/aws-iam';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { ModuleAlarms } from '../alarms.ts';
import type { HttpsLoadBalancer } from '../balancing/https-load-balancer.ts';
import { groupConnections } from '../connections.ts';
import { logKey } from '../log-key.ts';
import { addOutputs } from '../outputs.ts';
import { sayWhatClusterSurvives } from '../survives.ts';
import { ClusterAddresses } from './addresses.ts';
import { clusterAlarmRules, clusterMetric } from './alarms.ts';
import { ClusterBuckets } from './buckets.ts';
import { ClusterDashboard } from './dashboard.ts';
import { ClusterWatch } from './functions/cluster-watch.ts';
import { NodeSoftware } from './functions/node-software.ts';
import type { GroupSettings } from './groups/group-settings.ts';
import { searchClusterInputs } from './inputs.ts';
import { ClusterNetwork } from './network.ts';
import { NodeGroup } from './node-group.ts';
import { searchClusterOutputs } from './outputs.ts';
import type { SearchClusterProps } from './props.ts';
import { ClusterSecrets } from './secrets.ts';
import type { NodeKind } from './settings.ts';

/**
 * An Elasticsearch cluster of master and data nodes behind load balancers, with its snapshots, secrets and alarms.
 *
 * @example
 * ```ts
 * new SearchCluster(stack, 'Cluster', {
 *   environment: 'production',
 *   clusterName: 'logs',
 *   network: Network.fromVpc(vpc),
 *   zone: Zone.fromHostedZone(hostedZone),
 * });
 * ```
 */
export class SearchCluster extends Construct implements IConnectable {
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
  /** Output `kibana_token_secret_id`; undefined unless `kibanaAuth` is `service_token`. */
  readonly kibanaTokenSecretId: string | undefined;
  /** The password of `kibana_system`, resolved where it is used; never text in a template. */
  readonly kibanaSystemPassword: SecretValue;
  /** Output `elasticsearch_version`. */
  readonly elasticsearchVersion: string;
  /** The Auto Scaling group of the master nodes. */
  readonly masterGroup: IAutoScalingGroup;
  /** The Auto Scaling group of the data nodes. */
  readonly dataGroup: IAutoScalingGroup;
  /** Role of the master nodes. */
  readonly masterRole: IRole;
  /** Role of the data nodes. */
  readonly dataRole: IRole;
  /** Network connections of the load balancers, by which clients reach the cluster; the default port is 443. */
  readonly connections: Connections;
  /** Network connections of the nodes themselves, e.g. for a scraper of their metrics. */
  readonly nodeConnections: Connections;
  /** Topic that receives every alarm of the cluster: output `alarm_topic_arn`. */
  readonly alarmTopic: ITopic;
  /** Bucket of the snapshot repository: output `snapshots_bucket`. */
  readonly snapshotsBucket: IBucket;
  readonly #resourceName: string;
  readonly #addresses: ClusterAddresses;
  readonly #elasticSecret: ISecret;
  readonly #kibanaSystemSecret: ISecret;
  readonly #caCertificateArn: string;

  /** Props from a YAML or JSON file with the keys of docs/CONFIGURATION.md. */
  static readConfiguration(file: string): SearchClusterProps {
    return searchClusterInputs.read(file);
  }

  constructor(scope: Construct, id: string, props: SearchClusterProps) {
    super(scope, id);
    const settings = searchClusterInputs.settings(props);
    for (const [warningId, texts] of Object.entries(settings.warnings))
      for (const text of texts) Annotations.of(this).addWarningV2(warningId, text);
    sayWhatClusterSurvives(this, settings);
    const key = logKey(this, 'a search cluster');
    const secrets = new ClusterSecrets(this, 'Secrets', settings, key);
    const buckets = new ClusterBuckets(this, 'Buckets', settings);
    const network = new ClusterNetwork(this, 'Network', settings);
    const addresses = new ClusterAddresses(this, 'Addresses', settings, network.balancers.attrGroupId);
    const software = new NodeSoftware(this, 'Software', settings, { secrets, buckets }, key);
    const { balancers } = addresses;
    const targetGroupArns = [balancers.master, balancers.data].map(({ targetGroup }) => targetGroup.ref);
    const watch = new ClusterWatch(this, 'Watch', settings, { state: buckets.state, targetGroupArns }, key);
    const image = watch.nodeImage(this, 'NodeImage', settings);
    const launchVersion = watch.launchVersion(this, 'LaunchVersion', settings);
    const group = (groupId: string, own: GroupSettings, balancer?: HttpsLoadBalancer) => {
      const made = new NodeGroup(this, groupId, own, settings, {
        pointerUrl: software.pointerUrl,
        imageId: settings.amiId ?? image.ref,
        launchVersion: launchVersion.ref,
        secrets,
        buckets,
        securityGroupId: network.nodes.attrGroupId,
        targetGroupArn: balancer?.targetGroup.ref,
      });
      // Health checks need a listener in front of the target group, and traffic needs the rules of the security groups.
      if (balancer !== undefined) made.group.node.addDependency(balancer.listener);
      made.group.node.addDependency(network, watch, image, software.pointer);
      return made;
    };
    const { master: masterSettings, data: dataSettings, ...furtherSettings } = settings.nodes;
    const masters = group('Masters', masterSettings, balancers.master);
    const data = group('DataNodes', dataSettings, balancers.data);
    const further = Object.values(furtherSettings).map((own) => group(`Nodes-${own.key}`, own));
    const groups = [masters, data, ...further].map((each) => each.group);
    // Other counts are taken by the data nodes first.
    masters.group.node.addDependency(...groups.slice(1));
    // A resource of its own: a creation policy of one group would wait for nodes of the other, which comes after it.
    const green = watch.greenCluster(this, 'GreenCluster', settings);
    green.node.addDependency(...groups);
    const alarms = new ModuleAlarms(this, 'Alarms', settings, clusterAlarmRules(settings, addresses), key);
    // Missing data raises an alarm, so the alarms are created after the nodes that publish it.
    alarms.node.addDependency(...groups);
    const dashboard = new ClusterDashboard(this, 'Overview', settings, addresses, alarms.alarms);
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
    this.kibanaTokenSecretId = secrets.kibanaTokenArn;
    this.kibanaSystemPassword = secrets.kibanaSystem.secretValue;
    this.elasticsearchVersion = settings.elasticsearchVersion;
    this.masterGroup = AutoScalingGroup.fromAutoScalingGroupName(this, 'MasterGroup', masters.group.ref);
    this.dataGroup = AutoScalingGroup.fromAutoScalingGroupName(this, 'DataGroup', data.group.ref);
    this.masterRole = masters.role;
    this.dataRole = data.role;
    this.connections = groupConnections(this, 'LoadBalancers', {
      securityGroupId: network.balancers.attrGroupId,
      defaultPort: Port.HTTPS,
      allowAllOutbound: false,
    });
    this.nodeConnections = groupConnections(this, 'Nodes', {
      securityGroupId: network.nodes.attrGroupId,
      allowAllOutbound: true,
    });
    this.alarmTopic = alarms.topic;
    this.snapshotsBucket = buckets.snapshots;
    this.#resourceName = settings.resourceName;
    this.#addresses = addresses;
    this.#elasticSecret = secrets.elastic;
    this.#kibanaSystemSecret = secrets.kibanaSystem;
    this.#caCertificateArn = secrets.caCertificateArn;
    addOutputs(this, searchClusterOutputs, {
      cluster_url: this.clusterUrl,
      cluster_master_url: this.clusterMasterUrl,
      cluster_data_url: this.clusterDataUrl,
      elastic_secret_id: this.elasticSecretId,
      kibana_system_secret_id: this.kibanaSystemSecretId,
      kibana_token_secret_id: this.kibanaTokenSecretId,
      ca_certificate_secret_id: secrets.caCertificateArn,
      snapshots_bucket: buckets.snapshots.bucketName,
      state_bucket: buckets.state.bucketName,
      master_autoscaling_group_name: masters.group.ref,
      data_autoscaling_group_name: data.group.ref,
      elasticsearch_version: settings.elasticsearchVersion,
      dashboard_url: dashboard.url,
      alarm_topic_arn: alarms.topic.topicArn,
      module_version: moduleVersion,
    });
  }

  /** Lets the grantee read the password of the superuser `elastic`. */
  grantReadElasticPassword(grantee: IGrantable): Grant {
    return this.#elasticSecret.grantRead(grantee);
  }

  /** Lets the grantee read the password of `kibana_system`. */
  grantReadKibanaSystemPassword(grantee: IGrantable): Grant {
    return this.#kibanaSystemSecret.grantRead(grantee);
  }

  /** Lets the grantee read the certificate of the authority that signs the nodes' certificates; its key stays secret. */
  grantReadCaCertificate(grantee: IGrantable): Grant {
    return Grant.addToPrincipal({
      grantee,
      actions: ['secretsmanager:GetSecretValue', 'secretsmanager:DescribeSecret'],
      resourceArns: [this.#caCertificateArn],
    });
  }

  /** Lets the grantee read the snapshots, e.g. to restore them in another cluster. */
  grantReadSnapshots(grantee: IGrantable): Grant {
    return this.snapshotsBucket.grantRead(grantee);
  }

  /** A metric of the cluster by its name; the worst value of five minutes unless `options` say otherwise. */
  metric(metricName: string, options?: MetricOptions): Metric {
    return clusterMetric(this.#resourceName, metricName, options);
  }

  /** 1 while the cluster is not green, otherwise 0: `ClusterNotGreen`. */
  metricNotGreen(options?: MetricOptions): Metric {
    return this.metric(metrics.notGreen, options);
  }

  /** Seconds since the last successful snapshot: `SnapshotAgeSeconds`. */
  metricSnapshotAge(options?: MetricOptions): Metric {
    return this.metric(metrics.snapshotAge, options);
  }

  /** Disk usage in percent of the fullest data node: `DiskUsedPercentMax`. */
  metricDiskUsed(options?: MetricOptions): Metric {
    return this.metric(metrics.diskUsed, options);
  }

  /** Seconds for which a node has been draining: `DrainSeconds`. */
  metricDrainTime(options?: MetricOptions): Metric {
    return this.metric(metrics.drain, options);
  }

  /** Number of instances that were kept because they could not be drained: `RetainedInstances`. */
  metricRetainedInstances(options?: MetricOptions): Metric {
    return this.metric(metrics.retained, options);
  }

  /** Days until the first certificate of a node or of the authority expires: `CertificateDaysLeft`; least value of an hour. */
  metricCertificateDaysLeft(options?: MetricOptions): Metric {
    return this.metric(metrics.certificateDays, options);
  }

  /** Number of nodes of a kind that fail the health check of their load balancer. */
  metricUnhealthyHosts(kind: NodeKind, options?: MetricOptions): Metric {
    return this.#addresses.balancers[kind].metricUnhealthyHosts(options);
  }
}
