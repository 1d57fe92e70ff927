import type { InstanceState, NodeState, Observation, ZoneState } from '../api.ts';
import { onlyWhenChanged } from '../only-when-changed.tsx';
import { counted } from '../words.ts';
import { NodeCell, RunnerCell } from './cells.tsx';
import { Flows } from './flows.tsx';
import { Places } from './places.tsx';

/** The whole system at one look: where jobs come from, and the zones with runners and search nodes. */
export function Scene({ state }: { readonly state: Observation }) {
  const { fleet, cluster, zones } = state;
  const members = fleet.instances.filter(({ warmPool }) => !warmPool);
  const pool = fleet.instances.filter(({ warmPool }) => warmPool);
  return (
    <section class="scene" aria-labelledby="scene-title">
      <h2 id="scene-title" class="hidden">
        Scene
      </h2>
      <Places state={state} />
      <div class="zones">
        {zones.map((zone) => (
          <Zone
            key={zone.name}
            zone={zone}
            instances={members.filter((one) => one.zone === zone.name)}
            nodes={cluster.nodes.filter((one) => one.zone === zone.name)}
          />
        ))}
        {pool.length > 0 && (
          <section class="zone pool" aria-label="Warm pool">
            <h3>Warm pool</h3>
            <Cells instances={pool} />
          </section>
        )}
      </div>
      <Legend />
      <Flows jobs={fleet.jobs} relocations={cluster.relocations} nodes={cluster.nodes} />
    </section>
  );
}

interface ZoneProps {
  readonly zone: ZoneState;
  readonly instances: readonly InstanceState[];
  readonly nodes: readonly NodeState[];
}

function Zone({ zone, instances, nodes }: ZoneProps) {
  return (
    <section class={`zone${zone.lost ? ' lost' : ''}`} aria-label={`Zone ${zone.name}`}>
      <h3>
        {zone.name}
        {zone.lost ? ' (lost)' : ''} <small>{counted(instances.length, 'runner')}</small>
      </h3>
      <Cells instances={instances} />
      <div class="nodes">
        {nodes.map((node) => (
          <NodeCell node={node} key={node.instanceId} />
        ))}
      </div>
    </section>
  );
}

const Cells = ({ instances }: { readonly instances: readonly InstanceState[] }) => (
  <div class="cells">
    {instances.map((instance) => (
      <RunnerCell instance={instance} key={instance.id} />
    ))}
  </div>
);

const Legend = onlyWhenChanged(() => (
  <p class="legend">
    <span class="cell busy" /> job running <span class="cell idle" /> ready <span class="cell booting" /> booting{' '}
    <span class="cell draining" /> draining <span class="cell trouble" /> not working <span class="cell pooled" /> warm
    pool
    <svg width="10" height="10" aria-hidden="true">
      <path class="shard primary" d="M.5 .5h9v9h-9z" />
    </svg>{' '}
    primary
    <svg width="10" height="10" aria-hidden="true">
      <path class="shard replica" d="M.5 .5h9v9h-9z" />
    </svg>{' '}
    replica
    <svg width="10" height="10" aria-hidden="true">
      <path class="shard moving" d="M.5 .5h9v9h-9z" />
    </svg>{' '}
    moving
  </p>
));
