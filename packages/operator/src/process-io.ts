import { RealClock, SystemRandom } from '@drover/core';
import type { DroverIo, OperatorClients } from './io.ts';
import { type ServerTime, serverTime } from './server-clock.ts';

/** The process's own streams, clock and AWS credentials. */
export function processIo(signal: AbortSignal): DroverIo {
  const time = serverTime();
  return {
    stdout: (text) => void process.stdout.write(text),
    stderr: (text) => void process.stderr.write(text),
    env: process.env,
    clock: new RealClock(),
    serviceClock: time.clock,
    random: new SystemRandom(),
    fetch,
    signal,
    terminal: terminalOf(process.env),
    aws: () => sdkClients(time),
  };
}

/** Colour on a terminal, unless the user does not want any (https://no-color.org). */
const terminalOf = ({ NO_COLOR = '', TERM }: NodeJS.ProcessEnv): NonNullable<DroverIo['terminal']> => ({
  colour: process.stdout.isTTY === true && NO_COLOR === '' && TERM !== 'dumb',
  columns: process.stdout.columns,
  ...(process.stdin.isTTY === true ? { ask } : {}),
});

async function ask(question: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}

/** Credentials, region and endpoint come from the environment and the profile, as with every AWS tool. */
async function sdkClients({ plugin }: ServerTime): Promise<OperatorClients> {
  const following = <Client extends { middlewareStack: { use(plugin: never): void } }>(client: Client): Client => {
    client.middlewareStack.use(plugin as never);
    return client;
  };
  const [autoscaling, cloudformation, cloudwatch, logs, ec2, lambda, s3, secrets, ssm] = await Promise.all([
    import('@aws-sdk/client-auto-scaling').then((sdk) => following(new sdk.AutoScalingClient({}))),
    import('@aws-sdk/client-cloudformation').then((sdk) => following(new sdk.CloudFormationClient({}))),
    import('@aws-sdk/client-cloudwatch').then((sdk) => following(new sdk.CloudWatchClient({}))),
    import('@aws-sdk/client-cloudwatch-logs').then((sdk) => following(new sdk.CloudWatchLogsClient({}))),
    import('@aws-sdk/client-ec2').then((sdk) => following(new sdk.EC2Client({}))),
    import('@aws-sdk/client-lambda').then((sdk) => following(new sdk.LambdaClient({}))),
    import('@aws-sdk/client-s3').then((sdk) => following(new sdk.S3Client({}))),
    import('@aws-sdk/client-secrets-manager').then((sdk) => following(new sdk.SecretsManagerClient({}))),
    import('@aws-sdk/client-ssm').then((sdk) => following(new sdk.SSMClient({}))),
  ]);
  return { autoscaling, cloudformation, cloudwatch, logs, ec2, lambda, s3, secrets, ssm };
}
