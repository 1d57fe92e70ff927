import type { NodeState } from '../api.ts';
import { TileButtons } from '../buttons.tsx';
import { onlyWhenChanged } from '../only-when-changed.tsx';
import { ShardMap } from './shard-map.tsx';

/** One search node with its shards, and the progress of its drain. */
export const NodeTile = onlyWhenChanged(Tile);

function Tile({ node }: { readonly node: NodeState }) {
  const { instanceId, name, role, shards, drain, electedMaster, lifecycleState, inCluster } = node;
  return (
    <li class={`tile node ${inCluster ? 'serving' : 'pending'}`}>
      <strong title={instanceId}>{name}</strong>
      <span class="state">{lifecycleState}</span>
      <span>
        {role}
        {electedMaster ? ', elected' : ''}
        {inCluster ? '' : ', not in the cluster'}
      </span>
      {role === 'data' && <ShardMap shards={shards} />}
      {drain !== undefined && (
        <label class="drain">
          draining, {drain.shardsLeft} shards left
          {drain.secondsLeft === undefined ? '' : `, about ${Math.ceil(drain.secondsLeft / 60)} min`} ({drain.status})
          <progress max={Math.max(1, drain.shardsAtStart)} value={drain.shardsAtStart - drain.shardsLeft} />
        </label>
      )}
      <TileButtons
        instance={instanceId}
        name={name}
        actions={[
          ['Kill', 'kill-node', `${name} is powered off.`],
          ['Replace', 'terminate-instance', `${name} is drained and replaced.`],
        ]}
      />
    </li>
  );
}
