import { TerminalError } from '@drover/core/errors';
import type { OperatorSsm } from './remote-agents.ts';

/** Twice the longest wait of the two commands around a restart, and the package between them. */
const nodeSeconds = 5_400;

const isRunning = (status: string) => ['Pending', 'InProgress', 'Delayed'].includes(status);

/** Sends a script to an instance; returns the id of the command. It goes on when its sender dies. */
export async function sendScript(
  ssm: OperatorSsm,
  instanceId: string,
  commands: string,
  Comment: string,
): Promise<string> {
  const { Command } = await ssm('SendCommand', {
    DocumentName: 'AWS-RunShellScript',
    InstanceIds: [instanceId],
    Parameters: { commands: [commands], executionTimeout: [String(nodeSeconds)] },
    Comment,
  });
  if (Command?.CommandId === undefined) throw new TerminalError('Systems Manager returned no command id');
  return Command.CommandId;
}

/** One that a run which died has sent: two at the same time would stop each other's node. */
export async function runningCommand(
  ssm: OperatorSsm,
  InstanceId: string,
  comment: string,
): Promise<string | undefined> {
  const { CommandInvocations = [] } = await ssm('ListCommandInvocations', { InstanceId, MaxResults: 50 });
  return CommandInvocations.find(({ Comment, Status = '' }) => Comment === comment && isRunning(Status))?.CommandId;
}

/** How a command is, and the end of what it said on stderr; `printed` is what it printed. */
export async function commandState(
  ssm: OperatorSsm,
  InstanceId: string,
  CommandId: string,
): Promise<{ readonly state: 'running' | 'succeeded' | 'failed'; readonly output: string; readonly printed?: string }> {
  const invocation = await ssm('GetCommandInvocation', { InstanceId, CommandId });
  const { Status = '', StandardErrorContent = '', StandardOutputContent: printed = '' } = invocation;
  if (Status === 'Success') return { state: 'succeeded', output: StandardErrorContent, printed };
  if (isRunning(Status)) return { state: 'running', output: '' };
  return { state: 'failed', output: StandardErrorContent || Status };
}
