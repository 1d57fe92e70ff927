/**
 * An app of a user who installed the packages: the three constructs in a VPC of its own. `packages.story.ts` copies it
 * to an empty folder.
 */
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
import { App, Fn, Stack } from 'aws-cdk-lib';
import { SecurityGroup, Vpc } from 'aws-cdk-lib/aws-ec2';
import { PublicHostedZone } from 'aws-cdk-lib/aws-route53';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';

/** Three zones without a fixed region, for which CDK would take two. */
class ThreeZones extends Stack {
  override get availabilityZones(): string[] {
    return [0, 1, 2].map((index) => Fn.select(index, Fn.getAzs()));
  }
}

const app = new App({ outdir: 'cdk.out' });
const network = new ThreeZones(app, 'network');
const vpc = new Vpc(network, 'Vpc', { maxAzs: 3, natGateways: 1, restrictDefaultSecurityGroup: false });
const hostedZone = new PublicHostedZone(network, 'Zone', { zoneName: 'search.example.com' });

const runners = new Stack(app, 'runners');
const fleet = new RunnerFleet(runners, 'Fleet', {
  environment: 'production',
  groupName: 'builders',
  level: GitHubLevel.organization('acme'),
  network: Network.fromVpc(vpc),
  credentials: GitHubCredentials.token(new Secret(runners, 'GitHubToken')),
  asgMinSize: 2,
  asgMaxSize: 4,
});
fleet.metricIdleRunners();

const search = new Stack(app, 'search');
const clients = new SecurityGroup(search, 'Clients', { vpc });
const cluster = new SearchCluster(search, 'Cluster', {
  environment: 'production',
  clusterName: 'logs',
  network: Network.fromVpc(vpc),
  zone: Zone.fromHostedZone(hostedZone),
  clientSecurityGroups: [clients],
});
const ui = new SearchUi(search, 'Kibana', {
  environment: 'production',
  version: '0.2.0-dev',
  network: Network.fromVpc(vpc),
  zone: Zone.fromHostedZone(hostedZone),
  elasticsearchUrl: cluster.clusterMasterUrl,
  elasticsearchVersion: cluster.elasticsearchVersion,
  credentials: KibanaCredentials.fromSecretIds(cluster.kibanaSystemSecretId),
  taskSecurityGroups: [clients],
});
ui.node.addDependency(cluster);
app.synth();
