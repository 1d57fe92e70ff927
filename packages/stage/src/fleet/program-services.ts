import type { AwsCalls, FleetAws } from '@drover/adapters/aws';
import type { Clock } from '@drover/core';

/**
 * `sdk`: every call through the clients of production and the wire. `direct`: straight to the service, for days with
 * thousands of calls. Both, one of them chosen for each call, only in a quick replay.
 */
export type Transport = 'sdk' | 'direct' | MixedTransport;

export interface MixedTransport {
  mix(wire: ProgramAws, direct: ProgramAws, clock: Clock): ProgramAws;
}

/** The services of a fleet's functions and of its agents. */
export type ProgramAws = FleetAws & Pick<AwsCalls, 'logs'>;

/** A call of any service, where its types do not matter. */
export type AnyCall = (operation: string, input: object) => Promise<unknown>;

/** The same for every service. */
export function everyService(callsOf: (service: keyof ProgramAws) => AnyCall): ProgramAws {
  const make = <Service extends keyof ProgramAws>(service: Service) => callsOf(service) as unknown as AwsCalls[Service];
  return {
    autoscaling: make('autoscaling'),
    ec2: make('ec2'),
    logs: make('logs'),
    monitoring: make('monitoring'),
    s3: make('s3'),
    secretsmanager: make('secretsmanager'),
    ssm: make('ssm'),
  };
}
