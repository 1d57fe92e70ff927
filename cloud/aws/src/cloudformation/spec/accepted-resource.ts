import type { ArnScope } from '../../account/arn.ts';
import { ResourceFailure } from '../../account/errors.ts';
import type { ResourceProvider, ResourceRequest, ResourceState } from '../../account/service.ts';
import { type ResourceSpec, specOf } from './resource-spec.ts';

/**
 * A resource type without behaviour: its properties are checked against the specification, and nothing else happens. A
 * type of a service that is modelled is refused: the service would silently not do what the template says.
 */
export const acceptedProvider = (scope: ArnScope, isModelled: (namespace: string) => boolean): ResourceProvider => ({
  create: (request) => {
    if (isModelled(request.type.split('::').slice(0, 2).join('::')))
      throw new ResourceFailure(`the embedded cloud does not model ${request.type}`);
    const spec = specOf(request.type);
    return spec === undefined ? { physicalId: request.generateName(64) } : stateOf(request, scope, spec);
  },
  update: (request) => ({ physicalId: request.physicalId }),
  delete: () => {},
});

function stateOf(request: ResourceRequest, scope: ArnScope, spec: ResourceSpec): ResourceState {
  const known = knownValues(request, scope, spec);
  const parts = (spec.cfnRefIdentifier ?? spec.primaryIdentifier ?? []).map(known);
  const isKnown = parts.length > 0 && !parts.includes(undefined);
  const attributes = Object.keys(spec.attributes).map((key) => [key, known(key)] as const);
  return {
    ...(isKnown ? { physicalId: parts.join('|') } : { physicalId: request.generateName(64), refIsUnknown: true }),
    attributes: Object.fromEntries(attributes.filter(([, value]) => value !== undefined)),
  };
}

/**
 * The values that template and specification determine: given properties, the name that CloudFormation generates, an ARN
 * whose pattern has only such parts, and ids, which mean nothing but themselves. URLs, addresses and the rest are the
 * service's own.
 */
function knownValues({ type, properties, generateName }: ResourceRequest, scope: ArnScope, spec: ResourceSpec) {
  const kind = type.split('::')[2];
  const names = [`${kind}Name`, 'Name'];
  const nameKey = [...names, ...(spec.primaryIdentifier ?? [])].find((key) => key in spec.properties);
  const values: Record<string, unknown> = { ...properties, Partition: 'aws', Region: scope.region };
  values.Account = scope.accountId;
  const known = (key: string): unknown => {
    values[key] ??= determined(key);
    return values[key];
  };
  const determined = (key: string): unknown => {
    if (key === nameKey) return generateName(64);
    if (nameKey !== undefined && names.includes(key)) return known(nameKey);
    if (key === 'Arn' || key === `${kind}Arn`) return arn();
    return key.endsWith('Id') && key in spec.attributes ? generateName(12).toLowerCase() : undefined;
  };
  const arn = (): string | undefined => {
    const parts = spec.arnTemplate?.split(/\$\{(\w+)\}/).map((part, at) => (at % 2 === 0 ? part : known(part)));
    return parts?.includes(undefined) ? undefined : parts?.join('');
  };
  return known;
}
