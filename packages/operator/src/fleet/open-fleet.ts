import { GetFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import type { FleetAws } from '@drover/adapters/aws';
import {
  autoScalingSdk,
  callsThrough,
  cloudWatchSdk,
  ec2Sdk,
  secretsManagerSdk,
  signingAs,
  ssmSdk,
} from '@drover/adapters/aws/sdk';
import { s3, signedCalls } from '@drover/adapters/aws/signed';
import { jsonLogger, TerminalError } from '@drover/core';
import { defaultType, environment, functionName } from '@drover/core/names/runner-fleet';
import { bakeDaysIn, composeFleet, readScalingConfig, terminationPorts } from '@drover/fleet-runtime';
import { type FleetMemory, type RunnerType, withSignal } from '@drover/runner-fleet';
import type { DroverIo, OperatorClients } from '../io.ts';
import { outputNamed, readOutputs } from '../output/read-outputs.ts';

export interface FleetOptions {
  /** The stack that the fleet was deployed with. */
  readonly stack: string;
  /** Nothing is written: an app's token and a pause that the platform asks for are remembered by this process alone. */
  readonly readOnly?: boolean;
  /** The type that is meant. @default the default type */
  readonly type?: string | undefined;
}

/** A deployed fleet as its own functions see it, with the operator's credentials. */
export async function openFleet(io: DroverIo, { stack, readOnly = false, type }: FleetOptions) {
  const aws = await io.aws();
  const outputs = await readOutputs(aws.cloudformation, stack);
  const groupName = outputNamed(outputs, stack, 'autoscaling_group_name');
  const { variables, subnets } = await functionSettings(aws, groupName);
  const env = { ...variables, ...platformElsewhere(io) };
  const log = jsonLogger({ clock: io.clock, write: io.stderr });
  const all = fleetAws(aws, io);
  const calls = readOnly ? { ...all, s3: withoutWrites(all.s3) } : all;
  const expiry = notingExpiry(io.fetch);
  const fleet = composeFleet({
    env,
    clock: io.serviceClock ?? io.clock,
    random: io.random,
    log,
    fetch: expiry.fetch,
    aws: () => calls,
  });
  const { platform, actions } = fleet;
  const shared = {
    stack,
    /** By which functions and alarms are named. */
    fleetName: groupName,
    outputs,
    /** How many subnets the functions are in. */
    functionSubnets: subnets,
    scaling: readScalingConfig(env),
    /** Undefined where no image is baked by itself. */
    imageBakeDays: bakeDaysIn(env),
    aws,
    calls,
    platform,
    /** The Actions service, for a part of the fleet. */
    actions,
    /** When the platform's token expires, if it does and the platform has been asked. */
    tokenExpiresAt: expiry.at,
  };
  const typed = (found: RunnerType) => {
    const group = fleet.ofType(found);
    const ports = { ...terminationPorts(group), memory: withNews(found.name, group, fleet.ports.memory) };
    return { ...shared, type: found.name, groupName: found.groupName, config: group.config, ports };
  };
  const types = fleet.config.hasTypes ? await fleet.types() : [];
  const ofDefault = { ...shared, type: defaultType, groupName, config: fleet.config, ports: terminationPorts(fleet) };
  const chosen = type === undefined || type === defaultType ? ofDefault : typed(typeNamed(type, types, groupName));
  const further = types.map(typed);
  return {
    ...chosen,
    /** The group of each further type. */
    types: further,
    /** The groups of all types, that of the default type first. */
    groups: [ofDefault, ...further],
  };
}

export type OpenFleet = Awaited<ReturnType<typeof openFleet>>;
/** A fleet's group of one type. */
export type OpenGroup = Omit<OpenFleet, 'types' | 'groups'>;

function typeNamed(name: string, types: readonly RunnerType[], fleet: string): RunnerType {
  const found = types.find((type) => type.name === name);
  if (found !== undefined) return found;
  const known = [defaultType, ...types.map((type) => type.name)].join(', ');
  throw new TerminalError(`${fleet} has no type ${name}`, { remedy: `its types are ${known}` });
}

interface StoredGroup {
  readonly own: FleetMemory;
  readonly ports: { readonly memory: FleetMemory };
}

/** Adds the news of the last windows, which is in the memory of the default type. */
const withNews = (name: string, { own, ports }: StoredGroup, ofDefault: FleetMemory): FleetMemory => ({
  async read() {
    const [state, { types }] = await Promise.all([own.read(), ofDefault.read()]);
    return state.jobs === undefined ? state : { ...state, jobs: withSignal(state.jobs, types?.[name]) };
  },
  async update(change) {
    // Whether it rests now.
    await ofDefault.read();
    await ports.memory.update(change);
  },
});

/** GitHub states it on each response to a personal token that expires: `2027-10-12 09:00:00 UTC`. */
function notingExpiry(send: typeof fetch): { readonly fetch: typeof fetch; at(): number | undefined } {
  let at: number | undefined;
  return {
    fetch: async (...request) => {
      const response = await send(...request);
      const said = Date.parse(response.headers.get('github-authentication-token-expiration') ?? '');
      if (!Number.isNaN(said)) at = said;
      return response;
    },
    at: () => at,
  };
}

/** The operator's SDK clients, used instead of a function's. */
function fleetAws(aws: OperatorClients, io: DroverIo): FleetAws {
  return {
    autoscaling: callsThrough(autoScalingSdk.commands, () => aws.autoscaling),
    ec2: callsThrough(ec2Sdk.commands, () => aws.ec2),
    monitoring: callsThrough(cloudWatchSdk.commands, () => aws.cloudwatch),
    s3: signedCalls(s3, signingAs(aws.autoscaling.config, io.env.AWS_ENDPOINT_URL)),
    secretsmanager: callsThrough(secretsManagerSdk.commands, () => aws.secrets),
    ssm: callsThrough(ssmSdk.commands, () => aws.ssm),
  };
}

const withoutWrites = (s3: FleetAws['s3']): FleetAws['s3'] =>
  ((operation: never, input: never) =>
    (operation as string) === 'GetObject'
      ? s3(operation, input)
      : Promise.resolve({ ETag: '"not written"' })) as FleetAws['s3'];

/** `drover local` serves GitHub on loopback, whatever address the fleet knows it by. */
const platformElsewhere = ({ env: { DROVER_PLATFORM_API } }: DroverIo) =>
  DROVER_PLATFORM_API === undefined ? {} : { [environment.platformApi]: DROVER_PLATFORM_API };

/** The construct's settings for the functions: the platform, the credentials' secret, the memory. */
async function functionSettings(aws: OperatorClients, groupName: string) {
  const FunctionName = functionName(groupName, 'deregistration');
  const { Environment, VpcConfig } = await aws.lambda
    .send(new GetFunctionConfigurationCommand({ FunctionName }))
    .catch((error: Error) => {
      if (error.name !== 'ResourceNotFoundException') throw error;
      throw new TerminalError(`the function ${FunctionName} does not exist`, {
        remedy: 'the fleet is damaged: deploy its stack again',
      });
    });
  const region = await aws.autoscaling.config.region();
  const variables: Record<string, string | undefined> = { ...Environment?.Variables, AWS_REGION: region };
  return { variables, subnets: VpcConfig?.SubnetIds?.length ?? 0 };
}
