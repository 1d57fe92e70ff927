import { AwsError } from '../../account/errors.ts';
import type { NormalizedSchema } from '../schema/sdk-schemas.ts';
import { members } from '../schema/service-model.ts';
import { type FormNode, numbered } from './form.ts';
import { readScalar } from './scalar-text.ts';

/**
 * Reads an input from a form. Query and EC2 differ in the names of keys and in lists, which EC2 always flattens
 * (Smithy specification, "AWS Query protocol" and "AWS EC2 query protocol").
 */
export interface QueryDialect {
  keyOf(member: NormalizedSchema, name: string): string;
  isFlat(list: NormalizedSchema): boolean;
  /** Whether a key that the operation does not know is left unread; EC2 refuses it ("Error codes for the Amazon EC2 API"). */
  ignores(key: string): boolean;
}

const unknownParameter = (key: string) =>
  new AwsError('UnknownParameter', `The parameter ${key} is not recognized`, 400);

export const awsQuery: QueryDialect = {
  keyOf: (member, name) => String(member.getMergedTraits().xmlName ?? name),
  isFlat: (list) => Boolean(list.getMergedTraits().xmlFlattened),
  ignores: () => true,
};

export const ec2Query: QueryDialect = {
  keyOf: (member, name) => {
    const { ec2QueryName, xmlName } = member.getMergedTraits();
    return String(ec2QueryName ?? capitalise(String(xmlName ?? name)));
  },
  isFlat: () => true,
  ignores: (key) => /^(Action|Version|AWSAccessKeyId|X-Amz-.*)$/.test(key),
};

const capitalise = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

export function readStructure(
  schema: NormalizedSchema,
  node: FormNode,
  dialect: QueryDialect,
): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  const left = new Set(node.children.keys());
  for (const [name, member] of members(schema)) {
    const key = dialect.keyOf(member, name);
    left.delete(key);
    const child = node.children.get(key);
    if (child !== undefined) result[name] = readValue(member, child, dialect);
  }
  for (const key of left) if (!dialect.ignores(key)) throw unknownParameter(key);
  return result;
}

function readValue(schema: NormalizedSchema, node: FormNode, dialect: QueryDialect): unknown {
  if (schema.isStructSchema()) return readStructure(schema, node, dialect);
  if (schema.isListSchema()) return readList(schema, node, dialect);
  if (schema.isMapSchema()) return readMap(schema, node, dialect);
  if (node.value === undefined) throw new Error('a single value was expected');
  return readScalar(schema, node.value, 'query-form');
}

function readList(schema: NormalizedSchema, node: FormNode, dialect: QueryDialect): unknown[] {
  const element = schema.getValueSchema();
  const holder = dialect.isFlat(schema) ? node : node.children.get(element.getMergedTraits().xmlName ?? 'member');
  return numbered(holder).map((item) => readValue(element, item, dialect));
}

function readMap(schema: NormalizedSchema, node: FormNode, dialect: QueryDialect): Record<string, unknown> {
  const [key, element] = [schema.getKeySchema(), schema.getValueSchema()];
  const [keyName, valueName] = [key.getMergedTraits().xmlName ?? 'key', element.getMergedTraits().xmlName ?? 'value'];
  const holder = schema.getMergedTraits().xmlFlattened ? node : node.children.get('entry');
  const entries = numbered(holder).map((entry): [string, unknown] => {
    const [name, value] = [entry.children.get(keyName)?.value, entry.children.get(valueName)];
    if (name === undefined) throw new Error('a map entry has no key');
    return [name, value === undefined ? undefined : readValue(element, value, dialect)];
  });
  return Object.fromEntries(entries);
}
