import type { InstanceState, NodeState } from '@drover/observation/api';
import { phaseOfInstance, phaseOfNode, runsJob } from '@drover/observation/phase';
import { onlyWhenChanged } from '../only-when-changed.tsx';
import { addressOf } from '../route.ts';
import { shortId } from '../words.ts';
import { briefly, lookOf, phaseWords } from './phase.ts';
import { ShardMap } from './shard-map.tsx';

interface RunnerCellProps {
  readonly instance: InstanceState;
  /** There is room for words. */
  readonly roomy: boolean;
}

/** A runner's instance: its state by shape and colour, opened by a click. */
export const RunnerCell = onlyWhenChanged(({ instance, roomy }: RunnerCellProps) => {
  const phase = phaseOfInstance(instance);
  const words = `${shortId(instance.id)}: ${phaseWords[phase]}${instance.job === undefined ? '' : ` ${instance.job}`}${instance.spot ? ', spot' : ''}, ${instance.lifecycleState}`;
  return (
    <a
      class={`cell ${lookOf(phase)}${instance.spot ? ' spot' : ''}${roomy ? ' roomy' : ''}`}
      href={addressOf('scene', `instance/${instance.id}`)}
      data-instance={instance.id}
      title={words}
    >
      {roomy ? (
        <>
          <span class="id">{shortId(instance.id)}</span>
          <span>{runsJob(instance) && instance.job !== undefined ? `job ${instance.job}` : briefly[phase]}</span>
        </>
      ) : (
        <span class="hidden">{words}</span>
      )}
    </a>
  );
});

/** A search node with its shards. */
export const NodeCell = onlyWhenChanged(({ node }: { readonly node: NodeState }) => {
  const phase = phaseOfNode(node);
  const { name, role, electedMaster, drain } = node;
  const words = `${name}: ${electedMaster ? 'elected master' : role}, ${phaseWords[phase]}, ${node.lifecycleState}`;
  return (
    <a
      class={`node ${lookOf(phase)}`}
      href={addressOf('scene', `node/${node.instanceId}`)}
      data-instance={node.instanceId}
      title={words}
    >
      <span class="node-name">
        {electedMaster ? '★ ' : ''}
        {name}{' '}
        <small>{electedMaster ? 'elected master' : phase === 'idle' ? role : `${role}, ${briefly[phase]}`}</small>
      </span>
      {role === 'data' && <ShardMap shards={node.shards} />}
      {drain !== undefined && (
        <progress
          max={Math.max(1, drain.shardsAtStart)}
          value={drain.shardsAtStart - drain.shardsLeft}
          aria-label={`${drain.shardsLeft} shards left to move`}
        />
      )}
    </a>
  );
});
