import type { DiscoveryNode } from '../../state/node-info.ts';
import type { ShardRouting } from '../../state/shard.ts';
import { indexVersionText } from '../../state/versions.ts';
import { type AllocationContext, type Decider, yes } from '../decision.ts';

/** All nodes of the model have one version, so these two only say so. */
export const indexVersion: Decider = {
  name: 'index_version',
  canAllocate(shard, _node, { version }) {
    const text = indexVersionText(version);
    if (shard.state === 'UNASSIGNED' && shard.primary)
      return yes('index_version', 'no existing allocation, assuming compatible');
    if (shard.primary)
      return yes(
        'index_version',
        `can relocate primary shard from a node with index version [${text}] to a node with equal-or-newer index version [${text}]`,
      );
    return yes(
      'index_version',
      `can allocate replica shard to a node with index version [${text}] since this is equal-or-newer than the primary index version [${text}]`,
    );
  },
};

export const nodeVersion: Decider = {
  name: 'node_version',
  canAllocate(shard, node, context) {
    const from = versionOfSource(shard, context) ?? node.version;
    if (shard.state === 'UNASSIGNED' && shard.primary)
      return yes('node_version', 'the primary shard is new or already existed on the node');
    if (shard.primary)
      return yes(
        'node_version',
        `can relocate primary shard from a node with version [${from}] to a node with equal-or-newer version [${node.version}]`,
      );
    return yes(
      'node_version',
      `can allocate replica shard to a node with version [${node.version}] since this is equal-or-newer than the primary version [${from}]`,
    );
  },
};

function versionOfSource(
  shard: ShardRouting,
  { state, routing }: AllocationContext,
): DiscoveryNode['version'] | undefined {
  const primary = routing.primaryOf(shard);
  return primary === undefined ? undefined : state.nodes.get(primary.node!)?.version;
}
