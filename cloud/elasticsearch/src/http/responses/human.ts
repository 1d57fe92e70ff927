import type { Document, Value } from '@drover/formats';
import { formatBytes, formatTime, isoTime } from '../../engine/values/units.ts';
import { isDocument } from '../../engine/values/value.ts';
import type { Call } from '../call.ts';

/** With `?human`, puts the readable twin before every size and duration: `total` before `total_in_bytes`. */
export function withHuman(call: Call, body: Value): Value {
  return call.human ? add(body) : body;
}

function add(value: Value): Value {
  if (Array.isArray(value)) return (value as readonly Value[]).map(add);
  if (!isDocument(value)) return value;
  const result: Record<string, Value> = {};
  for (const [key, member] of Object.entries(value)) {
    const twin = twinOf(key, member);
    if (twin !== undefined && value[twin[0]] === undefined) result[twin[0]] = twin[1];
    result[key] = add(member);
  }
  return result;
}

function twinOf(key: string, value: Value): [string, string] | undefined {
  if (typeof value !== 'number') return undefined;
  if (key.endsWith('_in_bytes')) return [key.slice(0, -9), formatBytes(value)];
  return key.endsWith('_in_millis') ? [key.slice(0, -10), formatTime(value)] : undefined;
}

/** `88.8%`: one decimal, rounded down unless it is whole. */
export function percentText(percent: number): string {
  return `${(Math.floor(percent * 10) / 10).toFixed(1)}%`;
}

/** A duration in milliseconds, preceded by its readable form with `human`. */
export function millis(human: boolean, name: string, field: string, ms: number): Document {
  return { ...(human ? { [name]: formatTime(ms) } : {}), [field]: Math.round(ms) };
}

export function bytes(human: boolean, name: string, field: string, value: number): Document {
  return { ...(human ? { [name]: formatBytes(value) } : {}), [field]: Math.round(value) };
}

export function moment(human: boolean, name: string, field: string, ms: number): Document {
  return { ...(human ? { [name]: isoTime(ms) } : {}), [field]: ms };
}
