import { readFileSync } from 'node:fs';
import type { Aws, GivenParameter, Stack } from '@drover/cloud-aws';
import { AwsError, parseTemplate } from '@drover/cloud-aws';
import { TerminalError } from '@drover/core';
import type { AssemblyStack } from './manifest.ts';

/** A stack after its deployment. */
export interface DeployedStack {
  readonly stackName: string;
  readonly stackId: string;
  readonly outputs: Readonly<Record<string, string>>;
  /** False when there was nothing to update. */
  readonly changed: boolean;
}

/** Creates or updates one stack through the API and waits on the clock until it has come to rest. */
export async function deployStack(
  aws: Aws,
  assembly: AssemblyStack,
  templateUrl: string,
  parameters: Readonly<Record<string, string>>,
): Promise<DeployedStack> {
  await clearFailedCreation(aws, assembly.stackName);
  const existing = aws.cloudformation.stacks.find(assembly.stackName);
  await existing?.operation?.done;
  const since = existing?.events.length ?? 0;
  const changed = await submit(aws, assembly, templateUrl, parameters, existing);
  const stack = aws.cloudformation.stacks.get(assembly.stackName);
  await stack.operation?.done;
  if (!/^(CREATE|UPDATE)_COMPLETE$/.test(stack.status)) throw deploymentFailed(stack, since);
  const outputs = Object.fromEntries(stack.outputs.map(({ key, value }) => [key, value]));
  return { stackName: stack.name, stackId: stack.id, outputs, changed };
}

/** A stack whose creation was rolled back can only be deleted; `cdk deploy` does so too. */
async function clearFailedCreation(aws: Aws, stackName: string): Promise<void> {
  const stack = aws.cloudformation.stacks.find(stackName);
  if (stack === undefined || !/^(ROLLBACK_COMPLETE|ROLLBACK_FAILED)$/.test(stack.status)) return;
  await asRoot(aws, 'DeleteStack', { StackName: stack.name });
  await stack.operation?.done;
}

async function submit(
  aws: Aws,
  assembly: AssemblyStack,
  templateUrl: string,
  parameters: Readonly<Record<string, string>>,
  existing: Stack | undefined,
): Promise<boolean> {
  const input = {
    StackName: assembly.stackName,
    TemplateURL: templateUrl,
    Parameters: parametersFor(assembly, parameters, existing),
    Capabilities: ['CAPABILITY_NAMED_IAM', 'CAPABILITY_AUTO_EXPAND'],
    Tags: Object.entries(assembly.tags).map(([Key, Value]) => ({ Key, Value })),
  };
  if (existing === undefined) {
    await asRoot(aws, 'CreateStack', { ...input, EnableTerminationProtection: assembly.terminationProtection });
    return true;
  }
  try {
    await asRoot(aws, 'UpdateStack', input);
    return true;
  } catch (error) {
    if (error instanceof AwsError && error.message === 'No updates are to be performed.') return false;
    throw error;
  }
}

/** Given values, `Stack:Name` before `Name`; an update keeps the values that are not given. */
function parametersFor(
  assembly: AssemblyStack,
  given: Readonly<Record<string, string>>,
  existing: Stack | undefined,
): GivenParameter[] {
  const declared = Object.keys(parseTemplate(readFileSync(assembly.templateFile, 'utf8')).Parameters);
  return declared.flatMap((ParameterKey): GivenParameter[] => {
    const value =
      given[`${assembly.stackName}:${ParameterKey}`] ?? given[ParameterKey] ?? assembly.parameters[ParameterKey];
    if (value !== undefined) return [{ ParameterKey, ParameterValue: value }];
    return existing?.parameters.has(ParameterKey) === true ? [{ ParameterKey, UsePreviousValue: true }] : [];
  });
}

const asRoot = (aws: Aws, operation: string, input: unknown) =>
  aws.call('cloudformation', operation, input, { credentials: aws.iam.rootCredentials });

function deploymentFailed(stack: Stack, since: number): TerminalError {
  const failures = stack.events
    .slice(since)
    .filter(({ status, reason }) => status.endsWith('_FAILED') && reason !== undefined && !reason.endsWith('cancelled'))
    .map(({ logicalId, type, status, reason }) => `  ${logicalId} (${type}) ${status}: ${reason}`);
  const why = failures.length > 0 ? failures : [`  ${stack.statusReason ?? 'no reason was given'}`];
  return new TerminalError(`stack ${stack.name} is ${stack.status}:\n${why.join('\n')}`);
}
