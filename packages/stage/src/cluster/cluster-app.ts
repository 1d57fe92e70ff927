import {
  GitHubCredentials,
  GitHubLevel,
  KibanaCredentials,
  Network,
  RunnerFleet,
  SearchCluster,
  type SearchClusterProps,
  SearchUi,
  Zone,
} from '@drover/constructs';
import { moduleVersion } from '@drover/core/names/version';
import { App, Fn, Stack } from 'aws-cdk-lib';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import { PublicHostedZone } from 'aws-cdk-lib/aws-route53';

export const clusterStackName = 'search-cluster';
export const zoneName = 'search.example.com';
const environment = 'simulation';

/** Inputs that a simulated cluster may choose; the network and the zone come with the stack. */
export interface ClusterInputs
  extends Partial<Omit<SearchClusterProps, 'network' | 'vpcCidrBlock' | 'zone' | 'environment'>> {
  /** Whether the web UI stands beside it. @default false */
  readonly ui?: boolean;
  /** Whether a runner fleet without instances stands beside it. @default false */
  readonly fleet?: boolean;
}

/** Three zones of whatever region it is deployed to; CDK itself would take two where it does not know the region. */
class ThreeZoneStack extends Stack {
  override get availabilityZones(): string[] {
    return [0, 1, 2].map((index) => Fn.select(index, Fn.getAzs()));
  }
}

/** Synthesises a cluster with its own network and zone into `outdir`, the way `cdk synth` does. */
export function synthesiseCluster(outdir: string, inputs: ClusterInputs = {}): string {
  const { ui = false, fleet = false, clusterName = 'logs', ...chosen } = inputs;
  const app = new App({ outdir });
  const stack = new ThreeZoneStack(app, clusterStackName);
  const vpc = new Vpc(stack, 'Network', { maxAzs: 3, natGateways: 1, restrictDefaultSecurityGroup: false });
  const zone = new PublicHostedZone(stack, 'Zone', { zoneName });
  const network = Network.fromVpc(vpc);
  const addresses = { environment, network, zone: Zone.fromHostedZone(zone) };
  const cluster = new SearchCluster(stack, 'SearchCluster', { ...addresses, clusterName, ...chosen });
  if (ui) addUi(stack, cluster, addresses);
  if (fleet) addFleet(stack, network);
  return app.synth().directory;
}

type Addresses = Pick<SearchClusterProps, 'environment' | 'network' | 'zone'>;

function addUi(stack: Stack, cluster: SearchCluster, addresses: Addresses): void {
  const ui = new SearchUi(stack, 'SearchUi', {
    ...addresses,
    version: moduleVersion,
    elasticsearchUrl: cluster.clusterMasterUrl,
    elasticsearchVersion: cluster.elasticsearchVersion,
    credentials: KibanaCredentials.fromSecretIds(cluster.kibanaSystemSecretId, cluster.kibanaTokenSecretId),
    taskCount: 1,
  });
  // Kibana logs in when it starts.
  ui.node.addDependency(cluster);
}

function addFleet(stack: Stack, network: Network): void {
  new RunnerFleet(stack, 'RunnerFleet', {
    environment,
    level: GitHubLevel.organization('example-org'),
    network,
    credentials: GitHubCredentials.tokenFromArn('arn:aws:secretsmanager:eu-west-1:123456789012:secret:platform-token'),
    asgMinSize: 0,
    asgMaxSize: 1,
    warmPoolMaxSize: 0,
  });
}
