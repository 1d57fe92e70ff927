import { type FleetClients, sdkClients } from '@drover/adapters/fleet/clients';
import { inProcessClientConfig, requestHandlerOver } from '@drover/cloud-aws';
import { type HttpHandler, type KillableProcess, never } from '@drover/cloud-engine';
import type { World } from '@drover/cloud-world';
import type { Clock } from '@drover/core';
import { directRequestHandler } from './direct-requests.ts';

/** `sdk`: every call through the real SDK and the wire. `direct`: straight to the service, for days with thousands of calls. */
export type Transport = 'sdk' | 'direct';

/** A program's place in the world: its network, its clock, its role's credentials. */
export interface ProgramPlace {
  readonly http: HttpHandler;
  readonly clock: Clock;
  readonly process: KillableProcess | undefined;
  /** A dead program's calls reach no service, and no response reaches it. */
  alive(): boolean;
  credentials(): Keys;
}

export interface Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** The AWS clients of a program in the world. */
export function programClients(world: World, place: ProgramPlace, transport: Transport): FleetClients {
  if (transport === 'sdk') return sdkClients(wireConfig(world, place));
  const caller = {
    get credentials() {
      return place.credentials();
    },
    ...(place.process === undefined ? {} : { process: place.process }),
  };
  const living = async <T>(act: () => Promise<T>): Promise<T> => {
    if (!place.alive()) return await never;
    const answer = await act();
    return place.alive() ? answer : await never;
  };
  const direct = (service: Parameters<World['aws']['directClient']>[0]) => {
    const client = world.aws.directClient(service, caller);
    return { send: (command: { readonly input?: unknown }) => living(() => client.send(command)) } as never;
  };
  const { handle } = directRequestHandler(world, caller);
  // The few calls that are signed by hand borrow this client's configuration.
  const config = {
    region: async () => world.aws.region,
    credentials: async () => place.credentials(),
    sign: (request: { readonly headers: Readonly<Record<string, string>> }) => ({ ...request.headers }),
    requestHandler: { handle: (request: Parameters<typeof handle>[0]) => living(() => handle(request)) },
  };
  return {
    autoscaling: Object.assign(direct('autoscaling'), { config }),
    cloudwatch: direct('monitoring'),
    secrets: direct('secretsmanager'),
    ssm: direct('ssm'),
  };
}

/** Configuration of SDK clients for a program in the world: its own network, its role's credentials, nothing to look up in files. */
const wireConfig = (world: World, { http, clock, credentials }: ProgramPlace) => ({
  ...inProcessClientConfig(world, world.rootCredentials),
  credentials: async () => credentials(),
  requestHandler: requestHandlerOver(http, { clock }),
});
