import { isActive, type ShardRouting } from '../../state/shard.ts';
import { type AllocationContext, type Decider, type Decision, no, throttle, yes } from '../decision.ts';

const name = 'throttling';
const prefix = 'cluster.routing.allocation';

/** Limits of concurrent recoveries per node ("Cluster-level shard allocation settings"). */
export const throttling: Decider = {
  name,
  canAllocate(shard, node, context) {
    if (context.simulating) return yes(name, 'recoveries are not counted while the desired balance is computed');
    if (shard.primary && shard.state === 'UNASSIGNED') return initialPrimary(node.id, context);
    return peerRecovery(shard, node.id, context);
  },
};

function initialPrimary(nodeId: string, { routing, settings }: AllocationContext): Decision {
  const key = `${prefix}.node_initial_primaries_recoveries`;
  const limit = settings.number(key);
  const running = routing
    .on(nodeId)
    .filter((copy) => copy.state === 'INITIALIZING' && copy.primary && copy.relocatingNode === undefined).length;
  if (running >= limit)
    return throttle(
      name,
      `reached the limit of ongoing initial primary recoveries [${running}], cluster setting [${key}=${limit}]`,
    );
  return yes(name, `below primary recovery limit of [${limit}]`);
}

function peerRecovery(shard: ShardRouting, nodeId: string, context: AllocationContext): Decision {
  const incoming = limitOf('incoming', context);
  const outgoing = limitOf('outgoing', context);
  const in_ = incomingRecoveries(nodeId, context);
  if (in_ >= incoming.limit)
    return throttle(name, `reached the limit of incoming shard recoveries [${in_}], ${incoming.source}`);
  const primary = context.routing.primaryOf(shard);
  if (primary === undefined || !isActive(primary)) return no(name, 'primary shard for this replica is not yet active');
  const out = outgoingRecoveries(primary.node!, context);
  if (out >= outgoing.limit)
    return throttle(
      name,
      `reached the limit of outgoing shard recoveries [${out}] on the node [${primary.node}] which holds the primary, ${outgoing.source}`,
    );
  return yes(
    name,
    `below shard recovery limit of outgoing: [${out} < ${outgoing.limit}] incoming: [${in_} < ${incoming.limit}]`,
  );
}

/** `node_concurrent_recoveries` sets both directions unless one is set by itself. */
function limitOf(
  direction: 'incoming' | 'outgoing',
  { settings }: AllocationContext,
): { limit: number; source: string } {
  const own = `${prefix}.node_concurrent_${direction}_recoveries`;
  const both = `${prefix}.node_concurrent_recoveries`;
  const limit = settings.number(settings.isSet(own) ? own : both);
  return { limit, source: `cluster setting [${own}=${limit}] (can also be set via [${both}])` };
}

function incomingRecoveries(nodeId: string, { routing }: AllocationContext): number {
  return routing.on(nodeId).filter((copy) => copy.state === 'INITIALIZING' && copy.recoverySource?.type === 'PEER')
    .length;
}

/** Recoveries that read from primaries on the node. */
function outgoingRecoveries(nodeId: string, { routing }: AllocationContext): number {
  let running = 0;
  for (const copy of routing.on(nodeId))
    if (copy.primary && isActive(copy))
      running += routing
        .assigned(copy)
        .filter((other) => other.state === 'INITIALIZING' && other.recoverySource?.type === 'PEER').length;
  return running;
}
