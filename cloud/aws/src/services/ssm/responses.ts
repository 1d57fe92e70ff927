import { ended, type Invocation, type SentCommand } from './model.ts';

/** A command with the status over all its nodes. (User Guide, "Detailed status for a command".) */
export function describeCommand(command: SentCommand) {
  const all = [...command.invocations.values()];
  const [Status, StatusDetails] = overallStatus(all);
  return {
    CommandId: command.id,
    DocumentName: command.documentName,
    DocumentVersion: '$DEFAULT',
    Comment: command.comment,
    Parameters: command.parameters,
    InstanceIds: command.targets.length > 0 ? [] : [...command.instanceIds],
    Targets: [...command.targets],
    RequestedDateTime: new Date(command.requestedAt),
    ExpiresAfter: new Date(command.expiresAt),
    Status,
    StatusDetails,
    TargetCount: all.length,
    CompletedCount: all.filter(ended).length,
    ErrorCount: all.filter(({ statusDetails: s }) => s === 'Failed' || s === 'ExecutionTimedOut').length,
    DeliveryTimedOutCount: all.filter(({ statusDetails }) => statusDetails === 'DeliveryTimedOut').length,
    TimeoutSeconds: (command.deliverBy - command.requestedAt) / 1_000,
    OutputS3BucketName: '',
    OutputS3KeyPrefix: '',
  };
}

function overallStatus(all: readonly Invocation[]): [string, string] {
  // The documentation names the detail only; that the status is Failed is not verified.
  if (all.length === 0) return ['Failed', 'NoInstancesInTag'];
  if (all.every(({ status }) => status === 'Pending')) return ['Pending', 'Pending'];
  if (!all.every(ended)) return ['InProgress', 'InProgress'];
  for (const details of ['Failed', 'ExecutionTimedOut', 'DeliveryTimedOut', 'Cancelled', 'Undeliverable']) {
    const worst = all.find(({ statusDetails }) => statusDetails === details);
    if (worst !== undefined) return [worst.status, details === 'Undeliverable' ? 'Failed' : details];
  }
  return ['Success', 'Success'];
}

/** The response of GetCommandInvocation. */
export const describeInvocation = (command: SentCommand, invocation: Invocation) => ({
  CommandId: command.id,
  InstanceId: invocation.instanceId,
  Comment: command.comment,
  DocumentName: command.documentName,
  DocumentVersion: '$DEFAULT',
  PluginName: 'aws:runShellScript',
  ResponseCode: invocation.responseCode,
  ExecutionStartDateTime: isoOrEmpty(invocation.startedAt),
  ExecutionElapsedTime: invocation.endedAt === undefined ? '' : `PT${elapsedSeconds(invocation)}S`,
  ExecutionEndDateTime: isoOrEmpty(invocation.startedAt === undefined ? undefined : invocation.endedAt),
  Status: invocation.status,
  StatusDetails: invocation.statusDetails,
  StandardOutputContent: invocation.stdout,
  StandardOutputUrl: '',
  StandardErrorContent: invocation.stderr,
  StandardErrorUrl: '',
});

const isoOrEmpty = (ms: number | undefined) => (ms === undefined ? '' : new Date(ms).toISOString());

const elapsedSeconds = ({ startedAt, endedAt }: Invocation) =>
  (((endedAt ?? 0) - (startedAt ?? endedAt ?? 0)) / 1_000).toFixed(3);

/** Characters of output that ListCommandInvocations shows per plugin. (API Reference, CommandPlugin.Output.) */
const listedOutputLimit = 2_500;

/** One entry of ListCommandInvocations. */
export const listedInvocation = (command: SentCommand, invocation: Invocation, details: boolean) => ({
  CommandId: command.id,
  InstanceId: invocation.instanceId,
  InstanceName: '',
  Comment: command.comment,
  DocumentName: command.documentName,
  DocumentVersion: '$DEFAULT',
  RequestedDateTime: new Date(command.requestedAt),
  Status: invocation.status,
  StatusDetails: invocation.statusDetails,
  StandardOutputUrl: '',
  StandardErrorUrl: '',
  CommandPlugins: details ? [plugin(invocation)] : [],
});

const plugin = (invocation: Invocation) => ({
  Name: 'aws:runShellScript',
  Status: invocation.status,
  StatusDetails: invocation.statusDetails,
  ResponseCode: invocation.responseCode,
  ...(invocation.startedAt === undefined ? {} : { ResponseStartDateTime: new Date(invocation.startedAt) }),
  ...(invocation.endedAt === undefined ? {} : { ResponseFinishDateTime: new Date(invocation.endedAt) }),
  Output: [invocation.stdout, invocation.stderr && `\n----------ERROR-------\n${invocation.stderr}`]
    .join('')
    .slice(0, listedOutputLimit),
});
