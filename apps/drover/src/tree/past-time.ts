import type { Since } from '@drover/operator/fleet/function-log';

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `7d`, or a moment. Undefined when the text is neither. */
export function readPastTime(text: string): Since | undefined {
  const [, count, unit] = /^([1-9]\d{0,3})([mhd])$/.exec(text) ?? [];
  if (unit !== undefined) return (now) => now - Number(count) * units[unit]!;
  const moment = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(moment) ? undefined : () => moment;
}
