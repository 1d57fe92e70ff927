import { RealClock, SystemRandom } from '@drover/core';
import type { DroverIo, OperatorClients } from './io.ts';

/** The process's own streams, clock and AWS credentials. */
export function processIo(signal: AbortSignal): DroverIo {
  return {
    stdout: (text) => void process.stdout.write(text),
    stderr: (text) => void process.stderr.write(text),
    terminal: process.stdout.isTTY === true && process.env.NO_COLOR === undefined,
    env: process.env,
    clock: new RealClock(),
    random: new SystemRandom(),
    fetch,
    signal,
    aws: sdkClients,
  };
}

/** Credentials, region and endpoint come from the environment and the profile, as with every AWS tool. */
async function sdkClients(): Promise<OperatorClients> {
  const [autoscaling, cloudformation, cloudwatch, logs, ec2, lambda, secrets, ssm] = await Promise.all([
    import('@aws-sdk/client-auto-scaling'),
    import('@aws-sdk/client-cloudformation'),
    import('@aws-sdk/client-cloudwatch'),
    import('@aws-sdk/client-cloudwatch-logs'),
    import('@aws-sdk/client-ec2'),
    import('@aws-sdk/client-lambda'),
    import('@aws-sdk/client-secrets-manager'),
    import('@aws-sdk/client-ssm'),
  ]);
  return {
    autoscaling: new autoscaling.AutoScalingClient({}),
    cloudformation: new cloudformation.CloudFormationClient({}),
    cloudwatch: new cloudwatch.CloudWatchClient({}),
    logs: new logs.CloudWatchLogsClient({}),
    ec2: new ec2.EC2Client({}),
    lambda: new lambda.LambdaClient({}),
    secrets: new secrets.SecretsManagerClient({}),
    ssm: new ssm.SSMClient({}),
  };
}
