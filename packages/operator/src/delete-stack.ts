import { DeleteStackCommand, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { TerminalError } from '@drover/core';
import { type DroverIo, type OperatorClients, pause } from './io.ts';

/** How often a wait looks: CDK polls a stack every 5 s, and someone watches. */
const lookEveryMs = 10_000;

/** Waits for the next look at something that goes on without us. */
export async function nextLook(io: DroverIo): Promise<void> {
  if (!(await pause(io, lookEveryMs)))
    throw new TerminalError('interrupted', {
      remedy: 'what has begun goes on; run the same command again to continue',
    });
}

/** Deletes a stack and waits until it is gone. */
export async function deleteStack(
  io: DroverIo,
  { cloudformation }: OperatorClients,
  stack: string,
  onBegun = () => {},
): Promise<void> {
  const { Stacks } = await cloudformation.send(new DescribeStacksCommand({ StackName: stack }));
  const { StackId = stack, EnableTerminationProtection } = Stacks?.[0] ?? {};
  if (EnableTerminationProtection === true)
    throw new TerminalError(`the stack ${stack} has termination protection`, {
      remedy: `switch it off (aws cloudformation update-termination-protection --no-enable-termination-protection --stack-name ${stack}) and run this again`,
    });
  await cloudformation.send(new DeleteStackCommand({ StackName: StackId }));
  onBegun();
  for (;;) {
    // By its id: a stack that is gone cannot be found by its name.
    const answer = await cloudformation.send(new DescribeStacksCommand({ StackName: StackId }));
    const { StackStatus = '', StackStatusReason = '' } = answer.Stacks?.[0] ?? {};
    if (StackStatus === 'DELETE_COMPLETE') return;
    if (StackStatus === 'DELETE_FAILED')
      throw new TerminalError(`the stack ${stack} could not be deleted: ${StackStatusReason}`, {
        remedy: 'remove or release what it names, and run this again',
      });
    await nextLook(io);
  }
}

/** The steps that `--yes` would begin. */
export const planText = (steps: readonly string[], end: string, command: string): string =>
  `This would happen with --yes:\n${steps.map((step, index) => `${index + 1}. ${step}\n`).join('')}${end}Nothing was changed. To do it: drover ${command} --yes\n`;
