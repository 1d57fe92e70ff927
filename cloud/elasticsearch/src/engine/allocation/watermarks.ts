import type { SettingsView } from '../coordination/settings.ts';
import { parseBytes, parsePercent } from '../values/units.ts';

export type WatermarkName = 'low' | 'high' | 'flood_stage';

export interface Watermark {
  readonly key: string;
  readonly text: string;
  /** Free bytes below which a disk of this size is over the mark. */
  minimumFree(totalBytes: number): number;
}

/**
 * A disk watermark ("Cluster-level shard allocation: disk-based"): a percentage of used space or an amount of free space.
 * The maximum headroom caps what a default percentage keeps free on a large disk.
 */
export function watermark(settings: SettingsView, name: WatermarkName): Watermark {
  const key = `cluster.routing.allocation.disk.watermark.${name}`;
  const text = settings.text(key);
  const bytes = parseBytes(text);
  const percent = parsePercent(text) ?? 100;
  const capped = settings.isSet(`${key}.max_headroom`) || !settings.isSet(key);
  const headroom = capped ? settings.bytes(`${key}.max_headroom`) : Number.POSITIVE_INFINITY;
  return {
    key,
    text,
    minimumFree: (totalBytes) => bytes ?? Math.min(totalBytes - Math.floor((totalBytes * percent) / 100), headroom),
  };
}
