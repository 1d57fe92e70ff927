import { type Refusal, refuse, TransientError } from '@drover/core';
import type { ShardCopy } from '../../model/shard.ts';
import type { NodeDisk, Watermark } from '../../model/topology.ts';
import { type Topology, takersOf } from '../../model/topology.ts';
import type { DiskSettings } from '../../ports.ts';
import { remedyFor } from './remedies.ts';

export interface DiskFacts {
  readonly nodeId: string;
  readonly topology: Topology;
  /** Nodes that take no shards because they leave too. */
  readonly leaving: ReadonlySet<string>;
  readonly copies: readonly ShardCopy[];
  readonly disks: readonly NodeDisk[];
  /** Undefined when disk-based allocation is off. */
  readonly lowWatermark: Watermark | undefined;
}

export interface DiskForecast {
  /** Bytes that have to move: copies that at least one other node lacks. */
  readonly bytesToMove: number;
  /** Free bytes below the low watermark on the nodes that stay; undefined without watermark. */
  readonly bytesFree: number | undefined;
}

/** Adds up what must move and what the others can take. */
export function forecastDisk(facts: DiskFacts): DiskForecast {
  const takers = takersOf(facts.topology, facts.nodeId, facts.leaving);
  const holders = holdersOf(facts.copies);
  const bytesToMove = facts.copies
    .filter((copy) => copy.nodeId === facts.nodeId)
    .filter((copy) => takers.some((node) => !holders.get(keyOf(copy))!.has(node.id)))
    .reduce((sum, copy) => sum + copy.bytes, 0);
  const { lowWatermark } = facts;
  if (lowWatermark === undefined) return { bytesToMove, bytesFree: undefined };
  const bytesFree = facts.disks
    .filter((disk) => takers.some((node) => node.id === disk.nodeId))
    .reduce((sum, disk) => sum + headroom(disk, lowWatermark), 0);
  return { bytesToMove, bytesFree };
}

/** Refuses when the others would be pushed over the low watermark: indices then become read-only soon after. */
export function checkDisk(facts: DiskFacts): Refusal<'disk-watermark'> | undefined {
  const { bytesToMove, bytesFree } = forecastDisk(facts);
  if (bytesFree === undefined || bytesToMove <= bytesFree) return undefined;
  return refuse(
    'disk-watermark',
    `${gib(bytesToMove)} have to move from node ${facts.nodeId}, but the other nodes take only ${gib(bytesFree)} below the low disk watermark (decider disk_threshold)`,
    remedyFor({ decider: 'disk_threshold', explanation: '' }, { index: '_all' }),
  );
}

const keyOf = (copy: ShardCopy) => `${copy.index}/${copy.shard}`;

function holdersOf(copies: readonly ShardCopy[]): Map<string, Set<string>> {
  const holders = new Map<string, Set<string>>();
  for (const copy of copies) {
    const nodes = holders.get(keyOf(copy)) ?? new Set<string>();
    if (copy.nodeId !== undefined) nodes.add(copy.nodeId);
    holders.set(keyOf(copy), nodes);
  }
  return holders;
}

export const gib = (bytes: number) => `${(bytes / 2 ** 30).toFixed(1)} GiB`;

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

export function mustStayFree(disk: NodeDisk, watermark: Watermark): number {
  if (watermark.kind === 'free-bytes') return watermark.bytes;
  return Math.min(disk.totalBytes * (1 - watermark.share), watermark.maxHeadroomBytes ?? Number.POSITIVE_INFINITY);
}
