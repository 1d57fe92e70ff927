import type { Resolved } from '../template/functions/scope.ts';
import { definitionOf, isCustom, isFreeForm, type Property, type PropertyType, specOf } from './resource-spec.ts';

interface CheckedProperties {
  /** With text, numbers and booleans turned into what the specification says, as CloudFormation does. */
  readonly properties: Record<string, Resolved>;
  /** The violations, in the words of CloudFormation's schema validator. */
  readonly problems: readonly string[];
}

interface Checked {
  readonly value: Resolved;
  readonly problems: readonly string[];
}

type ResolvedObject = Record<string, Resolved>;

/** Checks properties against the type's specification: unknown names, missing names, wrong types. */
export function checkProperties(type: string, properties: ResolvedObject): CheckedProperties {
  if (isFreeForm(type)) {
    const complete = !isCustom(type) || typeof properties.ServiceToken === 'string';
    return { properties, problems: complete ? [] : ['#: required key [ServiceToken] not found'] };
  }
  const spec = specOf(type);
  if (spec === undefined) return { properties, problems: [`#: unknown resource type ${type}`] };
  const { value, problems } = checkMembers(spec.properties, properties, '#');
  return { properties: value as ResolvedObject, problems };
}

function checkMembers(members: Record<string, Property>, given: ResolvedObject, path: string): Checked {
  const unknown = Object.keys(given).filter((name) => !(name in members));
  const missing = Object.keys(members).filter((name) => members[name]!.required === true && given[name] === undefined);
  const problems = [
    ...missing.map((name) => `${path}: required key [${name}] not found`),
    ...unknown.map((name) => `${path}: extraneous key [${name}] is not permitted`),
  ];
  const value: ResolvedObject = {};
  for (const [name, each] of Object.entries(given)) {
    const property = members[name];
    const checked = property === undefined ? accept(each) : checkAny(typesOf(property), each, `${path}/${name}`);
    value[name] = checked.value;
    problems.push(...checked.problems);
  }
  return { value, problems };
}

const accept = (value: Resolved): Checked => ({ value, problems: [] });

/** The current type first, then types that older templates may still use. */
const typesOf = (property: Property): PropertyType[] => [property.type, ...(property.previousTypes ?? [])];

/** A value is right when one of the types takes it; otherwise the first type says what is wrong. */
function checkAny(types: readonly PropertyType[], value: Resolved, path: string): Checked {
  const results = types.map((type) => checkType(type, value, path));
  return results.find((each) => each.problems.length === 0) ?? results[0]!;
}

function checkType(type: PropertyType, value: Resolved, path: string): Checked {
  switch (type.type) {
    case 'json':
    case 'null':
      return accept(value);
    case 'string':
    case 'date-time':
      return isScalar(value) ? accept(String(value)) : wrong('String', value, path);
    case 'number':
    case 'integer':
      return checkNumber(value, path, type.type === 'integer');
    case 'boolean':
      return checkBoolean(value, path);
    case 'union':
      return checkAny(type.types, value, path);
    case 'array':
      return checkArray(type.element, value, path);
    case 'map':
      return checkMap(type.element, value, path);
    case 'tag':
      return checkMembers(tagMembers, asObject(value), path);
    case 'ref':
      return isPlainObject(value)
        ? checkMembers(definitionOf(type).properties, value, path)
        : wrong('JSONObject', value, path);
  }
}

const tagMembers: Record<string, Property> = {
  Key: { type: { type: 'string' }, required: true },
  Value: { type: { type: 'string' }, required: true },
};

const isScalar = (value: Resolved) => ['string', 'number', 'boolean'].includes(typeof value);

const isPlainObject = (value: Resolved): value is ResolvedObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const asObject = (value: Resolved): ResolvedObject => (isPlainObject(value) ? value : {});

function checkNumber(value: Resolved, path: string, whole: boolean): Checked {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || Number.isNaN(number)) return wrong('Number', value, path);
  if (whole && !Number.isInteger(number)) return wrong('Integer', value, path);
  return accept(number);
}

function checkBoolean(value: Resolved, path: string): Checked {
  if (typeof value === 'boolean') return accept(value);
  if (value === 'true' || value === 'false') return accept(value === 'true');
  return wrong('Boolean', value, path);
}

function checkArray(element: PropertyType, value: Resolved, path: string): Checked {
  if (!Array.isArray(value)) return wrong('JSONArray', value, path);
  const items = value.map((each, i) => checkType(element, each, `${path}/${i}`));
  return { value: items.map((each) => each.value), problems: items.flatMap((each) => each.problems) };
}

function checkMap(element: PropertyType, value: Resolved, path: string): Checked {
  if (!isPlainObject(value)) return wrong('JSONObject', value, path);
  const items = Object.entries(value).map(([key, each]) => [key, checkType(element, each, `${path}/${key}`)] as const);
  return {
    value: Object.fromEntries(items.map(([key, each]) => [key, each.value])),
    problems: items.flatMap(([, each]) => each.problems),
  };
}

const wrong = (expected: string, value: Resolved, path: string): Checked => ({
  value,
  problems: [`${path}: expected type: ${expected}, found: ${typeName(value)}`],
});

function typeName(value: Resolved): string {
  if (Array.isArray(value)) return 'JSONArray';
  if (typeof value === 'object') return 'JSONObject';
  return typeof value === 'string' ? 'String' : typeof value === 'boolean' ? 'Boolean' : 'Number';
}
