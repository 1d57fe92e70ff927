import type { FunctionEnvironment } from '@drover/cloud-aws';
import { asFetch } from '@drover/cloud-engine';
import type { World } from '@drover/cloud-world';
import { jsonLogger } from '@drover/core';
import { type FunctionSuffix, functionName, functionsOf } from '@drover/core/names/runner-fleet';
import {
  demandFunction,
  deregistrationFunction,
  type FunctionRuntime,
  recordMetricFunction,
  registrationFunction,
  runnerVersionFunction,
} from '@drover/fleet-runtime';
import { programAws } from './program-clients.ts';
import type { ChooseTransport, ChosenTransport } from './program-services.ts';
import { replayedRuntime } from './replayed-functions.ts';

const programs: Readonly<Record<FunctionSuffix, (runtime: FunctionRuntime) => (event: unknown) => Promise<void>>> = {
  registration: registrationFunction,
  deregistration: deregistrationFunction,
  record_metric: recordMetricFunction,
  runner_version: runnerVersionFunction,
  demand: demandFunction,
};

/** The same for environments that begin while a session is replayed; the others run the bundles, and each keeps to what it began with. */
export function injectReplayed(world: World, groupName: string, choose: ChooseTransport, when: () => boolean): void {
  for (const suffix of functionsOf('jobs'))
    world.operate.injectFunction(
      (name) => name === functionName(groupName, suffix),
      (environment) => programs[suffix](replayedRuntime(world, environment, choose)),
      when,
    );
}

/** Runs the functions' own code in this process instead of their bundles: the same handlers, without unpacking them. */
export function injectFunctions(world: World, groupName: string, transport: ChosenTransport): void {
  for (const suffix of functionsOf('jobs'))
    world.operate.injectFunction(
      (name) => name === functionName(groupName, suffix),
      (environment) => programs[suffix](runtimeOf(world, environment, transport)),
    );
}

function runtimeOf(world: World, environment: FunctionEnvironment, transport: ChosenTransport): FunctionRuntime {
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
