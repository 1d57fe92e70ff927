import { TransientError } from '@drover/core';
import type { NodeDisk, Watermark } from '../model/disk.ts';
import type { DiskSettings } from '../ports.ts';

const units: Readonly<Record<string, number>> = {
  b: 1,
  kb: 2 ** 10,
  mb: 2 ** 20,
  gb: 2 ** 30,
  tb: 2 ** 40,
  pb: 2 ** 50,
};

/** `10gb`, `512mb`, `1024`: a size as Elasticsearch writes it ("Byte size units"); undefined when it is none. */
export function parseByteSize(text: string): number | undefined {
  const match = /^\s*(\d+(?:\.\d+)?)\s*([kmgtp]?b?)\s*$/i.exec(text);
  if (match === null) return undefined;
  const unit = match[2]!.toLowerCase();
  const factor = units[unit === '' ? 'b' : unit.endsWith('b') ? unit : `${unit}b`];
  return factor === undefined ? undefined : Number(match[1]) * factor;
}

/**
 * The low watermark in any of its spellings: `85%`, `0.85`, or bytes that must stay free (`50gb`); a maximum headroom
 * limits the free space that a share asks for (Elasticsearch reference, "Disk-based shard allocation settings").
 */
export function parseWatermark(text: string, maxHeadroom?: string): Watermark | undefined {
  const percent = /^\s*(\d+(?:\.\d+)?)\s*%\s*$/.exec(text);
  const share = percent === null ? Number(text) : Number(percent[1]) / 100;
  if (Number.isFinite(share) && share > 0 && share <= 1) return usedShare(share, maxHeadroom);
  const bytes = parseByteSize(text);
  return bytes === undefined ? undefined : { kind: 'free-bytes', bytes };
}

/** The low watermark in force; undefined when disk-based allocation is off. */
export function lowWatermark(settings: DiskSettings): Watermark | undefined {
  if (!settings.enabled) return undefined;
  const watermark = settings.low === undefined ? undefined : parseWatermark(settings.low, settings.lowMaxHeadroom);
  if (watermark === undefined) throw new TransientError(`the low disk watermark ${settings.low} cannot be read`);
  return watermark;
}

function usedShare(share: number, maxHeadroom: string | undefined): Watermark {
  const bytes = maxHeadroom === undefined ? undefined : parseByteSize(maxHeadroom);
  return bytes === undefined ? { kind: 'used-share', share } : { kind: 'used-share', share, maxHeadroomBytes: bytes };
}

/** How many bytes a node takes before the watermark stops further shards. */
export function headroom(disk: NodeDisk, watermark: Watermark): number {
  return Math.max(0, disk.availableBytes - mustStayFree(disk, watermark));
}

function mustStayFree(disk: NodeDisk, watermark: Watermark): number {
  if (watermark.kind === 'free-bytes') return watermark.bytes;
  return Math.min(disk.totalBytes * (1 - watermark.share), watermark.maxHeadroomBytes ?? Number.POSITIVE_INFINITY);
}
