import { ports } from '@drover/core/names/search-cluster';
import { CfnSecurityGroup, CfnSecurityGroupIngress } from 'aws-cdk-lib/aws-ec2';
import { Construct } from 'constructs';
import { acknowledgeRanges } from '../acknowledge.ts';
import { fromClients, tcp } from '../connections.ts';
import type { SearchClusterSettings } from './settings.ts';

/** Allowed connections: 9200 from the load balancers, 9300 between nodes, 9100 and 9114 from the monitoring network. */
export class ClusterNetwork extends Construct {
  readonly nodes: CfnSecurityGroup;
  readonly balancers: CfnSecurityGroup;

  constructor(scope: Construct, id: string, settings: SearchClusterSettings) {
    super(scope, id);
    this.nodes = this.#nodes(settings);
    this.balancers = this.#balancers(settings);
    this.#allowFrom('Search', tcp(ports.http, 'searches, from the load balancers'), this.balancers);
    this.#allowFrom('Transport', tcp(ports.transport, 'node to node'), this.nodes);
  }

  #nodes({ clusterName, vpcId, monitoringCidrBlock }: SearchClusterSettings): CfnSecurityGroup {
    const group = new CfnSecurityGroup(this, 'Nodes', {
      groupDescription: `nodes of the search cluster ${clusterName}`,
      vpcId,
      securityGroupIngress: [
        { ...tcp(ports.nodeExporter, 'node exporter'), cidrIp: monitoringCidrBlock },
        { ...tcp(ports.searchExporter, 'search exporter'), cidrIp: monitoringCidrBlock },
      ],
      securityGroupEgress: [{ ipProtocol: '-1', cidrIp: '0.0.0.0/0', description: 'AWS, packages, other nodes' }],
    });
    acknowledgeRanges(group, [monitoringCidrBlock]);
    return group;
  }

  #balancers({ clusterName, vpcId, ...clients }: SearchClusterSettings): CfnSecurityGroup {
    const group = new CfnSecurityGroup(this, 'Balancers', {
      groupDescription: `load balancers of the search cluster ${clusterName}`,
      vpcId,
      securityGroupIngress: fromClients(clients),
      securityGroupEgress: [{ ...tcp(ports.http, 'searches'), destinationSecurityGroupId: this.nodes.attrGroupId }],
    });
    acknowledgeRanges(group, clients.allowedCidrBlocks);
    return group;
  }

  /** A separate resource, because two groups refer to each other. */
  #allowFrom(id: string, rule: ReturnType<typeof tcp>, from: CfnSecurityGroup): void {
    new CfnSecurityGroupIngress(this, id, {
      groupId: this.nodes.attrGroupId,
      sourceSecurityGroupId: from.attrGroupId,
      ...rule,
    });
  }
}
