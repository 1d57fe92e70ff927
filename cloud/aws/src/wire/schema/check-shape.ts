import { remember } from '../remember.ts';
import type { NormalizedSchema } from './sdk-schemas.ts';
import { members, requiredCount } from './service-model.ts';

/** A value that does not have the shape its schema demands. */
export class ShapeMismatch extends Error {
  /** Where, in the way AWS writes it: `tags.1.member.key`. */
  readonly path: readonly string[];
  readonly kind: 'missing' | 'type' | 'unknown';

  constructor(kind: ShapeMismatch['kind'], path: readonly string[], message: string) {
    super(message);
    this.kind = kind;
    this.path = path;
  }
}

/** Throws unless every required member is there and every value has its type. Enums, lengths and patterns are not in the schema. */
export function checkInput(schema: NormalizedSchema, value: unknown): void {
  check(schema, value, [], { required: true, unknown: false });
}

/** Throws when an output would be sent wrongly or not at all: a wrong type, or a member that the schema does not have. */
export function checkOutput(schema: NormalizedSchema, value: unknown): void {
  check(schema, value, [], { required: false, unknown: true });
}

interface Strictness {
  readonly required: boolean;
  readonly unknown: boolean;
}

function check(schema: NormalizedSchema, value: unknown, path: string[], strictness: Strictness): void {
  if (schema.isDocumentSchema() || schema.isUnitSchema()) return;
  if (schema.isStructSchema()) checkStructure(schema, value, path, strictness);
  else if (schema.isListSchema()) checkList(schema, value, path, strictness);
  else if (schema.isMapSchema()) checkMap(schema, value, path, strictness);
  else checkScalar(scalarType(schema), value, path);
}

function checkScalar(expected: ScalarType, value: unknown, path: string[]): void {
  if (!isScalar(expected, value)) throw mismatch(path, expected, value);
}

function checkStructure(schema: NormalizedSchema, value: unknown, path: string[], strictness: Strictness): void {
  if (!isRecord(value)) throw mismatch(path, 'structure', value);
  let required = strictness.required ? requiredCount(schema) : 0;
  for (const [name, member] of schema.structIterator()) {
    const held = value[name];
    const isRequired = required-- > 0;
    if (held !== undefined && held !== null) checkAt(name, member, held, path, strictness);
    else if (isRequired) throw new ShapeMismatch('missing', [...path, name], `${[...path, name].join('.')} is missing`);
  }
  if (strictness.unknown) refuseUnknown(schema, value, path);
}

const memberNames = new WeakMap<object, ReadonlySet<string>>();

function refuseUnknown(schema: NormalizedSchema, value: Record<string, unknown>, path: string[]): void {
  const known = remember(
    memberNames,
    schema.getSchema() as object,
    () => new Set(members(schema).map(([name]) => name)),
  );
  for (const name of Object.keys(value)) {
    if (known.has(name) || name.startsWith('$') || value[name] === undefined) continue;
    const message = `${[...path, name].join('.')} is no member of ${schema.getName() ?? 'the output'}`;
    throw new ShapeMismatch('unknown', [...path, name], message);
  }
}

function checkList(schema: NormalizedSchema, value: unknown, path: string[], strictness: Strictness): void {
  if (!Array.isArray(value)) throw mismatch(path, 'list', value);
  const element = schema.getValueSchema();
  for (const [index, item] of value.entries())
    if (item !== null && item !== undefined) checkAt(String(index + 1), element, item, path, strictness);
}

function checkMap(schema: NormalizedSchema, value: unknown, path: string[], strictness: Strictness): void {
  if (!isRecord(value)) throw mismatch(path, 'map', value);
  const element = schema.getValueSchema();
  for (const [key, item] of Object.entries(value))
    if (item !== null && item !== undefined) checkAt(key, element, item, path, strictness);
}

function checkAt(step: string, schema: NormalizedSchema, value: unknown, path: string[], strictness: Strictness): void {
  path.push(step);
  check(schema, value, path, strictness);
  path.pop();
}

type ScalarType = 'string' | 'number' | 'boolean' | 'blob' | 'timestamp' | 'bigint' | 'decimal';

function scalarType(schema: NormalizedSchema): ScalarType {
  if (schema.isStringSchema()) return 'string';
  if (schema.isNumericSchema()) return 'number';
  if (schema.isBooleanSchema()) return 'boolean';
  if (schema.isBlobSchema()) return 'blob';
  if (schema.isTimestampSchema()) return 'timestamp';
  return schema.isBigIntegerSchema() ? 'bigint' : 'decimal';
}

function isScalar(expected: ScalarType, value: unknown): boolean {
  if (expected === 'blob') return value instanceof Uint8Array;
  if (expected === 'timestamp') return value instanceof Date && !Number.isNaN(value.getTime());
  if (expected === 'decimal') return true;
  return typeof value === expected;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);

function mismatch(path: readonly string[], expected: string, value: unknown): ShapeMismatch {
  const found = value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value;
  return new ShapeMismatch('type', [...path], `${path.join('.') || 'the body'} must be a ${expected}, not a ${found}`);
}
