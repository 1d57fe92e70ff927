import type { LifeEvent, Observation } from '@drover/observation/api';
import { phaseOfNode } from '@drover/observation/phase';
import { useFetched } from '../live.ts';
import { phaseWords } from '../scene/phase.ts';
import { Offered } from '../tools/offered.tsx';
import { nodeOffers } from '../tools/offers.ts';
import { counted, span } from '../words.ts';
import { Life } from './life.tsx';

/** One search node: its role, its shards, its drain with a forecast, and its life. */
export function NodeDetails({ id, state }: { readonly id: string; readonly state: Observation }) {
  const node = state.cluster.nodes.find(({ instanceId }) => instanceId === id);
  const life = useFetched<readonly LifeEvent[]>(`/api/instances/${encodeURIComponent(id)}`, state.clock.now);
  return (
    <>
      <h2>Node {node?.name ?? id}</h2>
      {node === undefined ? (
        <p>It is gone.</p>
      ) : (
        <>
          <p>
            {node.role}
            {node.electedMaster ? ', elected master' : ''} of {node.group}, {phaseWords[phaseOfNode(node)]}
            {node.inCluster === false ? ', not in the cluster' : ''}; {node.lifecycleState} in {node.zone} ({id})
          </p>
          {node.role === 'data' && (
            <p>
              {counted(node.shards.length, 'shard')}:{' '}
              {node.shards
                .map(
                  ({ index, number, primary, state: is }) =>
                    `${index}[${number}]${primary ? ' primary' : ''}${is === 'STARTED' ? '' : ` ${is.toLowerCase()}`}`,
                )
                .slice(0, 40)
                .join(', ')}
            </p>
          )}
          {node.drain !== undefined && (
            <p>
              draining, {node.drain.shardsLeft} of {node.drain.shardsAtStart} shards left
              {node.drain.secondsLeft === undefined ? '' : `, about ${span(node.drain.secondsLeft * 1_000)}`} (
              {node.drain.status})
            </p>
          )}
          {state.unknown.tools === undefined && <Offered offers={nodeOffers(node)} />}
        </>
      )}
      <Life events={life} until={state.clock.now} />
    </>
  );
}
