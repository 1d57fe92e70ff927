import type { Property, PropertyType } from '@aws-cdk/service-spec-types';
import { World } from '@drover/cloud-world';
import { expect, it } from 'vitest';
import { isCustom, type ModelledSpecs, type ResourceSpec, specification } from './resource-spec.ts';

type Properties = Readonly<Record<string, Property>>;
type Mutable<T> = { -readonly [Key in keyof T]: Record<string, T[Key][keyof T[Key]]> };

const mapped = <T, U>(values: Readonly<Record<string, T>>, map: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));

/** Without what nothing reads: documentation, limits of values, patterns. */
function typeOf(type: PropertyType): PropertyType {
  if (type.type === 'array' || type.type === 'map') return { type: type.type, element: typeOf(type.element) };
  if (type.type === 'union') return { type: 'union', types: type.types.map(typeOf) };
  return type.type === 'ref' ? { type: 'ref', reference: type.reference } : ({ type: type.type } as PropertyType);
}

const propertyOf = ({ type, previousTypes, required, causesReplacement }: Property) => ({
  type: typeOf(type),
  ...(previousTypes === undefined ? {} : { previousTypes: previousTypes.map(typeOf) }),
  ...(required === true ? { required } : {}),
  ...(causesReplacement === undefined ? {} : { causesReplacement }),
});

function extract(types: readonly string[]): ModelledSpecs {
  const specs: Mutable<ModelledSpecs> = { resources: {}, definitions: {} };
  const follow = (type: PropertyType): void => {
    if (type.type === 'array' || type.type === 'map') follow(type.element);
    if (type.type === 'union') type.types.forEach(follow);
    if (type.type !== 'ref' || specs.definitions[type.reference.$ref] !== undefined) return;
    const { properties } = specification().get('typeDefinition', type.reference);
    specs.definitions[type.reference.$ref] = { properties: mapped(properties, propertyOf) };
    followAll(properties);
  };
  const followAll = (properties: Properties) =>
    Object.values(properties).forEach(({ type, previousTypes = [] }) => {
      [type, ...previousTypes].forEach(follow);
    });
  for (const name of types) {
    const [spec] = specification().lookup('resource', 'cloudFormationType', 'equals', name) as readonly ResourceSpec[];
    if (spec === undefined) continue;
    followAll(spec.properties);
    const { additionalReplacementProperties, arnTemplate, cfnRefIdentifier, primaryIdentifier, tagInformation } = spec;
    specs.resources[name] = {
      properties: mapped(spec.properties, propertyOf),
      attributes: mapped(spec.attributes, ({ type }) => ({ type: typeOf(type) })),
      ...JSON.parse(
        JSON.stringify({
          additionalReplacementProperties,
          arnTemplate,
          cfnRefIdentifier,
          primaryIdentifier,
          tagInformation,
        }),
      ),
    };
  }
  return specs;
}

/** One line for each type. */
const written = ({ resources, definitions }: ModelledSpecs): string => {
  const lines = (values: object) =>
    Object.entries(values)
      .map(([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)}`)
      .join(',\n');
  return `{\n  "resources": {\n${lines(resources)}\n  },\n  "definitions": {\n${lines(definitions)}\n  }\n}\n`;
};

it('the kept specification of each modelled resource type is that of the package; vitest run -u takes it over', async () => {
  const types = Object.keys(new World().aws.resources).filter((type) => !isCustom(type));

  await expect(written(extract(types.sort()))).toMatchFileSnapshot('resource-types.snap.json');
});
