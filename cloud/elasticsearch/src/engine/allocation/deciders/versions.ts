import type { DiscoveryNode } from '../../state/node-info.ts';
import type { ShardRouting } from '../../state/shard.ts';
import { atLeast, indexVersionId, indexVersionText } from '../../state/versions.ts';
import { type AllocationContext, type Decider, no, yes } from '../decision.ts';

/** A copy is never made on a node whose index format is older than the format of the node that it comes from. */
export const indexVersion: Decider = {
  name: 'index_version',
  canAllocate(shard, node, context) {
    if (shard.state === 'UNASSIGNED' && shard.primary)
      return yes('index_version', 'no existing allocation, assuming compatible');
    const from = versionOfSource(shard, context) ?? node.version;
    const [here, there] = [indexVersionText(node.version), indexVersionText(from)];
    const isOlder = indexVersionId(node.version) < indexVersionId(from);
    if (shard.primary)
      return isOlder
        ? no(
            'index_version',
            `cannot relocate primary shard from a node with index version [${there}] to a node with older index version [${here}]`,
          )
        : yes(
            'index_version',
            `can relocate primary shard from a node with index version [${there}] to a node with equal-or-newer index version [${here}]`,
          );
    return isOlder
      ? no(
          'index_version',
          `cannot allocate replica shard to a node with index version [${here}] since this is older than the primary index version [${there}]`,
        )
      : yes(
          'index_version',
          `can allocate replica shard to a node with index version [${here}] since this is equal-or-newer than the primary index version [${there}]`,
        );
  },
};

/** No replica on a node older than its primary's, and no primary moves to an older node ("Upgrade Elasticsearch"). */
export const nodeVersion: Decider = {
  name: 'node_version',
  canAllocate(shard, node, context) {
    if (shard.state === 'UNASSIGNED' && shard.primary)
      return yes('node_version', 'the primary shard is new or already existed on the node');
    const from = versionOfSource(shard, context) ?? node.version;
    const isOlder = !atLeast(node.version, from);
    if (shard.primary)
      return isOlder
        ? no(
            'node_version',
            `cannot relocate primary shard from a node with version [${from}] to a node with older version [${node.version}]`,
          )
        : yes(
            'node_version',
            `can relocate primary shard from a node with version [${from}] to a node with equal-or-newer version [${node.version}]`,
          );
    return isOlder
      ? no(
          'node_version',
          `cannot allocate replica shard to a node with version [${node.version}] since this is older than the primary version [${from}]`,
        )
      : yes(
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
