import table from './limits.json' with { type: 'json' };
import type { ServiceId } from './service.ts';

/** The limits of one shape: of a string's or list's length, of a number's value, and of its parts by the names of their shapes. */
export interface ShapeLimits {
  readonly min?: number;
  readonly max?: number;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly required?: readonly string[];
  readonly members?: Readonly<Record<string, string>>;
  /** Of a list's elements or a map's values. */
  readonly item?: string;
  /** Of a map's keys. */
  readonly key?: string;
}

/** By service: the shapes of its modelled operations' inputs. `npm run generate` writes them from botocore's models. */
export type LimitTable = Readonly<
  Record<
    ServiceId,
    { readonly operations: Readonly<Record<string, string>>; readonly shapes: Readonly<Record<string, ShapeLimits>> }
  >
>;

/** A violated limit, as AWS words it. */
export interface Violation {
  /** `filters.1.member.values` */
  readonly path: string;
  readonly value: unknown;
  readonly constraint: string;
}

type Check = (value: unknown, path: string, found: Violation[]) => void;

const limits = table as unknown as LimitTable;
const checks = new Map<string, Check>();

/** Everything in an input that is beyond a limit of the operation: enumerations, lengths, ranges and patterns. */
export function violations(service: ServiceId, operation: string, input: unknown): readonly Violation[] {
  const shape = limits[service].operations[operation];
  if (shape === undefined || shape === '') return [];
  const found: Violation[] = [];
  checkOf(service, shape)(input, '', found);
  return found;
}

/** Made when first needed: most operations are never called in a world. Looked up when called, for shapes may contain themselves. */
function checkOf(service: ServiceId, shape: string): Check {
  const key = `${service} ${shape}`;
  const check = checks.get(key) ?? compile(service, limits[service].shapes[shape]!);
  checks.set(key, check);
  return check;
}

function compile(service: ServiceId, shape: ShapeLimits): Check {
  const members = Object.entries(shape.members ?? {});
  const { item, key, required = [] } = shape;
  const own = compileOwn(shape);
  return (value, path, found) => {
    own(value, path, found);
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return;
    for (const name of required)
      if (((value as Record<string, unknown>)[name] ?? null) === null)
        found.push({ path: join(path, lowerFirst(name)), value: null, constraint: 'Member must not be null' });
    for (const [name, of] of members) {
      const held = (value as Record<string, unknown>)[name];
      if (held !== undefined && held !== null) checkOf(service, of)(held, join(path, lowerFirst(name)), found);
    }
    if (item === undefined && key === undefined) return;
    const entries = Array.isArray(value)
      ? value.map((one, index) => [`${index + 1}.member`, one])
      : Object.entries(value);
    for (const [name, held] of entries) {
      if (key !== undefined) checkOf(service, key)(name, path, found);
      if (item !== undefined && held !== undefined && held !== null)
        checkOf(service, item)(held, join(path, name), found);
    }
  };
}

function compileOwn({ min, max, enum: values, pattern }: ShapeLimits): Check {
  const allowed = values && new Set(values);
  const regular = pattern === undefined ? undefined : wholePattern(pattern);
  return (value, path, found) => {
    const add = (constraint: string) => found.push({ path, value, constraint: `Member must ${constraint}` });
    const size = sizeOf(value);
    const measure = typeof value === 'number' ? 'value' : 'length';
    if (max !== undefined && size > max) add(`have ${measure} less than or equal to ${max}`);
    if (min !== undefined && size < min) add(`have ${measure} greater than or equal to ${min}`);
    if (typeof value !== 'string') return;
    if (regular?.test(value) === false) add(`satisfy regular expression pattern: ${pattern}`);
    if (allowed?.has(value) === false) add(`satisfy enum value set: [${values!.join(', ')}]`);
  };
}

/** A pattern that must match the whole value. */
export const wholePattern = (source: string) => new RegExp(`^(?:${source})$`, /\\[pu]\{/.test(source) ? 'u' : '');

function sizeOf(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'string' || Array.isArray(value) || value instanceof Uint8Array) return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}

const join = (path: string, step: string) => (path === '' ? step : `${path}.${step}`);
const lowerFirst = (name: string) => name.charAt(0).toLowerCase() + name.slice(1);
