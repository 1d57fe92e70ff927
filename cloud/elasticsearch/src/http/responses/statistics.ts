import { type Document, Double, type Value } from '@drover/formats';
import { atLeast } from '../../engine/state/versions.ts';
import { isDocument } from '../../engine/values/value.ts';
import templates from './statistics.json' with { type: 'json' };

/** Parts of the server that nodes info lists separately from plugins; those that its behaviour here comes from. */
export const { modules } = templates;

const cache = new Map<string, Document>();

/**
 * The statistics of a server of this version before anything has been counted. In the file `field@8.16.0` is a field
 * that servers have since that version, `field@<8.0.0` one that older servers have.
 */
export function zeroStatistics(name: keyof typeof templates, version: string): Document {
  const key = `${name} ${version}`;
  let found = cache.get(key);
  if (found === undefined) {
    found = ofVersion(templates[name], version) as Document;
    cache.set(key, found);
  }
  return found;
}

function ofVersion(value: Value, version: string): Value {
  if (value === '0.0') return new Double(0);
  if (value === 'lowest long') return -9223372036854775808n;
  if (!isDocument(value)) return value;
  const kept: Record<string, Value> = {};
  for (const [key, member] of Object.entries(value)) {
    const [name, range = '0'] = key.split('@') as [string, string | undefined];
    const has = range.startsWith('<') ? !atLeast(version, range.slice(1)) : atLeast(version, range);
    if (has) kept[name] = ofVersion(member, version);
  }
  return kept;
}

/** The template with what is known put in; what its version does not have is left out. */
export function patched(template: Document, known: Document): Document {
  const result: Record<string, Value> = {};
  for (const [key, value] of Object.entries(template)) {
    const change = known[key];
    const deep = isDocument(value) && isDocument(change) && Object.keys(value).length > 0;
    result[key] = change === undefined ? value : deep ? patched(value, change) : change;
  }
  return result;
}
