import { type CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { TerminalError } from '@drover/core';

/** Outputs of a stack by their documented names: `AutoscalingGroupName` is `autoscaling_group_name`. */
export type StackOutputs = ReadonlyMap<string, string>;

export const documentedName = (outputName: string): string =>
  outputName.replace(/[A-Z]/g, (letter, at: number) => `${at === 0 ? '' : '_'}${letter.toLowerCase()}`);

/** Reads the outputs of a stack. */
export const readOutputs = async (
  client: Pick<CloudFormationClient, 'send'>,
  stackName: string,
): Promise<StackOutputs> => (await readStack(client, stackName)).outputs;

/** Reads the ARN of a stack and its outputs. */
export async function readStack(
  client: Pick<CloudFormationClient, 'send'>,
  stackName: string,
): Promise<{ readonly arn: string; readonly outputs: StackOutputs }> {
  const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: stackName })).catch((error: Error) => {
    if (!/does not exist/.test(error.message)) throw error;
    throw new TerminalError(`there is no stack ${stackName} in this account and region`, {
      remedy: 'name the stack with --stack, and check AWS_REGION and AWS_PROFILE',
    });
  });
  const outputs = Stacks?.[0]?.Outputs ?? [];
  return {
    arn: Stacks?.[0]?.StackId ?? '',
    outputs: new Map(outputs.map(({ OutputKey, OutputValue }) => [documentedName(OutputKey ?? ''), OutputValue ?? ''])),
  };
}

/** One output, by either name. */
export function outputNamed(outputs: StackOutputs, stackName: string, name: string): string {
  const value = outputs.get(name) ?? outputs.get(documentedName(name));
  if (value !== undefined) return value;
  throw new TerminalError(`the stack ${stackName} has no output ${name}`, {
    remedy: outputs.size === 0 ? 'it has none at all' : `it has ${[...outputs.keys()].sort().join(', ')}`,
  });
}
