import { formatBytes, formatTime } from '../../engine/values/units.ts';
import { isXObject, type XValue } from '../../engine/values/value.ts';
import type { Call } from '../call.ts';

/** With `?human`, puts the readable twin before every size and duration: `total` before `total_in_bytes`. */
export function withHuman(call: Call, body: XValue): XValue {
  return call.human ? add(body) : body;
}

function add(value: XValue): XValue {
  if (Array.isArray(value)) return (value as readonly XValue[]).map(add);
  if (!isXObject(value)) return value;
  const result: Record<string, XValue> = {};
  for (const [key, member] of Object.entries(value)) {
    const twin = twinOf(key, member);
    if (twin !== undefined && value[twin[0]] === undefined) result[twin[0]] = twin[1];
    result[key] = add(member);
  }
  return result;
}

function twinOf(key: string, value: XValue): [string, string] | undefined {
  if (typeof value !== 'number') return undefined;
  if (key.endsWith('_in_bytes')) return [key.slice(0, -9), formatBytes(value)];
  return key.endsWith('_in_millis') ? [key.slice(0, -10), formatTime(value)] : undefined;
}
