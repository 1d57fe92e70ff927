import type { Document, Value } from '@drover/formats';
import { isDocument } from './value.ts';

/** Nested objects as one object with dotted keys; arrays stay, scalars become text, null stays null. */
export function flattenSettings(value: Document, prefix = ''): Record<string, string | readonly string[] | null> {
  const flat: Record<string, string | readonly string[] | null> = {};
  for (const [key, member] of Object.entries(value)) {
    const path = prefix + key;
    if (isDocument(member)) Object.assign(flat, flattenSettings(member, `${path}.`));
    else if (Array.isArray(member)) flat[path] = (member as readonly Value[]).map(scalarText);
    else flat[path] = member === null || member === undefined ? null : scalarText(member);
  }
  return flat;
}

const scalarText = (value: Value) => (typeof value === 'string' ? value : String(value));

/**
 * Dotted keys as nested objects. A key that is both a value and a prefix of others stays dotted at that point,
 * as Elasticsearch shows `http.type` beside `http.type.default`.
 */
export function nestSettings(flat: Readonly<Record<string, Value>>): Document {
  const root: Record<string, Value> = {};
  for (const key of Object.keys(flat)) place(root, key.split('.'), flat[key], flat, '');
  return root;
}

function place(
  into: Record<string, Value>,
  path: string[],
  value: Value,
  flat: Readonly<Record<string, Value>>,
  prefix: string,
): void {
  const [head, ...rest] = path as [string, ...string[]];
  if (rest.length === 0) {
    into[head] = value;
    return;
  }
  if (flat[prefix + head] !== undefined) {
    into[path.join('.')] = value;
    return;
  }
  into[head] ??= {};
  const child = into[head] as Record<string, Value>;
  place(child, rest, value, flat, `${prefix}${head}.`);
}
