import { AwsError } from './errors.ts';
import table from './members.json' with { type: 'json' };
import type { ResourceProvider, ServiceId } from './service.ts';

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

/** A provider that refuses properties which it would ignore. */
function withProperties(type: string, modelled: readonly string[], provider: ResourceProvider): ResourceProvider {
  const update = provider.update?.bind(provider);
  return {
    create(request) {
      requireModelled(type, request.properties, modelled);
      return provider.create(request);
    },
    ...(update === undefined
      ? {}
      : {
          update(request) {
            requireModelled(type, request.properties, modelled);
            return update(request);
          },
        }),
    delete: (request) => provider.delete(request),
  };
}

/** Checks the properties of all providers of a service. */
export const withModelledProperties = (
  providers: Readonly<Record<string, ResourceProvider>>,
  properties: Readonly<Record<string, readonly string[]>>,
): Readonly<Record<string, ResourceProvider>> =>
  Object.fromEntries(
    Object.entries(providers).map(([type, provider]) => [type, withProperties(type, properties[type] ?? [], provider)]),
  );
