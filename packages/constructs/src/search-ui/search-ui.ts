import { uiPort } from '@drover/core/names/search-cluster';
import { moduleVersion } from '@drover/core/names/version';
import { Tags } from 'aws-cdk-lib';
import type { Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import { type Connections, type IConnectable, Port } from 'aws-cdk-lib/aws-ec2';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { ModuleAlarms } from '../alarms.ts';
import { addressCertificate } from '../balancing/address-certificate.ts';
import { HttpsLoadBalancer } from '../balancing/https-load-balancer.ts';
import { groupConnections } from '../connections.ts';
import { logKey } from '../log-key.ts';
import { addOutputs } from '../outputs.ts';
import { uiAlarmRules } from './alarms.ts';
import { searchUiInputs } from './inputs.ts';
import { UiNetwork } from './network.ts';
import { searchUiOutputs } from './outputs.ts';
import type { SearchUiProps } from './props.ts';
import { UiRedeployment } from './redeployment.ts';
import { UiService } from './service.ts';
import type { SearchUiSettings } from './settings.ts';

/**
 * Kibana for a search cluster, at https://kibana.<zone>.
 *
 * @example
 * ```ts
 * new SearchUi(stack, 'Kibana', {
 *   environment: 'production',
 *   version: '0.2.0-dev',
 *   network: Network.fromVpc(vpc),
 *   zone: Zone.fromHostedZone(hostedZone),
 *   elasticsearchUrl: cluster.clusterMasterUrl,
 *   elasticsearchVersion: cluster.elasticsearchVersion,
 *   credentials: KibanaCredentials.fromSecretIds(cluster.kibanaSystemSecretId),
 * });
 * ```
 */
export class SearchUi extends Construct implements IConnectable {
  /** Output `kibana_url`. */
  readonly kibanaUrl: string;
  /** Execution role of the tasks: reads the password and writes the log. */
  readonly executionRole: IRole;
  /** Network connections of the load balancer, by which users reach Kibana; the default port is 443. */
  readonly connections: Connections;
  /** Topic that receives every alarm of the web UI: output `alarm_topic_arn`. */
  readonly alarmTopic: ITopic;
  readonly #balancer: HttpsLoadBalancer;

  /** Props from a YAML or JSON file with the keys of docs/CONFIGURATION.md. */
  static readConfiguration(file: string): SearchUiProps {
    return searchUiInputs.read(file);
  }

  constructor(scope: Construct, id: string, props: SearchUiProps) {
    super(scope, id);
    const settings = searchUiInputs.settings(props);
    const key = logKey(this, 'a web UI');
    const network = new UiNetwork(this, 'Network', settings);
    const balancer = this.#loadBalancer(settings, network.balancer.attrGroupId);
    const securityGroupIds = [network.tasks.attrGroupId, ...(settings.taskSecurityGroupIds ?? [])];
    const service = new UiService(this, 'Kibana', { settings, balancer, securityGroupIds, logKey: key });
    const redeployment = new UiRedeployment(this, 'Redeployment', service, settings.login, key);
    const rules = uiAlarmRules(redeployment.functionName, balancer);
    const alarms = new ModuleAlarms(this, 'Alarms', settings, rules, key);
    for (const [name, value] of Object.entries({
      ...settings.tags,
      environment: settings.environment,
      module_version: moduleVersion,
    }))
      Tags.of(this).add(name, value);
    this.kibanaUrl = settings.url;
    this.executionRole = service.executionRole;
    this.connections = groupConnections(this, 'LoadBalancer', {
      securityGroupId: network.balancer.attrGroupId,
      defaultPort: Port.HTTPS,
      allowAllOutbound: false,
    });
    this.alarmTopic = alarms.topic;
    this.#balancer = balancer;
    addOutputs(this, searchUiOutputs, {
      kibana_url: settings.url,
      kibana_version: settings.kibanaVersion,
      alarm_topic_arn: alarms.topic.topicArn,
      module_version: moduleVersion,
    });
  }

  /** Number of tasks that fail the health check of the load balancer; the largest of five minutes unless `options` say otherwise. */
  metricUnhealthyHosts(options?: MetricOptions): Metric {
    return this.#balancer.metricUnhealthyHosts(options);
  }

  #loadBalancer(settings: SearchUiSettings, securityGroupId: string): HttpsLoadBalancer {
    return new HttpsLoadBalancer(this, 'Address', {
      settings,
      securityGroupId,
      certificateArn: addressCertificate(this, 'Certificate', [settings.hostName], settings),
      targets: kibanaTargets,
      hostNames: [settings.hostName],
    });
  }
}

const kibanaTargets = {
  type: 'ip',
  port: uiPort,
  healthCheck: {
    // Returns 503 until Kibana has reached the cluster (Kibana guide, "Access Kibana", status); needs no login by STATUS_ALLOWANONYMOUS.
    healthCheckPath: '/api/status',
    healthCheckIntervalSeconds: 30,
    healthyThresholdCount: 2,
    // Restarting tasks while the cluster is briefly unavailable would not help.
    unhealthyThresholdCount: 10,
    matcher: { httpCode: '200' },
  },
} as const;
