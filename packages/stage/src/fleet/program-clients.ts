import { autoScalingSdk, cloudWatchSdk, sdkCalls, secretsManagerSdk, ssmSdk } from '@drover/adapters/aws/sdk';
import { ec2, logs, type SignedConfig, type SignedRequest, s3, signedCalls } from '@drover/adapters/aws/signed';
import { drawRequestId, inProcessClientConfig, requestHandlerOver } from '@drover/cloud-aws';
import { type HttpHandler, type KillableProcess, never } from '@drover/cloud-engine';
import type { World } from '@drover/cloud-world';
import type { Clock, Random } from '@drover/core';
import { collect, directCalls } from './direct-calls.ts';
import { type AnyCall, everyService, type ProgramAws, type Transport } from './program-services.ts';
import { retriesOn } from './sdk-retries.ts';

/** A program's place in the world: its network, its clock, its role's credentials. */
export interface ProgramPlace {
  readonly http: HttpHandler;
  readonly clock: Clock;
  readonly random: Random;
  readonly process: KillableProcess | undefined;
  /** A dead program makes no calls, and responses do not reach it. */
  alive(): boolean;
  credentials(): Keys;
}

export interface Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** AWS as a program in the world calls it. */
export function programAws(world: World, place: ProgramPlace, transport: Transport): ProgramAws {
  if (transport === 'sdk') return overTheWire(world, place);
  if (transport === 'direct') return direct(world, place);
  return transport.mix(overTheWire(world, place), directWithIds(world, place), place.clock);
}

function overTheWire(world: World, place: ProgramPlace): ProgramAws {
  const credentials = async () => place.credentials();
  // Of its own: what else a program draws does not depend on what went wrong with its calls.
  const random = place.random.fork('calls to AWS');
  const config = {
    ...inProcessClientConfig(world, world.rootCredentials),
    // The SDK keeps keys without an end for ever, and those of a role are renewed: it asks for them at each call.
    credentials: async () => ({ ...place.credentials(), expiration: new Date(0) }),
    requestHandler: requestHandlerOver(place.http, { clock: place.clock }),
    retryStrategy: retriesOn(place.clock, random),
  };
  const signed: SignedConfig = {
    region: async () => world.aws.region,
    credentials,
    clock: place.clock,
    random,
    send: (request) => sendInProcess(place.http, request),
  };
  return {
    autoscaling: sdkCalls(autoScalingSdk, config),
    ec2: signedCalls(ec2, signed),
    logs: signedCalls(logs, signed),
    monitoring: sdkCalls(cloudWatchSdk, config),
    s3: signedCalls(s3, signed),
    secretsmanager: sdkCalls(secretsManagerSdk, config),
    ssm: sdkCalls(ssmSdk, config),
  };
}

export async function sendInProcess(http: HttpHandler, { url, method, headers, body, bytes }: SignedRequest) {
  const content = bytes === undefined ? Buffer.from(body) : await collect(bytes);
  const response = await http({ method, host: url.host, path: url.pathname, query: '', headers, body: content });
  const text = typeof response.body === 'string' ? response.body : Buffer.from(response.body).toString('utf8');
  return { status: response.status, headers: response.headers, body: text };
}

/** Without the wire, but with the ids that it would have given: the next call over the wire gets the same id either way. */
export const directWithIds = (world: World, place: ProgramPlace): ProgramAws =>
  direct(world, place, () => void drawRequestId(world));

/** The responses of a dead program's calls do not reach it, and it makes no more. */
function direct(world: World, place: ProgramPlace, beforeCall = () => {}): ProgramAws {
  const calls = directCalls(world, () => ({
    credentials: place.credentials(),
    ...(place.process === undefined ? {} : { process: place.process }),
  }));
  return everyService((service) => async (operation, input) => {
    if (!place.alive()) return await never;
    beforeCall();
    const output = await (calls[service] as AnyCall)(operation, input);
    return place.alive() ? output : await never;
  });
}
