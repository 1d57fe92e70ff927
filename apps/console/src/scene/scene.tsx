import type { FleetState, InstanceState, NodeState, Observation, ZoneState } from '@drover/observation/api';
import { onlyWhenChanged } from '../only-when-changed.tsx';
import { addressOf } from '../route.ts';
import { aboutZone } from '../tools/offers.ts';
import { Morning } from '../views/morning.tsx';
import { counted } from '../words.ts';
import { NodeCell, RunnerCell } from './cells.tsx';
import { Flows } from './flows.tsx';
import { Places } from './places.tsx';
import { byType } from './type-figures.ts';
import { Types } from './types.tsx';

/** The most instances that have room for words. */
const mostRoomy = 30;
/** Of those that are being terminated, in a zone. */
const mostEnding = 24;

/** The whole system at one look: where jobs come from, and the zones with runners and search nodes. */
export function Scene({ state }: { readonly state: Observation }) {
  const { fleet, cluster, zones } = state;
  const members = fleet.instances.filter(({ warmPool }) => !warmPool);
  const pool = fleet.instances.filter(({ warmPool }) => warmPool);
  const roomy = fleet.instances.length <= mostRoomy;
  return (
    <section class="scene" aria-labelledby="scene-title">
      <h2 id="scene-title" class="hidden">
        Scene
      </h2>
      <Morning state={state} />
      <Places state={state} />
      <Types fleet={fleet} />
      <div class="zones">
        {zones.map((zone) => (
          <Zone
            key={zone.name}
            zone={zone}
            roomy={roomy}
            instances={members.filter((one) => one.zone === zone.name)}
            types={fleet.types}
            nodes={cluster.nodes.filter((one) => one.zone === zone.name)}
          />
        ))}
        {pool.length > 0 && (
          <section class="zone pool" aria-label="Warm pool">
            <h3>Warm pool</h3>
            <Cells instances={pool} roomy={roomy} />
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
  readonly roomy: boolean;
  readonly instances: readonly InstanceState[];
  readonly types: FleetState['types'];
  readonly nodes: readonly NodeState[];
}

function Zone({ zone, instances, types, nodes, roomy }: ZoneProps) {
  return (
    <section class={`zone${zone.lost ? ' lost' : ''}`} aria-label={`Zone ${zone.name}`}>
      <h3>
        <a href={addressOf('scene', aboutZone(zone.name))}>{zone.name}</a>
        {zone.lost ? ' (lost)' : ''} <small>{counted(instances.length, 'runner')}</small>
      </h3>
      {byType(instances, types)?.map((type) => (
        <div data-type={type.name} key={type.name}>
          <h4>
            {type.name} <small>{type.instances.length}</small>
          </h4>
          <Cells instances={type.instances} roomy={roomy} />
        </div>
      )) ?? <Cells instances={instances} roomy={roomy} />}
      <div class="nodes">
        {nodes.map((node) => (
          <NodeCell node={node} key={node.instanceId} />
        ))}
      </div>
    </section>
  );
}

interface CellsProps {
  readonly instances: readonly InstanceState[];
  readonly roomy: boolean;
}

/** Those that end are shown last, and of many only the first: they are of no use any more. */
function Cells({ instances, roomy }: CellsProps) {
  const ending = instances.filter(isEnding);
  const shown = [...instances.filter((one) => !isEnding(one)), ...ending.slice(0, mostEnding)];
  return (
    <div class={`cells${roomy ? ' roomy' : ''}`}>
      {shown.map((instance) => (
        <RunnerCell instance={instance} roomy={roomy} key={instance.id} />
      ))}
      {ending.length > mostEnding && <span class="folded">+{ending.length - mostEnding} terminating</span>}
    </div>
  );
}

const isEnding = ({ lifecycleState, healthy }: InstanceState): boolean =>
  !healthy || lifecycleState.startsWith('Terminating');

const Legend = onlyWhenChanged(() => (
  <p class="legend">
    <span class="cell busy" /> job running <span class="cell idle" /> ready <span class="cell booting" /> booting{' '}
    <span class="cell draining" /> draining <span class="cell away" /> offline or not known{' '}
    <span class="cell trouble" /> not working <span class="cell pooled" /> warm pool
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
