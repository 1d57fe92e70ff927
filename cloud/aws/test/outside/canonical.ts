import type { NormalizedSchema } from '../../src/wire/schema/sdk-schemas.ts';
import { members } from '../../src/wire/schema/service-model.ts';

/** Inputs and outputs as JSON in which dates and bytes differ from text: `{"$date": ms}`, `{"$bytes": hex}`. */
export type Canonical = unknown;

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const mapped = (value: Json, map: (held: unknown) => unknown): Json =>
  Object.fromEntries(Object.entries(value).map(([name, held]) => [name, map(held)]));

export function decode(value: Canonical): unknown {
  if (Array.isArray(value)) return value.map(decode);
  if (!isObject(value)) return value;
  if ('$date' in value) return new Date(value.$date as number);
  if ('$bytes' in value) return Buffer.from(value.$bytes as string, 'hex');
  return mapped(value, decode);
}

export function encode(value: unknown): Canonical {
  if (value instanceof Date) return { $date: value.getTime() };
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString('hex') };
  if (Array.isArray(value)) return value.map(encode);
  return isObject(value) ? mapped(value, encode) : value;
}

/** Without the members that the schema does not have: models of different years differ. */
export function known(value: Canonical, schema: NormalizedSchema): Canonical {
  if (Array.isArray(value)) return value.map((item) => known(item, schema.getValueSchema()));
  if (!isObject(value) || '$date' in value || '$bytes' in value || schema.isDocumentSchema()) return value;
  if (schema.isMapSchema()) return mapped(value, (held) => known(held, schema.getValueSchema()));
  const held = (schema.isUnitSchema() ? [] : members(schema)).filter(([name]) => value[name] !== undefined);
  return Object.fromEntries(held.map(([name, member]) => [name, known(value[name], member)]));
}

/** Without absent and ignored members, and without what is empty: Query has no form for it, and an absent body is an empty stream. */
export function pruned(value: Canonical, ignored: ReadonlySet<string>): Canonical {
  if (Array.isArray(value))
    return nonEmpty(value.map((item) => pruned(item, ignored)).filter((item) => item !== undefined));
  if (!isObject(value)) return value ?? undefined;
  if (value.$bytes === '') return undefined;
  const left = Object.entries(value)
    .filter(([name]) => !ignored.has(name))
    .map(([name, held]) => [name, pruned(held, ignored)])
    .filter(([, held]) => held !== undefined);
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

const nonEmpty = (list: unknown[]) => (list.length === 0 ? undefined : list);

/** Where two values differ, one line each. */
export function differences(actual: Canonical, expected: Canonical, path = ''): string[] {
  if (typeof actual === 'object' && typeof expected === 'object' && actual !== null && expected !== null) {
    const names = new Set([...Object.keys(actual), ...Object.keys(expected)]);
    const [a, b] = [actual as Json, expected as Json];
    return [...names].flatMap((name) => differences(a[name], b[name], `${path}.${name}`));
  }
  return Object.is(actual, expected) ? [] : [`${path} is ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`];
}
