import {
  GitHubCredentials,
  KibanaCredentials,
  Network,
  RunnerFleet,
  SearchCluster,
  SearchUi,
  Zone,
} from '@drover/constructs';
import { ArnFormat, Fn, Stack } from 'aws-cdk-lib';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import { PublicHostedZone } from 'aws-cdk-lib/aws-route53';
import type { Construct } from 'constructs';
import { exampleLevel, type OwnCluster, type OwnFleet } from './own-inputs.ts';

export { type OwnCluster, type OwnFleet, ownCluster, ownFleet } from './own-inputs.ts';

export interface LocalStackProps {
  /** The measure that the fleet scales on; `jobs`: each job has a fresh instance. @default idle */
  readonly scalingMode?: 'idle' | 'jobs';
  /** Base URL of the GitHub API. @default https://api.github.com */
  readonly platformApi?: string;
  /** The types large and arm beside the default one; with `scalingMode` jobs only. @default false */
  readonly types?: boolean;
  /** Number of on-demand instances below the spot instances, which rule out a warm pool. @default on-demand only */
  readonly onDemandBaseCapacity?: number;
  /** The inputs of another fleet than the example's. */
  readonly fleet?: OwnFleet;
  /** The inputs of another cluster than the example's. */
  readonly cluster?: OwnCluster;
  /** Inputs of the fleet that were changed after its first deployment. */
  readonly changed?: Partial<
    Pick<OwnFleet, 'asgMaxSize' | 'idleRunnersTargetCount' | 'allowedDrainTime' | 'scalingMode'>
  >;
}

/**
 * The stack that `drover local` deploys: one runner fleet, one search cluster and the web UI, with a network and a zone
 * of their own.
 */
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
    const fleet = props.fleet ?? exampleFleet(props);
    const vpc = new Vpc(this, 'Network', { maxAzs: 3, natGateways: 1, restrictDefaultSecurityGroup: false });
    const zone = new PublicHostedZone(this, 'Zone', { zoneName: LocalStack.zoneName });
    const network = Network.fromVpc(vpc);
    const addresses = { network, zone: Zone.fromHostedZone(zone) };
    new RunnerFleet(this, 'RunnerFleet', {
      ...fleet,
      ...forMode(fleet, props.changed?.scalingMode),
      ...props.changed,
      network,
      ...(props.platformApi === undefined
        ? {}
        : {
            platformApi: props.platformApi,
            runnerReleaseUrl: `${props.platformApi}/repos/actions/runner/releases/latest`,
          }),
      credentials: GitHubCredentials.tokenFromArn(
        this.formatArn({
          service: 'secretsmanager',
          resource: 'secret',
          resourceName: LocalStack.platformTokenSecret,
          arnFormat: ArnFormat.COLON_RESOURCE_NAME,
        }),
      ),
    });
    const cluster = new SearchCluster(this, 'SearchCluster', {
      ...(props.cluster ?? { environment, clusterName: LocalStack.clusterName, masterCount: 3, dataCount: 3 }),
      ...addresses,
    });
    const ui = new SearchUi(this, 'SearchUi', {
      ...addresses,
      environment,
      version: '0.2.0-dev',
      elasticsearchUrl: cluster.clusterMasterUrl,
      elasticsearchVersion: cluster.elasticsearchVersion,
      credentials: KibanaCredentials.fromSecretIds(cluster.kibanaSystemSecretId),
    });
    // Kibana logs in when it starts.
    ui.node.addDependency(cluster);
  }
}

const exampleFleet = ({ scalingMode = 'idle', types = false, onDemandBaseCapacity }: LocalStackProps): OwnFleet => ({
  environment: 'local',
  level: exampleLevel,
  groupName: LocalStack.fleetName,
  scalingMode,
  asgMinSize: scalingMode === 'jobs' ? 0 : 2,
  asgMaxSize: 8,
  idleRunnersTargetCount: 2,
  // Its instances hibernate, whatever their image.
  warmPoolMaxSize: 8,
  ...(onDemandBaseCapacity === undefined ? {} : { onDemandBaseCapacity }),
  ...(types ? { types: exampleTypes } : {}),
});

const exampleTypes: OwnFleet['types'] = {
  large: { instanceType: 'm6i.xlarge', asgMaxSize: 4 },
  arm: { architecture: 'arm64', asgMaxSize: 4, idleRunnersTargetCount: 1 },
};

/** A fleet that scales on jobs goes down to nothing, and has no limit of its own for what one decision adds. */
const forMode = ({ scalingMode = 'idle' }: OwnFleet, changed = scalingMode): Partial<OwnFleet> =>
  changed === 'jobs' && scalingMode === 'idle' ? { asgMinSize: 0, scaleUpLimit: undefined } : {};
