import type { AwsCalls, FleetAws } from '@drover/adapters/aws';
import { turnOf } from '@drover/cloud-engine';
import type { Clock } from '@drover/core';

/** `sdk`: every call through the clients of production and the wire. `direct`: straight to the service, for days with thousands of calls. */
export type Transport = 'sdk' | 'direct';

/** Which transport a call takes. */
export type ChooseTransport = (service: keyof ProgramAws, operation: string) => Transport;

/** One transport, or which one each call takes. */
export type ChosenTransport = Transport | ChooseTransport;

/** The services of a fleet's functions and of its agents. */
export type ProgramAws = FleetAws & Pick<AwsCalls, 'logs'>;

/** A call of any service, where its types do not matter. */
export type AnyCall = (operation: string, input: object) => Promise<unknown>;

/** Each call goes the way that is chosen when it is made. */
export const eitherWay = (wire: ProgramAws, direct: ProgramAws, choose: ChooseTransport): ProgramAws =>
  everyService((service) => (operation, input) => {
    const { [service]: call } = choose(service, operation) === 'direct' ? direct : wire;
    return (call as AnyCall)(operation, input);
  });

/** Queues each call, so that what happens at the same moment keeps its order whichever way the call goes. */
export const inTurn = (calls: ProgramAws, clock: Clock): ProgramAws =>
  everyService((service) => async (operation, input) => {
    await turnOf(clock);
    try {
      return await (calls[service] as AnyCall)(operation, input);
    } finally {
      await turnOf(clock);
    }
  });

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
