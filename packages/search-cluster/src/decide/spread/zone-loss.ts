import type { ShardCopy } from '../../model/shard.ts';
import type { NodeDisk, Watermark } from '../../model/topology.ts';
import { headroom } from '../drain/check-disk.ts';

export interface ZoneLossFacts {
  /** Data nodes that stay in the cluster, and where each is. */
  readonly nodes: readonly { readonly id: string; readonly zone: string }[];
  /** All copies, unassigned ones included. */
  readonly copies: readonly ShardCopy[];
  readonly disks: readonly NodeDisk[];
  /** Undefined when disk-based allocation is off. */
  readonly lowWatermark: Watermark | undefined;
  /** `cluster.routing.allocation.awareness.force.zone.values` */
  readonly forcedZones: readonly string[];
}

/** Effect on Elasticsearch of losing all data nodes of a zone. */
export interface ZoneLoss {
  readonly zone: string;
  /** Copies that it builds again in the other zones. */
  readonly needsBytes: number;
  /** Bytes that the nodes there take below the low watermark. */
  readonly freeBytes: number;
  /** Of what it needs: copies that would find no node with room for them. */
  readonly missingBytes: number;
}

/** The loss of each zone that has data nodes, in the order of their names. */
export function forecastZoneLosses(facts: ZoneLossFacts): readonly ZoneLoss[] {
  const zones = [...new Set(facts.nodes.map(({ zone }) => zone))].sort();
  return zones.map((zone) => forecast(zone, facts));
}

interface Taker {
  readonly id: string;
  readonly zone: string;
  free: number;
}

function forecast(lost: string, facts: ZoneLossFacts): ZoneLoss {
  const takers = facts.nodes
    .filter(({ zone }) => zone !== lost)
    .map((node) => ({ ...node, free: room(node.id, facts) }));
  const freeBytes = takers.reduce((sum, { free }) => sum + free, 0);
  let [needsBytes, missingBytes] = [0, 0];
  for (const shard of shardsOf(facts.copies)) {
    const { rebuilt, missing } = rebuild(shard, takers, facts.forcedZones);
    needsBytes += rebuilt;
    missingBytes += missing;
  }
  return { zone: lost, needsBytes, freeBytes, missingBytes };
}

function room(nodeId: string, { disks, lowWatermark }: ZoneLossFacts): number {
  const disk = disks.find((one) => one.nodeId === nodeId);
  if (disk === undefined) return 0;
  return lowWatermark === undefined ? disk.availableBytes : headroom(disk, lowWatermark);
}

/** The copies of each shard, the largest shard first: so they are placed most evenly. */
function shardsOf(copies: readonly ShardCopy[]): readonly (readonly ShardCopy[])[] {
  const shards = new Map<string, ShardCopy[]>();
  for (const copy of copies) {
    const name = `${copy.index}/${copy.shard}`;
    shards.set(name, [...(shards.get(name) ?? []), copy]);
  }
  return [...shards.values()].sort((a, b) => sizeOf(b) - sizeOf(a));
}

/** A copy that is not assigned has no size of its own. */
const sizeOf = (shard: readonly ShardCopy[]) => Math.max(0, ...shard.map(({ bytes }) => bytes));

/**
 * Puts the copies of one shard that are not on the takers where Elasticsearch allows it: one on each node, and on the nodes of a zone
 * at most the copies divided by the zones, rounded up (Elasticsearch reference, "Shard allocation awareness"). A zone without nodes
 * counts among the zones only when awareness is forced. A shard without a living copy stays lost.
 */
function rebuild(shard: readonly ShardCopy[], takers: readonly Taker[], forcedZones: readonly string[]) {
  const kept = takers.filter(({ id }) => shard.some(({ nodeId }) => nodeId === id));
  if (kept.length === 0) return { rebuilt: 0, missing: 0 };
  const zones = new Set([...takers.map(({ zone }) => zone), ...forcedZones]);
  const most = Math.ceil(shard.length / zones.size);
  const bytes = sizeOf(shard);
  let [rebuilt, missing] = [0, 0];
  const holders = [...kept];
  for (let copies = kept.length; copies < shard.length; copies++) {
    const open = takers.filter(
      (node) => !holders.includes(node) && holders.filter(({ zone }) => zone === node.zone).length < most,
    );
    if (open.length === 0) break;
    rebuilt += bytes;
    const [roomiest] = open.toSorted((a, b) => b.free - a.free);
    holders.push(roomiest!);
    if (roomiest!.free < bytes) missing += bytes;
    else roomiest!.free -= bytes;
  }
  return { rebuilt, missing };
}
