import type { FunctionEnvironment } from '@drover/cloud-aws';
import { asFetch } from '@drover/cloud-engine';
import type { World } from '@drover/cloud-world';
import { jsonLogger } from '@drover/core';
import { type FunctionSuffix, functionName, functionsOf } from '@drover/core/names/runner-fleet';
import {
  demandFunction,
  deregistrationFunction,
  type FunctionRuntime,
  imageFunction,
  recordMetricFunction,
  registrationFunction,
  runnerVersionFunction,
} from '@drover/fleet-runtime';
import { programAws } from './program-clients.ts';
import type { Transport } from './program-services.ts';

const programs: Readonly<Record<FunctionSuffix, (runtime: FunctionRuntime) => (event: unknown) => Promise<void>>> = {
  registration: registrationFunction,
  deregistration: deregistrationFunction,
  record_metric: recordMetricFunction,
  runner_version: runnerVersionFunction,
  demand: demandFunction,
  image: imageFunction,
};

/** Runs the functions' own code in this process instead of their bundles: the same handlers, without unpacking them. */
export const injectFunctions = (world: World, groupName: string, transport: Transport): void =>
  injectPrograms(world, groupName, (environment) => runtimeOf(world, environment, transport));

/** The same in another runtime, for environments that begin when `when` says so. */
export function injectPrograms(
  world: World,
  groupName: string,
  inEnvironment: (environment: FunctionEnvironment) => FunctionRuntime,
  when?: () => boolean,
): void {
  for (const suffix of functionsOf('jobs', true))
    world.operate.injectFunction(
      (name) => name === functionName(groupName, suffix),
      (environment) => programs[suffix](inEnvironment(environment)),
      when,
    );
}

function runtimeOf(world: World, environment: FunctionEnvironment, transport: Transport): FunctionRuntime {
  const { env, clock, random, http, process } = environment;
  const credentials = () => ({ secretAccessKey: 'unused', ...environment.caller.credentials });
  return {
    env: { ...env, AWS_REGION: env.AWS_REGION ?? world.aws.region },
    clock,
    random,
    log: jsonLogger({ clock, write: (line) => environment.log(line) }),
    fetch: asFetch(http),
    aws: () =>
      programAws(world, { http, clock, random, process, alive: () => environment.alive, credentials }, transport),
  };
}
