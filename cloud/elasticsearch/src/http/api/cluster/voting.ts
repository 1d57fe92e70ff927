import { illegalArgument } from '../../../engine/errors.ts';
import type { ClusterState, VotingExclusion } from '../../../engine/state/cluster-state.ts';
import { isMasterEligible } from '../../../engine/state/node-info.ts';
import { wildcardToRegExp } from '../../../engine/values/filter-path.ts';
import type { Call } from '../../call.ts';
import { RestError } from '../../responses/rest-error.ts';
import type { Endpoint, Reply } from '../../routes/route.ts';

export const votingRoutes: readonly Endpoint[] = [
  {
    api: 'cluster.post_voting_config_exclusions',
    action: 'cluster:admin/voting_config/add_exclusions',
    run: add,
  },
  {
    api: 'cluster.delete_voting_config_exclusions',
    action: 'cluster:admin/voting_config/clear_exclusions',
    run: clear,
  },
];

/** Excludes masters from voting; returns once they vote no more ("Voting configuration exclusions API"). */
async function add(call: Call): Promise<Reply> {
  const [ids, names] = [call.list('node_ids'), call.list('node_names')];
  if ((ids.length === 0) === (names.length === 0))
    throw illegalArgument(
      call.atLeast('8.0.0')
        ? 'You must set [node_names] or [node_ids] but not both'
        : 'Please set node identifiers correctly. One and only one of [node_name], [node_names] and [node_ids] has to be set',
    );
  const { core } = await call.master();
  const wanted = resolve(core.state, ids, names).filter(
    (exclusion) =>
      !core.state.votingExclusions.some(
        (known) => known.nodeId === exclusion.nodeId && known.nodeName === exclusion.nodeName,
      ),
  );
  const limit = core.settings.number('cluster.max_voting_config_exclusions');
  if (core.state.votingExclusions.length + wanted.length > limit)
    throw illegalArgument(
      `add voting config exclusions request for nodes named [${names.join(', ')}] would exceed the maximum number of voting config exclusions [${limit}]`,
    );
  core.update((state) =>
    call.cluster.membership.reconfigure(
      { ...state, votingExclusions: [...state.votingExclusions, ...wanted] },
      core.settings.boolean('cluster.auto_shrink_voting_configuration'),
    ),
  );
  const excluded = new Set(wanted.map(({ nodeId }) => nodeId));
  const gone = await core.waitUntil(
    () => !core.state.votingConfig.some((id) => excluded.has(id)),
    call.timeMs('timeout', 30_000),
  );
  if (!gone)
    throw new RestError(500, {
      type: 'timeout_exception',
      reason: `timed out waiting for voting config exclusions [${wanted.map(label).join(', ')}] to take effect`,
    });
  call.cluster.membership.abdicateIfExcluded(core);
  return {};
}

const label = ({ nodeName, nodeId }: VotingExclusion) => `{${nodeName}}{${nodeId}}`;

/** Names that no node has are kept for nodes that may come. */
function resolve(state: ClusterState, ids: readonly string[], names: readonly string[]): VotingExclusion[] {
  const masters = [...state.nodes.values()].filter(isMasterEligible);
  if (ids.length > 0)
    return ids.map((id) => {
      const node = masters.find((candidate) => candidate.id === id);
      return { nodeId: id, nodeName: node?.name ?? '_absent_' };
    });
  return names.flatMap((name): VotingExclusion[] => {
    const found = masters.filter((node) => wildcardToRegExp(name).test(node.name));
    return found.length === 0
      ? [{ nodeId: '_absent_', nodeName: name }]
      : found.map((node) => ({ nodeId: node.id, nodeName: node.name }));
  });
}

/** Clears the whole list, by default only after the excluded nodes have left the cluster. */
async function clear(call: Call): Promise<Reply> {
  const { core } = await call.master();
  const present = () => core.state.votingExclusions.some(({ nodeId }) => core.state.nodes.has(nodeId));
  if (
    call.flag('wait_for_removal', true) &&
    !(await core.waitUntil(() => !present(), call.timeMs('master_timeout', 30_000)))
  )
    throw new RestError(500, {
      type: 'timeout_exception',
      reason: `timed out waiting for removal of nodes; if nodes should not be removed, set ?wait_for_removal=false. [${core.state.votingExclusions.map(label).join(', ')}]`,
    });
  core.update((state) =>
    call.cluster.membership.reconfigure(
      { ...state, votingExclusions: [] },
      core.settings.boolean('cluster.auto_shrink_voting_configuration'),
    ),
  );
  return {};
}
