import { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import { type FleetClients, sdkClients } from '@drover/adapters/fleet/clients';
import type { Clock } from '@drover/core';
import type { HttpHandler, KillableProcess, World } from '@drover/embedded-cloud';
import { inProcess } from './in-process.ts';

/** `sdk`: every call through the real SDK and the wire. `direct`: straight to the service, for days with thousands of calls. */
export type Transport = 'sdk' | 'direct';

/** A program's place in the world: its network, its clock, its role's credentials. */
export interface ProgramPlace {
  readonly http: HttpHandler;
  readonly clock: Clock;
  readonly process: KillableProcess | undefined;
  credentials(): Keys;
}

export interface Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** The AWS clients of a program in the world. */
export function programClients(world: World, place: ProgramPlace, transport: Transport): FleetClients {
  const config = inProcess(world, place.http, place.clock, async () => place.credentials());
  if (transport === 'sdk') return sdkClients(config);
  const caller = {
    get credentials() {
      return place.credentials();
    },
    ...(place.process === undefined ? {} : { process: place.process }),
  };
  const direct = (service: Parameters<World['aws']['directClient']>[0]) =>
    world.aws.directClient(service, caller) as never;
  // The few calls that are signed by hand borrow this client's configuration.
  const neighbour = new AutoScalingClient(config as never);
  return {
    autoscaling: Object.assign(direct('autoscaling'), { config: neighbour.config }),
    cloudwatch: direct('monitoring'),
    secrets: direct('secretsmanager'),
    ssm: direct('ssm'),
  };
}
