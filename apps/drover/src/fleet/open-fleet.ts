import { GetFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import { groupMembers, lifecycleHooks } from '@drover/adapters/fleet/group';
import { hostReports } from '@drover/adapters/fleet/host-reports';
import { remoteCommands } from '@drover/adapters/fleet/remote-commands';
import { tokenSecrets } from '@drover/adapters/fleet/token-secrets';
import { jsonLogger, TerminalError } from '@drover/core';
import { functionName } from '@drover/core/names/runner-fleet';
import { compose } from '@drover/functions/compose';
import type { DroverIo, OperatorClients } from '../io.ts';
import { outputNamed, readOutputs, type StackOutputs } from '../output/read-outputs.ts';

export interface FleetOptions {
  /** The stack that the fleet was deployed with. */
  readonly stack: string;
}

/** A deployed fleet as its own functions see it, with the operator's credentials. */
export async function openFleet(io: DroverIo, { stack }: FleetOptions) {
  const aws = await io.aws();
  const outputs = await readOutputs(aws.cloudformation, stack);
  const groupName = outputNamed(outputs, stack, 'autoscaling_group_name');
  const env = await functionEnvironment(aws, groupName, io);
  const log = jsonLogger({ clock: io.clock, write: io.stderr });
  const clients = {
    autoscaling: aws.autoscaling,
    cloudwatch: aws.cloudwatch,
    secrets: aws.secrets,
    ssm: aws.ssm,
  };
  const { random } = io;
  const clock = io.serviceClock ?? io.clock;
  const composed = compose({ env, clock, random, log, fetch: io.fetch, clients: () => clients });
  const { config, ports, signed, platform } = composed;
  return {
    stack,
    groupName,
    outputs,
    config,
    aws,
    platform,
    ports: {
      ...ports,
      members: groupMembers(aws.autoscaling, groupName),
      hooks: lifecycleHooks(aws.autoscaling, groupName),
      secrets: tokenSecrets(aws.secrets, groupName, config.instanceArnPrefix),
      reports: hostReports(signed),
      commands: remoteCommands(aws.ssm),
      allowedDrainTimeMs: config.allowedDrainTimeMs,
    },
  };
}

export type OpenFleet = Awaited<ReturnType<typeof openFleet>>;
export type FleetOutputs = StackOutputs;

/** What the construct told the functions: the platform, the credentials' secret, the memory. */
async function functionEnvironment(
  aws: OperatorClients,
  groupName: string,
  io: DroverIo,
): Promise<Record<string, string | undefined>> {
  const FunctionName = functionName(groupName, 'deregistration');
  const { Environment } = await aws.lambda
    .send(new GetFunctionConfigurationCommand({ FunctionName }))
    .catch((error: Error) => {
      if (error.name !== 'ResourceNotFoundException') throw error;
      throw new TerminalError(`the function ${FunctionName} does not exist`, {
        remedy: 'the fleet is damaged: deploy its stack again',
      });
    });
  const region = await aws.autoscaling.config.region();
  return { ...Environment?.Variables, AWS_REGION: region, AWS_ENDPOINT_URL: io.env.AWS_ENDPOINT_URL };
}
