import { type Refusal, refuse } from '@drover/core';
import type { NodeDisk, Watermark } from '../model/disk.ts';
import type { ShardCopy } from '../model/shard.ts';
import { isDataNode, type Topology } from '../model/topology.ts';
import { remedyFor } from './remedies.ts';
import { headroom } from './watermark.ts';

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
  /** What has to move: copies that at least one other node lacks. */
  readonly bytesToMove: number;
  /** What the nodes that stay can take below the low watermark; undefined without watermark. */
  readonly bytesFree: number | undefined;
}

/** Adds up what must move and what the others can take. */
export function forecastDisk(facts: DiskFacts): DiskForecast {
  const takers = facts.topology.nodes.filter(
    (node) => isDataNode(node) && node.id !== facts.nodeId && !facts.leaving.has(node.id),
  );
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

const gib = (bytes: number) => `${(bytes / 2 ** 30).toFixed(1)} GiB`;
