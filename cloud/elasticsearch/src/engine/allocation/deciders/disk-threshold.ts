import type { DiscoveryNode } from '../../state/node-info.ts';
import { isRelocationTarget, type ShardRouting } from '../../state/shard.ts';
import { formatBytes, oneDecimal } from '../../values/units.ts';
import { type AllocationContext, type Decider, type Decision, type DiskUsage, no, yes } from '../decision.ts';
import { type Watermark, watermark } from '../watermarks.ts';

const name = 'disk_threshold';

/** Above the low watermark a node gets no new shards; above the high watermark its shards are moved away. */
export const diskThreshold: Decider = {
  name,
  canAllocate(shard, node, context) {
    const disk = usage(node, context);
    if (disk === undefined) return yes(name, 'the disk threshold decider is disabled');
    const free = disk.freeBytes - comingBytes(node, shard, context);
    return (
      aboveWatermark(shard, { ...disk, freeBytes: free }, context) ??
      afterAllocation(shard, { ...disk, freeBytes: free }, context)
    );
  },
  canRemain(_shard, node, context) {
    const disk = usage(node, context);
    if (disk === undefined) return yes(name, 'the disk threshold decider is disabled');
    const high = watermark(context.settings, 'high');
    const free = disk.freeBytes + leavingBytes(node, context);
    const least = high.minimumFree(disk.totalBytes);
    if (free >= least)
      return yes(name, `there is enough disk on this node for the shard to remain, free: [${formatBytes(free)}]`);
    return no(
      name,
      `the shard cannot remain on this node because it is above the high watermark cluster setting [${high.key}=${high.text}] and there is less than the required [${formatBytes(least)}] free space on node, actual free: [${formatBytes(free)}], actual used: [${usedPercent(disk.totalBytes, free)}]`,
    );
  },
};

function usage(node: DiscoveryNode, { settings, info }: AllocationContext): DiskUsage | undefined {
  return settings.boolean('cluster.routing.allocation.disk.threshold_enabled') ? info.disk(node.id) : undefined;
}

function aboveWatermark(shard: ShardRouting, disk: DiskUsage, { settings }: AllocationContext): Decision | undefined {
  const low = watermark(settings, 'low');
  const high = watermark(settings, 'high');
  const overLow = disk.freeBytes < low.minimumFree(disk.totalBytes);
  const overHigh = disk.freeBytes < high.minimumFree(disk.totalBytes);
  if (!overLow) return undefined;
  if (!shard.primary || shard.recoverySource?.type !== 'EMPTY_STORE') return no(name, above('low', low, disk));
  if (!overHigh)
    return yes(
      name,
      'the node is above the low watermark, but less than the high watermark, and this primary shard has never been allocated before',
    );
  return no(name, above('high', high, disk));
}

function above(label: string, mark: Watermark, disk: DiskUsage): string {
  return `the node is above the ${label} watermark cluster setting [${mark.key}=${mark.text}], having less than the minimum required [${formatBytes(mark.minimumFree(disk.totalBytes))}] free space, actual free: [${formatBytes(disk.freeBytes)}], actual used: [${usedPercent(disk.totalBytes, disk.freeBytes)}]`;
}

function afterAllocation(shard: ShardRouting, disk: DiskUsage, { settings, info }: AllocationContext): Decision {
  const bytes = info.shardBytes(shard);
  const high = watermark(settings, 'high');
  const least = high.minimumFree(disk.totalBytes);
  const after = disk.freeBytes - bytes;
  const used = usedPercent(disk.totalBytes, disk.freeBytes);
  if (after < least)
    return no(
      name,
      `allocating the shard to this node will bring the node above the high watermark cluster setting [${high.key}=${high.text}] and cause it to have less than the minimum required [${formatBytes(least)}] of free space (free: [${formatBytes(disk.freeBytes)}], used: [${used}], estimated shard size: [${formatBytes(bytes)}])`,
    );
  return yes(
    name,
    `enough disk for shard on node, free: [${formatBytes(disk.freeBytes)}], used: [${used}], shard size: [${formatBytes(bytes)}], free after allocating shard: [${formatBytes(after)}]`,
  );
}

/** Bytes that shards on their way to the node will still take. */
function comingBytes(node: DiscoveryNode, except: ShardRouting, { routing, info }: AllocationContext): number {
  let bytes = 0;
  for (const shard of routing.on(node.id))
    if (
      shard.state === 'INITIALIZING' &&
      shard.allocationId !== except.allocationId &&
      shard.recoverySource?.type !== 'EMPTY_STORE'
    )
      bytes += info.shardBytes(shard);
  return bytes;
}

function leavingBytes(node: DiscoveryNode, { routing, info }: AllocationContext): number {
  let bytes = 0;
  for (const shard of routing.on(node.id))
    if (shard.state === 'RELOCATING' && !isRelocationTarget(shard)) bytes += info.shardBytes(shard);
  return bytes;
}

const usedPercent = (total: number, free: number) => `${oneDecimal(((total - free) * 100) / total)}%`;
