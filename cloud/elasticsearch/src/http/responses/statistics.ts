import { atLeast } from '../../engine/state/versions.ts';
import { Double, isXObject, type XObject, type XValue } from '../../engine/values/value.ts';
import templates from './statistics.json' with { type: 'json' };

const cache = new Map<string, XObject>();

/**
 * What a server of this version shows before anything has been counted. In the file `field@8.16.0` is a field that
 * servers have since that version, `field@<8.0.0` one that older servers have.
 */
export function zeroStatistics(name: keyof typeof templates, version: string): XObject {
  const key = `${name} ${version}`;
  let found = cache.get(key);
  if (found === undefined) {
    found = ofVersion(templates[name], version) as XObject;
    cache.set(key, found);
  }
  return found;
}

function ofVersion(value: XValue, version: string): XValue {
  if (value === '0.0') return new Double(0);
  if (value === 'lowest long') return -9223372036854775808n;
  if (!isXObject(value)) return value;
  const kept: Record<string, XValue> = {};
  for (const [key, member] of Object.entries(value)) {
    const [name, range = '0'] = key.split('@') as [string, string | undefined];
    const has = range.startsWith('<') ? !atLeast(version, range.slice(1)) : atLeast(version, range);
    if (has) kept[name] = ofVersion(member, version);
  }
  return kept;
}

/** The template with what is known put in; what its version does not have is left out. */
export function patched(template: XObject, known: XObject): XObject {
  const result: Record<string, XValue> = {};
  for (const [key, value] of Object.entries(template)) {
    const change = known[key];
    const deep = isXObject(value) && isXObject(change) && Object.keys(value).length > 0;
    result[key] = change === undefined ? value : deep ? patched(value, change) : change;
  }
  return result;
}
