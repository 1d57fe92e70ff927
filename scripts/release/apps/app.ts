/**
 * The app of a user who installed the packages: the three constructs in a VPC of its own, and a fleet of a file. `app.py`, `main.go` and
 * `Main.java` are the same in other languages: the stories of this folder compare their templates byte for byte.
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
import { App, Duration, Stack } from 'aws-cdk-lib';
import { Port, SecurityGroup, Vpc } from 'aws-cdk-lib/aws-ec2';
import { PublicHostedZone } from 'aws-cdk-lib/aws-route53';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';

const app = new App({ outdir: 'cdk.out', analyticsReporting: false });
const network = new Stack(app, 'network');
const vpc = new Vpc(network, 'Vpc', {
  availabilityZones: ['eu-west-1a', 'eu-west-1b', 'eu-west-1c'],
  natGateways: 1,
  restrictDefaultSecurityGroup: false,
});
const hostedZone = new PublicHostedZone(network, 'Zone', { zoneName: 'search.example.com' });

const runners = new Stack(app, 'runners');
const extraLabels: readonly string[] = ['large'];
const fleet = new RunnerFleet(runners, 'Fleet', {
  environment: 'production',
  groupName: 'builders',
  level: GitHubLevel.organization('acme'),
  network: Network.fromVpc(vpc),
  credentials: GitHubCredentials.token(new Secret(runners, 'GitHubToken')),
  asgMinSize: 2,
  asgMaxSize: 4,
  architecture: 'arm64',
  extraLabels,
  idleTargetSchedules: [{ cron: '0 8 * * 1-5', timeZone: 'Europe/Berlin', idleRunnersTargetCount: 2 }],
  extraFiles: { '/etc/motd': 'hello', '/etc/app.conf': { content: 'x=1', permissions: '0600' } },
  tags: { team: 'builds', cost: 'ci' },
  logRetentionDays: 30,
});
new Bucket(runners, 'Cache').grantRead(fleet);
fleet.connections.allowFrom(new SecurityGroup(runners, 'Scrapers', { vpc }), Port.tcp(9100));
fleet
  .metricIdleRunners({ period: Duration.minutes(5) })
  .createAlarm(runners, 'NoIdle', { threshold: 1, evaluationPeriods: 3 });
fleet.functions.record_metric.metricErrors().createAlarm(runners, 'Errors', { threshold: 1, evaluationPeriods: 1 });

const search = new Stack(app, 'search');
const clients = new SecurityGroup(search, 'Clients', { vpc });
const cluster = new SearchCluster(search, 'Cluster', {
  environment: 'production',
  clusterName: 'logs',
  network: Network.fromVpc(vpc),
  zone: Zone.fromHostedZone(hostedZone),
  clientSecurityGroups: [clients],
  heapMaxGib: 'none',
  elasticsearchSettings: { 'indices.memory.index_buffer_size': '20%', 'action.auto_create_index': false },
  snapshotPolicies: { hourly: { schedule: '0 5 * * * ?', expire: '2d', count: 60, overdue: '4h' } },
});
cluster.metricUnhealthyHosts('data').createAlarm(search, 'Unhealthy', { threshold: 1, evaluationPeriods: 2 });
const ui = new SearchUi(search, 'Kibana', {
  environment: 'production',
  version: 'x.y.z',
  network: Network.fromVpc(vpc),
  zone: Zone.fromHostedZone(hostedZone),
  elasticsearchUrl: cluster.clusterMasterUrl,
  elasticsearchVersion: cluster.elasticsearchVersion,
  credentials: KibanaCredentials.fromSecretIds(cluster.kibanaSystemSecretId),
  taskSecurityGroups: [clients],
});
ui.node.addDependency(cluster);
app.synth();
