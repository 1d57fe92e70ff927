import type { Since } from '@drover/operator/fleet/function-log';
import { InvalidArgumentError } from 'commander';

const numberWithin = (least: number, most: number) => (text: string) => {
  if (/^\d+$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
  throw new InvalidArgumentError(`allowed is a whole number from ${least} to ${most}`);
};
export const portNumber = numberWithin(1, 65_533);
export const speedFactor = numberWithin(1, 3_600);
export const jobRate = numberWithin(0, 10_000);
export const replayHours = numberWithin(1, 744);
export const fixedCount = numberWithin(1, 10_000);
export const waitSeconds = numberWithin(1, 86_400);
export const watchSeconds = numberWithin(1, 3_600);
export const volumeSize = numberWithin(1, 16_384);

export function reclaimRate(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text) && Number(text) <= 1_440) return Number(text);
  throw new InvalidArgumentError('allowed is a number from 0 to 1440');
}

export function wholeNumber(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('allowed is a whole number of minutes');
  return Number(text);
}

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

export function pastTime(text: string): Since {
  const [, count, unit] = /^([1-9]\d{0,3})([mhd])$/.exec(text) ?? [];
  if (unit !== undefined) return (now) => now - Number(count) * units[unit]!;
  const moment = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(moment)) return () => moment;
  throw new InvalidArgumentError('allowed are 90m, 6h, 7d, or a time such as 2026-11-15T08:00Z');
}
