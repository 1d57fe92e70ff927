import { RunnerFleet, SearchCluster, SearchUi } from '@drover/constructs';
import { ArnFormat, Fn, Stack } from 'aws-cdk-lib';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import { PublicHostedZone } from 'aws-cdk-lib/aws-route53';
import type { Construct } from 'constructs';

export interface LocalStackProps {
  /** What the fleet scales on; `jobs`: each job has a fresh instance. @default idle */
  readonly scalingMode?: 'idle' | 'jobs';
  /** Base URL of the GitHub API. @default https://api.github.com */
  readonly platformApi?: string;
  /** Number of on-demand instances below the spot instances, which rule out a warm pool. @default on-demand only */
  readonly onDemandBaseCapacity?: number;
}

/** What `drover local` deploys: one runner fleet, one search cluster and the web UI, with a network and a zone of their own. */
export class LocalStack extends Stack {
  static readonly fleetName = 'runners';
  static readonly clusterName = 'search';
  static readonly zoneName = 'drover.example.com';
  /** The secret with the GitHub token; it must exist before the stack is deployed. */
  static readonly platformTokenSecret = 'platform-token';

  /** The first three zones of the region; without a fixed region CDK would take two. */
  override get availabilityZones(): string[] {
    return [0, 1, 2].map((index) => Fn.select(index, Fn.getAzs()));
  }

  constructor(scope: Construct, id = 'drover-local', props: LocalStackProps = {}) {
    super(scope, id);
    const environment = 'local';
    const vpc = new Vpc(this, 'Network', { maxAzs: 3, natGateways: 1, restrictDefaultSecurityGroup: false });
    const zone = new PublicHostedZone(this, 'Zone', { zoneName: LocalStack.zoneName });
    const network = { vpcId: vpc.vpcId, subnetIds: vpc.privateSubnets.map(({ subnetId }) => subnetId) };
    const addresses = {
      ...network,
      vpcCidrBlock: vpc.vpcCidrBlock,
      zoneId: zone.hostedZoneId,
      zoneName: LocalStack.zoneName,
    };
    new RunnerFleet(this, 'RunnerFleet', {
      ...network,
      environment,
      groupName: LocalStack.fleetName,
      runnerSubnetsPrivate: true,
      platformOrg: 'example-org',
      ...(props.platformApi === undefined
        ? {}
        : {
            platformApi: props.platformApi,
            runnerReleaseUrl: `${props.platformApi}/repos/actions/runner/releases/latest`,
          }),
      ...(props.onDemandBaseCapacity === undefined ? {} : { onDemandBaseCapacity: props.onDemandBaseCapacity }),
      platformTokenSecretArn: this.formatArn({
        service: 'secretsmanager',
        resource: 'secret',
        resourceName: LocalStack.platformTokenSecret,
        arnFormat: ArnFormat.COLON_RESOURCE_NAME,
      }),
      ...(props.scalingMode === 'jobs' ? { scalingMode: props.scalingMode, asgMinSize: 0 } : { asgMinSize: 2 }),
      asgMaxSize: 8,
      idleRunnersTargetCount: 2,
      // Its instances hibernate, whatever their image.
      warmPoolMaxSize: 8,
    });
    const cluster = new SearchCluster(this, 'SearchCluster', {
      ...addresses,
      environment,
      clusterName: LocalStack.clusterName,
      masterCount: 3,
      dataCount: 3,
    });
    const ui = new SearchUi(this, 'SearchUi', {
      ...addresses,
      environment,
      version: '0.1.0',
      elasticsearchUrl: cluster.clusterMasterUrl,
      elasticsearchVersion: cluster.elasticsearchVersion,
      kibanaSystemSecretId: cluster.kibanaSystemSecretId,
    });
    // Kibana logs in when it starts.
    ui.node.addDependency(cluster);
  }
}
