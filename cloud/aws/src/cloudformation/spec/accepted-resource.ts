import type { ArnScope } from '../../account/arn.ts';
import { ResourceFailure } from '../../account/errors.ts';
import type { ResourceProvider, ResourceRequest, ResourceState } from '../../account/service.ts';
import { type Attribute, type ResourceSpec, specOf } from './resource-spec.ts';

/**
 * A resource type without behaviour: its properties are checked against the specification, it gets an id and attributes
 * of plausible shape, and nothing else happens. A type of a service that is modelled is refused: the service would
 * silently not do what the template says.
 */
export const acceptedProvider = (scope: ArnScope, isModelled: (namespace: string) => boolean): ResourceProvider => ({
  shapeOnly: true,
  create: (request) => {
    if (isModelled(request.type.split('::').slice(0, 2).join('::')))
      throw new ResourceFailure(`the embedded cloud does not model ${request.type}`);
    return stateOf(request, scope, request.generateName(64));
  },
  update: (request) => ({ physicalId: request.physicalId }),
  delete: () => {},
});

function stateOf(request: ResourceRequest, scope: ArnScope, name: string): ResourceState {
  const spec = specOf(request.type);
  if (spec === undefined) return { physicalId: name };
  const identifiers = spec.cfnRefIdentifier ?? spec.primaryIdentifier ?? [];
  const ownName = identifiers.map((key) => request.properties[key]).find((each) => typeof each === 'string') ?? name;
  const valueFor = (key: string) => request.properties[key] ?? attributeValue(request.type, scope, spec, key, ownName);
  const physicalId = identifiers.length === 0 ? name : identifiers.map((key) => String(valueFor(key))).join('|');
  return {
    physicalId,
    attributes: Object.fromEntries(Object.keys(spec.attributes).map((key) => [key, valueFor(key)])),
  };
}

function attributeValue(type: string, scope: ArnScope, spec: ResourceSpec, key: string, name: string): unknown {
  const plain = plainDefault(spec.attributes[key]);
  if (plain !== undefined) return plain;
  if (!/arn$/i.test(key)) return name;
  const [, service = '', kind = ''] = type.split('::').map((part) => part.toLowerCase());
  if (spec.arnTemplate === undefined) return `arn:aws:${service}:${scope.region}:${scope.accountId}:${kind}/${name}`;
  return spec.arnTemplate.replace(/\$\{(\w+)\}/g, (_all, part: string) => arnPart(part, scope, name));
}

/** Attributes that are no text. */
function plainDefault(attribute: Attribute | undefined): unknown {
  const type = attribute?.type.type;
  if (type === 'number' || type === 'integer') return 0;
  if (type === 'boolean') return false;
  if (type === 'array') return [];
  return type === 'map' || type === 'json' || type === 'ref' ? {} : undefined;
}

const arnPart = (part: string, scope: ArnScope, name: string): string =>
  ({ Partition: 'aws', Region: scope.region, Account: scope.accountId })[part] ?? name;
