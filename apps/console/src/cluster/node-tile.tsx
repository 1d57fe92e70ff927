import type { NodeState } from '../api.ts';
import { onlyWhenChanged } from '../only-when-changed.tsx';
import { useControl } from '../say.ts';
import { ShardMap } from './shard-map.tsx';

/** One search node with its shards, and how far its drain is. */
export const NodeTile = onlyWhenChanged(Tile);

function Tile({ node }: { readonly node: NodeState }) {
  const send = useControl();
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
          draining, {drain.shardsLeft} shards left ({drain.status})
          <progress max={Math.max(1, drain.shardsAtStart)} value={drain.shardsAtStart - drain.shardsLeft} />
        </label>
      )}
      <span class="acts">
        <button
          type="button"
          aria-label={`Kill ${name}`}
          onClick={() => send('kill-node', { instance: instanceId }, `${name} lost its power.`)}
        >
          Kill
        </button>
        <button
          type="button"
          aria-label={`Replace ${name}`}
          onClick={() => send('terminate-instance', { instance: instanceId }, `${name} is drained and replaced.`)}
        >
          Replace
        </button>
      </span>
    </li>
  );
}
