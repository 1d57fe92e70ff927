import type { AwsCalls, FleetAws } from '@drover/adapters/aws';
import { autoScalingSdk, cloudWatchSdk, sdkCalls, secretsManagerSdk, ssmSdk } from '@drover/adapters/aws/sdk';
import { ec2, logs, type SignedConfig, type SignedRequest, s3, signedCalls } from '@drover/adapters/aws/signed';
import { drawRequestId, inProcessClientConfig, requestHandlerOver } from '@drover/cloud-aws';
import { type HttpHandler, type KillableProcess, never } from '@drover/cloud-engine';
import type { World } from '@drover/cloud-world';
import type { Clock } from '@drover/core';
import { collect, directCalls } from './direct-calls.ts';

/** `sdk`: every call through the clients of production and the wire. `direct`: straight to the service, for days with thousands of calls. */
export type Transport = 'sdk' | 'direct';

/** One transport, or which one from call to call. */
export type ChosenTransport = Transport | (() => Transport);

/** A program's place in the world: its network, its clock, its role's credentials. */
export interface ProgramPlace {
  readonly http: HttpHandler;
  readonly clock: Clock;
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

/** The services of a fleet's functions and of its agents. */
export type ProgramAws = FleetAws & Pick<AwsCalls, 'logs'>;

/** AWS as a program in the world calls it. */
export function programAws(world: World, place: ProgramPlace, transport: ChosenTransport): ProgramAws {
  if (typeof transport === 'function') return chosenAtEachCall(world, place, transport);
  return transport === 'sdk' ? overTheWire(world, place) : direct(world, place);
}

/** Either way leaves the world in the same state: a call that skips the wire takes the id that the wire would have given it. */
function chosenAtEachCall(world: World, place: ProgramPlace, transport: () => Transport): ProgramAws {
  const [wire, straight] = [overTheWire(world, place), direct(world, place)];
  const either = <Service extends keyof ProgramAws>(service: Service): AwsCalls[Service] =>
    (async (operation: never, input: never) => {
      const skipsWire = transport() === 'direct';
      if (skipsWire && place.alive()) drawRequestId(world);
      const { [service]: call } = skipsWire ? straight : wire;
      return await (call as (operation: never, input: never) => Promise<unknown>)(operation, input);
    }) as AwsCalls[Service];
  return {
    autoscaling: either('autoscaling'),
    ec2: either('ec2'),
    logs: either('logs'),
    monitoring: either('monitoring'),
    s3: either('s3'),
    secretsmanager: either('secretsmanager'),
    ssm: either('ssm'),
  };
}

function overTheWire(world: World, place: ProgramPlace): ProgramAws {
  const credentials = async () => place.credentials();
  const config = {
    ...inProcessClientConfig(world, world.rootCredentials),
    credentials,
    requestHandler: requestHandlerOver(place.http, { clock: place.clock }),
  };
  const signed: SignedConfig = {
    region: async () => world.aws.region,
    credentials,
    clock: place.clock,
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

/** The responses of a dead program's calls do not reach it, and it makes no more. */
function direct(world: World, place: ProgramPlace): ProgramAws {
  const calls = directCalls(world, () => ({
    credentials: place.credentials(),
    ...(place.process === undefined ? {} : { process: place.process }),
  }));
  const whileAlive = <Service extends keyof ProgramAws>(service: Service): AwsCalls[Service] =>
    (async (operation: never, input: never) => {
      if (!place.alive()) return await never;
      const output = await (calls[service] as (operation: never, input: never) => Promise<unknown>)(operation, input);
      return place.alive() ? output : await never;
    }) as AwsCalls[Service];
  return {
    autoscaling: whileAlive('autoscaling'),
    ec2: whileAlive('ec2'),
    logs: whileAlive('logs'),
    monitoring: whileAlive('monitoring'),
    s3: whileAlive('s3'),
    secretsmanager: whileAlive('secretsmanager'),
    ssm: whileAlive('ssm'),
  };
}
