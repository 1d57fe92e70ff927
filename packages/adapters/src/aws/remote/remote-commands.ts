import type { RemoteCommands, SentCommand } from '@drover/runner-fleet';
import { instead } from '../../instead.ts';
import type { AwsCalls } from '../calls/calls.ts';
import { hasCode } from '../calls/errors.ts';

/** The document's comment carries the command, so that the history of an instance tells what was sent to it. */
export function remoteCommands(aws: Pick<AwsCalls, 'ssm'>): RemoteCommands {
  return {
    send: (instanceId, command) =>
      aws
        .ssm('SendCommand', {
          DocumentName: 'AWS-RunShellScript',
          InstanceIds: [instanceId],
          Parameters: { commands: [command] },
          Comment: command,
          TimeoutSeconds: 60,
        })
        .then(() => 'sent' as const)
        .catch(instead(hasCode(/^InvalidInstanceId$/), 'unknown')),

    async recent(instanceId, since) {
      const { CommandInvocations = [] } = await aws.ssm('ListCommandInvocations', {
        InstanceId: instanceId,
        MaxResults: 50,
      });
      return CommandInvocations.filter((invocation) => (invocation.RequestedDateTime?.getTime() ?? 0) >= since)
        .map((invocation) => ({
          command: invocation.Comment ?? '',
          sentAt: invocation.RequestedDateTime?.getTime() ?? 0,
          outcome: outcomeOf(invocation.StatusDetails ?? invocation.Status ?? ''),
        }))
        .sort((a, b) => a.sentAt - b.sentAt);
    },
  };
}

function outcomeOf(status: string): SentCommand['outcome'] {
  if (status === 'Success') return 'succeeded';
  if (/^(Pending|InProgress|In Progress|Delayed)$/.test(status)) return 'pending';
  if (/^(DeliveryTimedOut|Delivery Timed Out|Undeliverable|Terminated|TimedOut)$/.test(status)) return 'undelivered';
  return 'failed';
}
