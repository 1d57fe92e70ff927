import {
  GitHubCredentials,
  GitHubLevel,
  KibanaCredentials,
  Network,
  RunnerFleet,
  SearchCluster,
  SearchUi,
  Zone,
} from '@drover/constructs';
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
  const network = byId ? Network.fromIds({ vpcId: vpc.vpcId, subnetIds }) : Network.fromVpc(vpc);
  const addresses = {
    network,
    ...(byId
      ? {
          zone: Zone.fromIds(hostedZone.hostedZoneId, hostedZone.zoneName),
          vpcCidrBlock: vpc.vpcCidrBlock,
          clientSecurityGroupIds: [group.securityGroupId],
        }
      : { zone: Zone.fromHostedZone(hostedZone), clientSecurityGroups: [group] }),
  };
  new RunnerFleet(stack, 'Fleet', {
    network,
    environment,
    level: GitHubLevel.organization('example-org'),
    ...(byId
      ? {
          credentials: GitHubCredentials.tokenFromArn(token.secretArn),
          lambdaSubnetIds: subnetIds,
          extraSecurityGroupIds: [group.securityGroupId],
        }
      : { credentials: GitHubCredentials.token(token), extraSecurityGroups: [group] }),
  });
  const cluster = new SearchCluster(stack, 'Cluster', { ...addresses, environment, clusterName: 'search' });
  new SearchUi(stack, 'Ui', {
    ...addresses,
    environment,
    version: moduleVersion,
    elasticsearchUrl: cluster.clusterMasterUrl,
    elasticsearchVersion: cluster.elasticsearchVersion,
    credentials: byId
      ? KibanaCredentials.fromSecretIds(cluster.kibanaSystemSecretId)
      : KibanaCredentials.fromSecrets(Secret.fromSecretCompleteArn(stack, 'Password', cluster.kibanaSystemSecretId)),
  });
  return (stack.node.root as App).synth().getStackByName('app').template as object;
}

it('VPC, hosted zone, secrets and security groups of an app give the same template as their ids', () => {
  expect(template('resources')).toEqual(template('ids'));
});
