import { AwsError } from './errors.ts';
import table from './members.json' with { type: 'json' };
import properties from './properties.json' with { type: 'json' };
import type { ResourceProvider, ResourceProviders, ResourceRequest, ServiceId } from './service.ts';

/** Nothing is asked for by a member that is absent, false or empty. */
const given = (value: unknown) =>
  value !== undefined && value !== null && value !== false && !(Array.isArray(value) && value.length === 0);

/** Refuses members that are given but not modelled: silent acceptance would hide faults. */
export function requireModelled(what: string, members: object, modelled: readonly string[]): void {
  for (const [name, value] of Object.entries(members))
    if (given(value) && !modelled.includes(name))
      throw new AwsError('NotImplemented', `the embedded cloud does not model the parameter ${name} of ${what}`, 501);
}

/** By service and operation: the members of the input that its code reads. */
export const inputMembers: Readonly<Record<ServiceId, Readonly<Record<string, readonly string[]>>>> = table;

/** Refuses members of a request that the operation's code does not read. */
export function requireModelledInput(service: ServiceId, operation: string, input: unknown): void {
  if (typeof input === 'object' && input !== null)
    requireModelled(`${service}:${operation}`, input, inputMembers[service][operation] ?? []);
}

/** By resource type: the properties that its provider reads. */
const resourceProperties: Readonly<Record<string, readonly string[]>> = properties;

/** Providers that refuse properties which they would ignore. Types that are not in the table check their properties themselves. */
export const withModelledProperties = (providers: ResourceProviders): ResourceProviders =>
  Object.fromEntries(
    Object.entries(providers).map(([type, provider]) => {
      const modelled = resourceProperties[type];
      return [type, modelled === undefined ? provider : withProperties(type, modelled, provider)];
    }),
  );

function withProperties(type: string, modelled: readonly string[], provider: ResourceProvider): ResourceProvider {
  const checked =
    <Request extends ResourceRequest, State>(act: (request: Request) => State) =>
    (request: Request) => {
      requireModelled(type, request.properties, modelled);
      return act(request);
    };
  return {
    create: checked((request) => provider.create(request)),
    ...(provider.update === undefined ? {} : { update: checked(provider.update.bind(provider)) }),
    delete: (request) => provider.delete(request),
  };
}
