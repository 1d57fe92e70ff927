import type { AllocationContext } from '../allocation/decision.ts';
import { explainAssigned, type MoveExplanation } from '../allocation/explain.ts';
import { allShards, type ClusterState, type ShutdownRecord } from '../state/cluster-state.ts';
import type { ShardRouting } from '../state/shard.ts';

export type ShutdownStatus = 'NOT_STARTED' | 'IN_PROGRESS' | 'STALLED' | 'COMPLETE';

/** How far the shards of a node that goes away have got ("Get shutdown API"). */
export interface ShardMigration {
  readonly status: ShutdownStatus;
  readonly remaining: number;
  readonly counts?: { readonly started: number; readonly relocating: number; readonly initializing: number };
  readonly explanation?: string;
  /** The shard whose decision stands beside the explanation. */
  readonly unmovable?: ShardRouting;
}

/** Decides the status of shard migration from the state alone. */
export function shardMigration(record: ShutdownRecord, context: AllocationContext): ShardMigration {
  const { state } = context;
  if (record.type === 'RESTART')
    return { status: 'COMPLETE', remaining: 0, explanation: 'no shard relocation is necessary for a node restart' };
  if (!state.nodes.has(record.nodeId) && !record.nodeSeen)
    return { status: 'NOT_STARTED', remaining: 0, explanation: 'node is not currently part of the cluster' };
  return lostShards(record, state) ?? movingShards(record.nodeId, context);
}

/** Shards that were last on the node and have no copy elsewhere that could stand in. */
function lostShards(record: ShutdownRecord, state: ClusterState): ShardMigration | undefined {
  const lost = [...allShards(state)].filter(
    (shard) =>
      shard.state === 'UNASSIGNED' &&
      shard.unassignedInfo?.lastNode === record.nodeId &&
      (shard.primary || !hasCopyElsewhere(state, shard)),
  );
  const [first] = lost;
  if (first === undefined) return undefined;
  return { status: 'STALLED', remaining: lost.length, explanation: sentence(first, 'is unassigned'), unmovable: first };
}

const sentence = (shard: ShardRouting, what: string) =>
  `shard [${shard.shard}] [${shard.primary ? 'primary' : 'replica'}] of index [${shard.index}] ${what}, see [node_allocation_decision] for details or use the cluster allocation explain API`;

function movingShards(nodeId: string, context: AllocationContext): ShardMigration {
  const here = context.routing.on(nodeId);
  const count = (wanted: ShardRouting['state']) => here.filter((shard) => shard.state === wanted).length;
  const counts = { started: count('STARTED'), relocating: count('RELOCATING'), initializing: count('INITIALIZING') };
  const remaining = counts.started + counts.relocating + counts.initializing;
  if (remaining === 0) return { status: 'COMPLETE', remaining, counts };
  if (counts.relocating > 0) return { status: 'IN_PROGRESS', remaining, counts };
  if (counts.started === 0)
    return {
      status: 'IN_PROGRESS',
      remaining,
      counts,
      explanation:
        'all remaining shards are currently INITIALIZING and must finish before they can be moved off this node',
    };
  return stuckShards(here, remaining, counts, context);
}

function stuckShards(
  here: readonly ShardRouting[],
  remaining: number,
  counts: NonNullable<ShardMigration['counts']>,
  context: AllocationContext,
): ShardMigration {
  const immovable = here.filter((shard) => shard.state === 'STARTED' && isImmovable(explainAssigned(shard, context)));
  const covered = immovable.filter((shard) => hasCopyElsewhere(context.state, shard));
  const alone = immovable.find((shard) => !covered.includes(shard));
  if (alone !== undefined)
    return { status: 'STALLED', remaining, explanation: sentence(alone, 'cannot move'), unmovable: alone };
  if (covered.length === remaining)
    return {
      status: 'COMPLETE',
      remaining: 0,
      explanation: `[${covered.length}] shards cannot be moved away from this node but have at least one copy on another node in the cluster`,
    };
  return { status: 'IN_PROGRESS', remaining, counts };
}

const isImmovable = (move: MoveExplanation) => !move.canRemain && move.outcome === 'no';

/** A started copy on a node that is not itself going away. */
function hasCopyElsewhere(state: ClusterState, shard: ShardRouting): boolean {
  return (state.routing.get(shard.index)?.[shard.shard] ?? []).some(
    (copy) => copy.state === 'STARTED' && !state.shutdowns.has(copy.node!),
  );
}

/** The worst of the parts that are not complete. */
export function combineStatus(...parts: readonly ShutdownStatus[]): ShutdownStatus {
  for (const status of ['STALLED', 'IN_PROGRESS', 'NOT_STARTED'] as const) if (parts.includes(status)) return status;
  return 'COMPLETE';
}
