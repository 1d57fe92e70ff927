import { Double, type Value } from '@drover/formats';
import { javaDouble } from '../../engine/values/value.ts';

/** Compact JSON, as Elasticsearch writes it. */
export function writeJson(value: Value): string {
  if (value === null || value === undefined) return 'null';
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'number':
      return Number.isInteger(value) && !Object.is(value, -0) ? integerText(value) : javaDouble(value);
    case 'boolean':
    case 'bigint':
      return String(value);
  }
  if (Array.isArray(value)) return `[${(value as readonly Value[]).map(writeJson).join(',')}]`;
  const scalar = scalarObject(value);
  if (scalar !== undefined) return scalar;
  let text = '';
  for (const key of Object.keys(value)) {
    const member = (value as Record<string, Value>)[key];
    if (member !== undefined) text += `${text === '' ? '' : ','}${quoted(key)}:${writeJson(member)}`;
  }
  return `{${text}}`;
}

const names = new Map<string, string>();

/** Names of members come again and again. */
function quoted(name: string): string {
  let text = names.get(name);
  if (text === undefined) {
    text = JSON.stringify(name);
    if (names.size < 10_000) names.set(name, text);
  }
  return text;
}

/** JSON in Jackson's default pretty printing, for `?pretty`. */
export function writePrettyJson(value: Value): string {
  return `${pretty(value, '')}\n`;
}

function pretty(value: Value, indent: string): string {
  if (typeof value !== 'object' || value === null) return writeJson(value);
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    if (value.length === 0) return '[ ]';
    return `[\n${value.map((item) => inner + pretty(item, inner)).join(',\n')}\n${indent}]`;
  }
  const scalar = scalarObject(value);
  if (scalar !== undefined) return scalar;
  const members = Object.entries(value as Record<string, Value>).filter(([, member]) => member !== undefined);
  if (members.length === 0) return '{ }';
  const lines = members.map(([key, member]) => `${inner}${JSON.stringify(key)} : ${pretty(member, inner)}`);
  return `{\n${lines.join(',\n')}\n${indent}}`;
}

function scalarObject(value: object): string | undefined {
  if (value instanceof Double) return javaDouble(value.value);
  if (value instanceof Uint8Array) return JSON.stringify(Buffer.from(value).toString('base64'));
  return undefined;
}

/** Longs that a JavaScript number still holds exactly are written without an exponent. */
function integerText(value: number): string {
  return Math.abs(value) < 1e21 ? String(value) : BigInt(value).toString();
}
