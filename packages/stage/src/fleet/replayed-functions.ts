import type { AwsCalls } from '@drover/adapters/aws';
import { autoScaling, cloudWatch, ec2, logs, s3, secretsManager, signedCalls, ssm } from '@drover/adapters/aws/signed';
import { drawRequestId, type FunctionEnvironment, fillFrom } from '@drover/cloud-aws';
import { asFetch, never } from '@drover/cloud-engine';
import type { World } from '@drover/cloud-world';
import { jsonLogger, type Random, SystemRandom } from '@drover/core';
import type { FunctionRuntime } from '@drover/fleet-runtime';
import { directCalls } from './direct-calls.ts';
import { type ProgramAws, sendInProcess, type Transport } from './program-clients.ts';

/**
 * What a bundle finds in its execution environment, for its code in this process: the same draws of chance, and calls that leave the
 * same state, whichever transport is chosen for each.
 */
export function replayedRuntime(
  world: World,
  environment: FunctionEnvironment,
  transport: () => Transport,
): FunctionRuntime {
  const { env, clock, http } = environment;
  const chance = environment.random.fork('crypto');
  const random = new SystemRandom((words) => fillFrom(chance, words));
  return {
    env,
    clock,
    random,
    log: jsonLogger({ clock, write: (line) => environment.log(line) }),
    fetch: asFetch(http),
    aws: () => eitherWay(overTheWire(world, environment, random), straight(world, environment, random), transport),
  };
}

function eitherWay(wire: ProgramAws, direct: ProgramAws, transport: () => Transport): ProgramAws {
  const either = <Service extends keyof ProgramAws>(service: Service): AwsCalls[Service] =>
    ((operation: never, input: never) => {
      const { [service]: call } = transport() === 'direct' ? direct : wire;
      return (call as (operation: never, input: never) => Promise<unknown>)(operation, input);
    }) as AwsCalls[Service];
  return everyService(either);
}

/** As the bundles call AWS. */
function overTheWire(world: World, { clock, http, env }: FunctionEnvironment, random: Random): ProgramAws {
  const config = {
    region: async () => env.AWS_REGION ?? world.aws.region,
    credentials: async () => ({
      accessKeyId: env.AWS_ACCESS_KEY_ID!,
      secretAccessKey: env.AWS_SECRET_ACCESS_KEY!,
      ...(env.AWS_SESSION_TOKEN === undefined ? {} : { sessionToken: env.AWS_SESSION_TOKEN }),
    }),
    clock,
    random,
    send: (request: Parameters<typeof sendInProcess>[1]) => sendInProcess(http, request),
  };
  return {
    autoscaling: signedCalls(autoScaling, config),
    ec2: signedCalls(ec2, config),
    logs: signedCalls(logs, config),
    monitoring: signedCalls(cloudWatch, config),
    s3: signedCalls(s3, config),
    secretsmanager: signedCalls(secretsManager, config),
    ssm: signedCalls(ssm, config),
  };
}

/** The small client gives these a token of its own where the caller has none. */
const takesToken: readonly string[] = Object.entries(secretsManager.operations).flatMap(([name, { token }]) =>
  token === true ? [name] : [],
);

/** Without the wire; a dead environment makes no calls, and responses do not reach it. */
function straight(world: World, environment: FunctionEnvironment, random: Random): ProgramAws {
  const calls = directCalls(world, () => environment.caller);
  return everyService(
    (service) =>
      (async (operation: string, given: object) => {
        const input = takesToken.includes(operation) ? { ClientRequestToken: random.uuid(), ...given } : given;
        if (!environment.alive) return await never;
        drawRequestId(world);
        const call = calls[service] as (operation: string, input: object) => Promise<unknown>;
        const output = await call(operation, input);
        return environment.alive ? output : await never;
      }) as never,
  );
}

const everyService = (make: <Service extends keyof ProgramAws>(service: Service) => AwsCalls[Service]): ProgramAws => ({
  autoscaling: make('autoscaling'),
  ec2: make('ec2'),
  logs: make('logs'),
  monitoring: make('monitoring'),
  s3: make('s3'),
  secretsmanager: make('secretsmanager'),
  ssm: make('ssm'),
});
