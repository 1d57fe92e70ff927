import {
  autoScaling,
  cloudWatch,
  ec2,
  logs,
  type SignedConfig,
  s3,
  secretsManager,
  signedCalls,
  ssm,
} from '@drover/adapters/aws/signed';
import { type FunctionEnvironment, fillFrom, programClock } from '@drover/cloud-aws';
import { asFetch } from '@drover/cloud-engine';
import type { World } from '@drover/cloud-world';
import { jsonLogger, type Random, SystemRandom } from '@drover/core';
import type { FunctionRuntime } from '@drover/fleet-runtime';
import { directWithIds, type ProgramPlace, sendInProcess } from '../program-clients.ts';
import { type AnyCall, everyService, type ProgramAws } from '../program-services.ts';
import { inTurn } from './in-turn.ts';

/**
 * The execution environment of a bundle, for its code in this process: the same time and draws of chance, and calls
 * that leave the same state, whichever transport is chosen for each.
 */
export function replayedRuntime(
  world: World,
  environment: FunctionEnvironment,
  choose: (wire: ProgramAws, direct: ProgramAws) => ProgramAws,
): FunctionRuntime {
  const { env, http, process } = environment;
  const clock = programClock(environment.clock);
  const credentials = () => ({ secretAccessKey: 'unused', ...environment.caller.credentials });
  const chance = environment.random.fork('crypto');
  const random = new SystemRandom((words) => fillFrom(chance, words));
  const place = { http, clock, random, process, alive: () => environment.alive, credentials };
  // As the environment's own requests are.
  const direct = inTurn(directWithIds(world, place), environment.clock);
  return {
    env,
    clock,
    random,
    log: jsonLogger({ clock, write: (line) => environment.log(line) }),
    fetch: asFetch(http),
    aws: () => choose(overTheWire(world, place, random), withTokens(direct, random)),
  };
}

/** As the bundles call AWS. */
function overTheWire(world: World, place: ProgramPlace, random: Random): ProgramAws {
  const config: SignedConfig = {
    region: async () => world.aws.region,
    credentials: async () => place.credentials(),
    clock: place.clock,
    random,
    send: (request) => sendInProcess(place.http, request),
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

/** Without the wire, with the tokens that the small client would give. */
function withTokens(calls: ProgramAws, random: Random): ProgramAws {
  return everyService((service) => (operation, given) => {
    const hasToken = service === 'secretsmanager' && takesToken.includes(operation);
    const input = hasToken ? { ClientRequestToken: random.uuid(), ...given } : given;
    return (calls[service] as AnyCall)(operation, input);
  });
}
