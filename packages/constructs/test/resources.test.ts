import { RunnerFleet, SearchCluster, SearchUi } from '@drover/constructs';
import { moduleVersion } from '@drover/core/names/version';
import { App, Stack } from 'aws-cdk-lib';
import { SecurityGroup, Vpc } from 'aws-cdk-lib/aws-ec2';
import { PublicHostedZone } from 'aws-cdk-lib/aws-route53';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { expect, it } from 'vitest';

/** The template of the three constructs, given resources of the app or their ids. */
function template(kind: 'resources' | 'ids'): object {
  const stack = new Stack(new App(), 'app');
  const vpc = new Vpc(stack, 'Vpc', { restrictDefaultSecurityGroup: false });
  const hostedZone = new PublicHostedZone(stack, 'Zone', { zoneName: 'example.com' });
  const token = new Secret(stack, 'Token');
  const group = new SecurityGroup(stack, 'Group', { vpc });
  const environment = 'test';
  const byId = kind === 'ids';
  const subnetIds = vpc.privateSubnets.map(({ subnetId }) => subnetId);
  const network = byId ? { vpcId: vpc.vpcId, subnetIds } : { vpc };
  const addresses = byId
    ? {
        ...network,
        vpcCidrBlock: vpc.vpcCidrBlock,
        zoneId: hostedZone.hostedZoneId,
        zoneName: hostedZone.zoneName,
        clientSecurityGroupIds: [group.securityGroupId],
      }
    : { ...network, hostedZone, clientSecurityGroups: [group] };
  new RunnerFleet(stack, 'Fleet', {
    ...network,
    environment,
    platformOrg: 'example-org',
    ...(byId
      ? {
          lambdaSubnetIds: subnetIds,
          platformTokenSecretArn: token.secretArn,
          extraSecurityGroupIds: [group.securityGroupId],
        }
      : { platformTokenSecret: token, extraSecurityGroups: [group] }),
  });
  const cluster = new SearchCluster(stack, 'Cluster', { ...addresses, environment, clusterName: 'search' });
  new SearchUi(stack, 'Ui', {
    ...addresses,
    environment,
    version: moduleVersion,
    elasticsearchUrl: cluster.clusterMasterUrl,
    elasticsearchVersion: cluster.elasticsearchVersion,
    ...(byId
      ? { kibanaSystemSecretId: cluster.kibanaSystemSecretId }
      : { kibanaSystemSecret: Secret.fromSecretCompleteArn(stack, 'Password', cluster.kibanaSystemSecretId) }),
  });
  return (stack.node.root as App).synth().getStackByName('app').template as object;
}

it('VPC, hosted zone, secrets and security groups of an app give the same template as their ids', () => {
  expect(template('resources')).toEqual(template('ids'));
});
