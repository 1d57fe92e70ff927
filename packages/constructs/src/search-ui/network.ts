import { uiPort } from '@drover/core/names/search-cluster';
import { CfnSecurityGroup, CfnSecurityGroupIngress } from 'aws-cdk-lib/aws-ec2';
import { Construct } from 'constructs';
import { acknowledgeRanges } from '../acknowledge.ts';
import { fromClients, portOf, tcp } from '../connections.ts';
import type { SearchUiSettings } from './settings.ts';

/** The load balancer accepts 443, the tasks accept connections from it only; they connect to the cluster and pull their image. */
export class UiNetwork extends Construct {
  readonly tasks: CfnSecurityGroup;
  readonly balancer: CfnSecurityGroup;

  constructor(scope: Construct, id: string, { vpcId, url, ...settings }: SearchUiSettings) {
    super(scope, id);
    this.tasks = new CfnSecurityGroup(this, 'Tasks', {
      groupDescription: `tasks of the web UI ${url}`,
      vpcId,
      securityGroupEgress: [...new Set([443, portOf(settings.elasticsearchUrl)])].map((port) => ({
        ...tcp(port, port === 443 ? 'AWS, images, the cluster' : 'the cluster'),
        cidrIp: '0.0.0.0/0',
      })),
    });
    this.balancer = new CfnSecurityGroup(this, 'Balancer', {
      groupDescription: `load balancer of the web UI ${url}`,
      vpcId,
      securityGroupIngress: fromClients(settings),
      securityGroupEgress: [{ ...tcp(uiPort, 'Kibana'), destinationSecurityGroupId: this.tasks.attrGroupId }],
    });
    acknowledgeRanges(this.balancer, settings.allowedCidrBlocks);
    new CfnSecurityGroupIngress(this, 'Requests', {
      groupId: this.tasks.attrGroupId,
      sourceSecurityGroupId: this.balancer.attrGroupId,
      ...tcp(uiPort, 'Kibana, from the load balancer'),
    });
  }
}
