import { GitHubCredentials, GitHubLevel, Network, RunnerFleet, type RunnerFleetProps } from '@drover/constructs';
import { App, Stack } from 'aws-cdk-lib';
import {
  GatewayVpcEndpointAwsService,
  InterfaceVpcEndpointAwsService,
  type ISubnet,
  SubnetType,
  Vpc,
} from 'aws-cdk-lib/aws-ec2';
import { platformTokenSecret } from './deployed-fleet.ts';

export const fleetStackName = 'runner-fleet';

/** Inputs that a simulated fleet may choose; the network comes with the stack. */
export type FleetProps = Partial<Omit<RunnerFleetProps, 'network' | 'lambdaSubnetIds'>>;

/**
 * The functions' subnets: only those with NAT reach the internet; with endpoints AWS can be reached all the same. A network that has isolated
 * ones keeps them when the functions move to those with NAT. Outside they are in no VPC.
 */
export type FunctionSubnets =
  | 'nat'
  | 'public'
  | 'isolated'
  | 'isolated-with-endpoints'
  | 'nat-beside-isolated'
  | 'outside';

/** Synthesises a fleet with its own network into `outdir`, the way `cdk synth` does. */
export function synthesiseFleet(outdir: string, inputs: FleetProps = {}, functions: FunctionSubnets = 'nat'): string {
  const app = new App({ outdir });
  const stack = new Stack(app, fleetStackName);
  const vpc = new Vpc(stack, 'Network', {
    maxAzs: 2,
    natGateways: 1,
    restrictDefaultSecurityGroup: false,
    ...(functions.includes('isolated') ? { subnetConfiguration: threeTiers } : {}),
  });
  new RunnerFleet(stack, 'RunnerFleet', {
    environment: 'simulation',
    level: GitHubLevel.organization('example-org'),
    credentials: GitHubCredentials.tokenFromArn(
      `arn:aws:secretsmanager:eu-west-1:123456789012:secret:${platformTokenSecret}`,
    ),
    ...(inputs.platformApi === undefined
      ? {}
      : { runnerReleaseUrl: `${inputs.platformApi}/repos/actions/runner/releases/latest` }),
    ...inputs,
    network: Network.fromVpc(vpc),
    lambdaSubnetIds: functionSubnets(vpc, functions).map(({ subnetId }) => subnetId),
  });
  return app.synth().directory;
}

const threeTiers = [
  { name: 'Public', subnetType: SubnetType.PUBLIC },
  { name: 'Private', subnetType: SubnetType.PRIVATE_WITH_EGRESS },
  { name: 'Isolated', subnetType: SubnetType.PRIVATE_ISOLATED },
];

function functionSubnets(vpc: Vpc, functions: FunctionSubnets): readonly ISubnet[] {
  if (functions === 'isolated-with-endpoints') addEndpoints(vpc);
  if (functions === 'outside') return [];
  if (functions.startsWith('nat')) return vpc.privateSubnets;
  return functions === 'public' ? vpc.publicSubnets : vpc.isolatedSubnets;
}

function addEndpoints(vpc: Vpc): void {
  const { AUTOSCALING, CLOUDWATCH_MONITORING, EC2, SECRETS_MANAGER, SSM } = InterfaceVpcEndpointAwsService;
  for (const service of [AUTOSCALING, CLOUDWATCH_MONITORING, EC2, SECRETS_MANAGER, SSM])
    vpc.addInterfaceEndpoint(service.shortName, { service, subnets: { subnetType: SubnetType.PRIVATE_ISOLATED } });
  vpc.addGatewayEndpoint('s3', { service: GatewayVpcEndpointAwsService.S3 });
}
