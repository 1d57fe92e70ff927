import type { GetCommandInvocationCommandInput, SendCommandCommandInput } from '@aws-sdk/client-ssm';
import { AwsError, notImplemented } from '../../../account/errors.ts';
import { requireModelled } from '../../../account/modelled.ts';
import type { AwsNeighbours } from '../../../account/neighbours.ts';
import type { Operations, Permission } from '../../../account/service.ts';
import type { Commands } from '../commands.ts';
import { validation } from '../model.ts';
import { describeCommand, describeInvocation } from '../responses.ts';

/** Sending commands and following one of them. */
export const commandOperations = (aws: AwsNeighbours, commands: Commands): Operations => ({
  SendCommand: {
    permissions: (input: SendCommandCommandInput) => sendPermissions(aws, commands, input),
    run: (input: SendCommandCommandInput) => ({ Command: describeCommand(send(commands, input)) }),
  },
  GetCommandInvocation: {
    permissions: () => [{ action: 'ssm:GetCommandInvocation', resource: '*' }],
    run: (input: GetCommandInvocationCommandInput) =>
      describeInvocation(commands.get(input.CommandId), commands.invocation(input.CommandId, input.InstanceId)),
  },
});

/** The document and every instance must be allowed. (Service Authorization Reference, AWS Systems Manager, SendCommand.) */
function sendPermissions(aws: AwsNeighbours, commands: Commands, input: SendCommandCommandInput): Permission[] {
  const document = `arn:aws:ssm:${aws.region}::document/${input.DocumentName}`;
  const instances = instancesOf(commands, input).map((id): Permission => {
    const tags = Object.entries(commands.nodes.instance(id)?.tags ?? {});
    const context = tags.flatMap(([key, value]) => [
      [`aws:ResourceTag/${key}`, value],
      [`ssm:resourceTag/${key}`, value],
    ]);
    return {
      action: 'ssm:SendCommand',
      resource: `arn:aws:ec2:${aws.region}:${aws.accountId}:instance/${id}`,
      context: Object.fromEntries(context),
    };
  });
  return [...instances, { action: 'ssm:SendCommand', resource: document }];
}

const instancesOf = (commands: Commands, input: SendCommandCommandInput): readonly string[] =>
  input.InstanceIds?.length ? input.InstanceIds : commands.nodes.matching((input.Targets ?? []) as never);

/** Seconds a command may wait for its agent, and may run, when none are given. (AWS-RunShellScript; User Guide as above.) */
const defaultTimeoutSeconds = 3_600;

/** (API Reference, SendCommand.) */
const commentLimit = 100;
const shellParameters = ['commands', 'executionTimeout'];

function send(commands: Commands, input: SendCommandCommandInput) {
  if (input.DocumentName !== 'AWS-RunShellScript') throw unmodelledDocument(input.DocumentName);
  if (!input.InstanceIds?.length && !input.Targets?.length)
    throw new AwsError('InvalidInstanceId', 'InstanceIds or Targets must name at least one node');
  const timeoutSeconds = input.TimeoutSeconds ?? defaultTimeoutSeconds;
  if (timeoutSeconds < 30 || timeoutSeconds > 2_592_000)
    throw validation(`TimeoutSeconds is ${timeoutSeconds}; it must be between 30 and 2592000`);
  const parameters = (input.Parameters ?? {}) as Record<string, string[]>;
  requireModelled('AWS-RunShellScript', parameters, shellParameters);
  if (!parameters.commands?.length)
    throw new AwsError('InvalidParameters', 'Parameters.commands is required by the document AWS-RunShellScript');
  if ((input.Comment ?? '').length > commentLimit)
    throw validation(`Comment has ${input.Comment?.length} characters; at most ${commentLimit} are allowed`);
  commands.nodes.requireValid(input.InstanceIds ?? []);
  const request = {
    documentName: input.DocumentName,
    comment: input.Comment ?? '',
    commands: parameters.commands,
    parameters,
    instanceIds: instancesOf(commands, input),
    targets: (input.Targets ?? []) as { Key?: string; Values?: string[] }[],
    executionTimeoutSeconds: Number(parameters.executionTimeout?.[0] ?? defaultTimeoutSeconds),
  };
  return commands.start(request, timeoutSeconds);
}

const unmodelledDocument = (name: string | undefined) =>
  notImplemented('ssm', `SendCommand with the document ${name}; only AWS-RunShellScript is modelled`);
