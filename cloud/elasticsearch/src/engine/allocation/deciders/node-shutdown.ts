import type { DiscoveryNode } from '../../state/node-info.ts';
import { type AllocationContext, type Decider, type Decision, no, yes } from '../decision.ts';

const name = 'node_shutdown';

/** Nodes with a shutdown record of type remove or replace get no shards and keep none ("Put shutdown API"). */
export const nodeShutdown: Decider = {
  name,
  canAllocate: (_shard, node, context) => decide(node, context, 'allocate to'),
  canRemain: (_shard, node, context) => decide(node, context, 'remain on'),
};

function decide(node: DiscoveryNode, { state }: AllocationContext, action: string): Decision {
  if (state.shutdowns.size === 0) return yes(name, 'no nodes are shutting down');
  const record = state.shutdowns.get(node.id);
  if (record === undefined) return yes(name, `node [${node.id}] is not preparing for removal from the cluster`);
  if (record.type === 'RESTART')
    return yes(name, `node [${node.id}] is preparing to restart, but will remain in the cluster`);
  if (record.type === 'REPLACE' && action === 'remain on')
    return no(name, `node [${node.id}] is preparing to be removed from the cluster`);
  return no(name, `node [${node.id}] is preparing to be removed from the cluster`);
}
