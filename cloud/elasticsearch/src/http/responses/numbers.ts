import { formatBytes, formatTime, isoTime } from '../../engine/values/units.ts';
import type { XObject } from '../../engine/values/value.ts';

/** `88.8%`: one decimal, rounded down unless it is whole. */
export function percentText(percent: number): string {
  return `${(Math.floor(percent * 10) / 10).toFixed(1)}%`;
}

/** A duration in milliseconds, with its readable twin before it when asked for. */
export function millis(human: boolean, name: string, field: string, ms: number): XObject {
  return { ...(human ? { [name]: formatTime(ms) } : {}), [field]: Math.round(ms) };
}

export function bytes(human: boolean, name: string, field: string, value: number): XObject {
  return { ...(human ? { [name]: formatBytes(value) } : {}), [field]: Math.round(value) };
}

export function moment(human: boolean, name: string, field: string, ms: number): XObject {
  return { ...(human ? { [name]: isoTime(ms) } : {}), [field]: ms };
}
