import { RunnerFleet, type RunnerFleetProps } from '@drover/constructs';
import { App, Stack } from 'aws-cdk-lib';
import { Vpc } from 'aws-cdk-lib/aws-ec2';

export const fleetStackName = 'runner-fleet';

/** Inputs that a simulated fleet may choose; the network comes with the stack. */
export type FleetInputs = Partial<Omit<RunnerFleetProps, 'vpcId' | 'subnetIds' | 'lambdaSubnetIds'>>;

/** Synthesises a fleet with its own network into `outdir`, the way `cdk synth` does. */
export function synthesiseFleet(outdir: string, inputs: FleetInputs = {}): string {
  const app = new App({ outdir });
  const stack = new Stack(app, fleetStackName);
  const vpc = new Vpc(stack, 'Network', { maxAzs: 2, natGateways: 1, restrictDefaultSecurityGroup: false });
  const subnetIds = vpc.privateSubnets.map(({ subnetId }) => subnetId);
  new RunnerFleet(stack, 'RunnerFleet', {
    environment: 'simulation',
    platformOrg: 'example-org',
    platformTokenSecretArn: `arn:aws:secretsmanager:eu-west-1:123456789012:secret:${platformTokenSecret}`,
    runnerVersion: '2.330.0',
    runnerChecksum: '0'.repeat(64),
    ...inputs,
    vpcId: vpc.vpcId,
    subnetIds,
    lambdaSubnetIds: subnetIds,
  });
  return app.synth().directory;
}

/** Name of the secret that holds the platform token; whoever runs the fleet creates it. */
export const platformTokenSecret = 'platform-token';
