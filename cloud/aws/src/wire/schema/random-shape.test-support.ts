import type { Random } from '@drover/core';
import type { NormalizedSchema } from './sdk-schemas.ts';
import { members, requiredCount } from './service-model.ts';

/** How deep structures nest before only their required members are filled. */
const deepest = 4;

/** Members whose values cannot be just anything, by name: a value, or undefined to leave it out. */
export type FixedMembers = Readonly<Record<string, unknown>>;

interface Draw {
  readonly random: Random;
  readonly fixed: FixedMembers;
}

/** A random value of a schema's shape: every member with a chance of three in four, deeper ones less. */
export function randomValue(schema: NormalizedSchema, random: Random, fixed: FixedMembers = {}): unknown {
  return draw(schema, { random, fixed }, 0);
}

function draw(schema: NormalizedSchema, from: Draw, depth: number): unknown {
  if (schema.isUnitSchema()) return {};
  const fixed = fixedValue(schema, from.fixed);
  if (fixed !== undefined) return fixed.value;
  if (schema.isStructSchema()) return randomStructure(schema, from, depth);
  if (schema.isListSchema()) return randomList(schema, from, depth);
  if (schema.isMapSchema()) return randomMap(schema, from, depth);
  return randomScalar(schema, from.random);
}

function fixedValue(schema: NormalizedSchema, fixed: FixedMembers): { readonly value: unknown } | undefined {
  const name = schema.getMemberName();
  if (name === undefined || !Object.hasOwn(fixed, name)) return undefined;
  const value = fixed[name];
  return value === undefined || schema.isStringSchema() ? { value } : undefined;
}

function randomStructure(schema: NormalizedSchema, from: Draw, depth: number): Record<string, unknown> {
  const { random } = from;
  const all = members(schema);
  if (schema.isUnionSchema()) {
    const [name, member] = random.pick(all);
    return { [name]: draw(member, from, depth + 1) };
  }
  const required = requiredCount(schema);
  const chosen = all.filter(
    ([, member], index) => index < required || member.isIdempotencyToken() || wanted(member, random, depth),
  );
  // Query cannot carry an empty structure.
  if (chosen.length === 0) chosen.push(...onlyMember(all, depth));
  return Object.fromEntries(chosen.map(([name, member]) => [name, draw(member, from, depth + 1)]));
}

function wanted(member: NormalizedSchema, random: Random, depth: number): boolean {
  if (depth > deepest) return false;
  return random.chance(isLeaf(member) ? 0.75 : 0.75 / (1 + depth / 2));
}

/** A leaf, or else the first member, unless the shape contains itself without end. */
function onlyMember(all: readonly [string, NormalizedSchema][], depth: number): [string, NormalizedSchema][] {
  const leaf = all.find(([, member]) => isLeaf(member));
  if (leaf !== undefined) return [leaf];
  return depth < 2 * deepest ? all.slice(0, 1) : [];
}

const isLeaf = (member: NormalizedSchema) =>
  !member.isStructSchema() && !member.isListSchema() && !member.isMapSchema();

function randomList(schema: NormalizedSchema, from: Draw, depth: number): unknown[] {
  const length = depth > deepest ? 1 : from.random.int(1, 2);
  return Array.from({ length }, () => draw(schema.getValueSchema(), from, depth + 1));
}

function randomMap(schema: NormalizedSchema, from: Draw, depth: number): Record<string, unknown> {
  const { random } = from;
  const entries = Array.from({ length: random.int(1, 2) }, (_, index): [string, unknown] => {
    const isHeader = schema.getMergedTraits().httpPrefixHeaders !== undefined;
    const key = isHeader ? `key-${random.hex(4)}` : `${index}${randomText(random)}`;
    return [key, isHeader ? headerText(random) : draw(schema.getValueSchema(), from, depth + 1)];
  });
  return Object.fromEntries(entries);
}

function randomScalar(schema: NormalizedSchema, random: Random): unknown {
  const traits = schema.getMergedTraits();
  if (schema.isStringSchema()) return traits.httpHeader || traits.hostLabel ? headerText(random) : randomText(random);
  if (schema.isNumericSchema()) return traits.httpResponseCode ? random.pick([200, 202]) : randomNumber(random);
  if (schema.isBooleanSchema()) return random.chance(0.5);
  if (schema.isBlobSchema()) return Buffer.from(random.hex(2 * random.int(1, 12)), 'hex');
  if (schema.isTimestampSchema()) return randomDate(schema, random);
  if (schema.isBigIntegerSchema()) return BigInt(random.int(0, 1e9));
  return { document: [randomText(random), random.int(0, 9), true] };
}

const alphabet = [...'abcXYZ019 -_.:/=+,;&<>"\'%#?@!*()[]{}|~$^`\\äß漢😀'];

/** Text with everything that some protocol must escape; never blank at its ends, which XML and headers do not keep. */
function randomText(random: Random): string {
  const middle = Array.from({ length: random.int(0, 8) }, () => random.pick(alphabet)).join('');
  return `t${middle}${random.int(0, 9)}`;
}

const headerText = (random: Random) => `h${random.hex(6)}`;

const randomNumber = (random: Random) => random.int(-1000, 100_000) / (random.chance(0.2) ? 4 : 1);

/** Whole seconds where the format has no more. */
function randomDate(schema: NormalizedSchema, random: Random): Date {
  const isPlain = schema.getSchema() === 4 && !schema.getMergedTraits().httpHeader;
  const second = Date.UTC(2026, 0, 1) + 1000 * random.int(0, 30_000_000);
  return new Date(isPlain && random.chance(0.5) ? second + random.int(0, 999) : second);
}

/** Without absent and ignored members, and without the empty structures, lists and maps that Query cannot carry. */
export function pruned(value: unknown, ignored: FixedMembers = {}): unknown {
  if (value === undefined || value === null || typeof value !== 'object') return value;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString('hex')}`;
  if (Array.isArray(value)) return prunedList(value, ignored);
  const entries = Object.entries(value)
    .filter(([name]) => name !== '$metadata' && !(Object.hasOwn(ignored, name) && ignored[name] === undefined))
    .map(([name, held]) => [name, pruned(held, ignored)])
    .filter(([, held]) => held !== undefined && held !== null);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function prunedList(value: readonly unknown[], ignored: FixedMembers): unknown[] | undefined {
  const left = value.map((item) => pruned(item, ignored)).filter((item) => item !== undefined);
  return left.length === 0 ? undefined : left;
}
