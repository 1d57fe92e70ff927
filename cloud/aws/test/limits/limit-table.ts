import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { ServiceId } from '@drover/cloud-aws';
import { World } from '@drover/cloud-world';
import { type LimitTable, type ShapeLimits, wholePattern } from '../../src/account/limits.ts';

/** A shape as botocore's service models describe it. */
interface Shape {
  readonly type: string;
  readonly members?: Readonly<Record<string, { readonly shape: string }>>;
  readonly member?: { readonly shape: string };
  readonly key?: { readonly shape: string };
  readonly value?: { readonly shape: string };
  readonly enum?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  readonly pattern?: string;
  readonly required?: readonly string[];
}
interface Model {
  readonly operations: Readonly<Record<string, { readonly input?: { readonly shape: string } }>>;
  readonly shapes: Readonly<Record<string, Shape>>;
}

/** Folders of botocore where they are not called by the signing name. */
const folders: Partial<Record<ServiceId, string>> = { elasticloadbalancing: 'elbv2', monitoring: 'cloudwatch' };
/** Longer enumerations (instance types) are the business of the service's own catalog. */
const longestEnum = 200;

/** The limits of all modelled operations, from the service models in botocore's `data` folder. */
export function limitTable(dataFolder: string): LimitTable {
  const { services } = new World().aws;
  const table: Record<string, unknown> = {};
  for (const service of Object.keys(services).sort() as ServiceId[])
    table[service] = serviceLimits(readModel(dataFolder, service), Object.keys(services[service].operations).sort());
  return table as LimitTable;
}

function readModel(dataFolder: string, service: ServiceId): Model {
  const folder = `${dataFolder}/${folders[service] ?? service}`;
  const version = readdirSync(folder).sort().at(-1)!;
  const file = readdirSync(`${folder}/${version}`).find((name) => name.startsWith('service-2.json'))!;
  const bytes = readFileSync(`${folder}/${version}/${file}`);
  return JSON.parse((file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()) as Model;
}

function serviceLimits({ operations, shapes }: Model, modelled: readonly string[]) {
  const limited = new Set<string>();
  // Shapes may contain themselves: the set grows until nothing is added.
  for (let before = -1; before !== limited.size; ) {
    before = limited.size;
    for (const [name, shape] of Object.entries(shapes)) if (hasLimit(shape, limited)) limited.add(name);
  }
  const used = new Set<string>();
  const visit = (name: string | undefined) => {
    if (name === undefined || !limited.has(name) || used.has(name)) return;
    used.add(name);
    for (const part of partsOf(shapes[name]!)) visit(part);
  };
  const inputs = modelled.map((name) => [name, operations[name]?.input?.shape] as const);
  for (const [, input] of inputs) visit(input);
  const isInput = new Set(inputs.map(([, input]) => input));
  return {
    operations: Object.fromEntries(inputs.map(([name, input = '']) => [name, used.has(input) ? input : ''])),
    shapes: Object.fromEntries(
      [...used]
        .sort()
        .map((name) => [name, limitsOf(isInput.has(name) ? topLevel(shapes[name]!) : shapes[name]!, limited)]),
    ),
  };
}

/** The SDK's schemas know which members of an input itself are required. */
const topLevel = ({ required: _, ...shape }: Shape): Shape => shape;

const partsOf = ({ members = {}, member, key, value }: Shape): string[] =>
  [...Object.values(members), member, key, value].flatMap((part) => (part === undefined ? [] : [part.shape]));

const hasLimit = (shape: Shape, limited: ReadonlySet<string>): boolean =>
  Object.keys(ownLimits(shape)).length > 0 || partsOf(shape).some((part) => limited.has(part));

function ownLimits({
  type,
  min,
  max,
  enum: values,
  pattern,
  required = [],
}: Shape): Omit<ShapeLimits, 'members' | 'item'> {
  if (type === 'structure') return required.length === 0 ? {} : { required };
  if (type === 'boolean' || type === 'timestamp') return {};
  const readable = pattern === undefined ? undefined : javascriptPattern(pattern);
  return {
    ...(min === undefined || (min === 0 && type !== 'integer') ? {} : { min }),
    ...(max === undefined ? {} : { max }),
    ...(values === undefined || values.length > longestEnum ? {} : { enum: values }),
    ...(readable === undefined ? {} : { pattern: readable }),
  };
}

function limitsOf(shape: Shape, limited: ReadonlySet<string>): ShapeLimits {
  const limitedOnly = (name: string | undefined) => (name !== undefined && limited.has(name) ? name : undefined);
  const members = Object.entries(shape.members ?? {}).filter(([, { shape: name }]) => limited.has(name));
  const item = limitedOnly(shape.member?.shape ?? shape.value?.shape);
  const key = limitedOnly(shape.key?.shape);
  return {
    ...ownLimits(shape),
    ...(members.length === 0
      ? {}
      : { members: Object.fromEntries(members.map(([name, { shape: of }]) => [name, of])) }),
    ...(item === undefined ? {} : { item }),
    ...(key === undefined ? {} : { key }),
  };
}

const unreadable = new Set<string>();

/** AWS writes patterns for Java. One that allows everything, or that JavaScript cannot read, is left out. */
function javascriptPattern(pattern: string): string | undefined {
  if (/^\^?(\[\\s\\S\]|\.|\[\\S\\s\])[*+]?\$?$/.test(pattern)) return undefined;
  const source = pattern
    .replace(/\\A/g, '^')
    .replace(/\\[zZ]/g, '$')
    .replace('\\uD800\\uDC00-\\uDBFF\\uDFFF', '\\u{10000}-\\u{10FFFF}');
  try {
    wholePattern(source);
    return source;
  } catch {
    if (!unreadable.has(pattern)) console.error(`left out, as JavaScript cannot read it: ${pattern}`);
    unreadable.add(pattern);
    return undefined;
  }
}
