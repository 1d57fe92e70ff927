import type { FleetState } from '@drover/observation/api';
import { counted } from '../words.ts';
import { Figure } from './places.tsx';
import { typeFigures } from './type-figures.ts';

/** The types of a fleet in one row: the jobs of each, and how large it is and may be. */
export function Types({ fleet }: { readonly fleet: FleetState }) {
  const types = typeFigures(fleet);
  if (types.length === 0) return null;
  return (
    <section class="types" aria-label="Types">
      {types.map(({ name, groupName, demand, running, hosts, desiredCapacity, minSize, maxSize, full }) => (
        <div class={`place${full ? ' bad' : ''}`} data-type={name} key={name} title={groupName}>
          <strong>Type {name}</strong>
          <span class="figures-row">
            <Figure value={demand.waiting} unit="waiting" />
            <Figure value={running} unit="running" />
            <Figure value={desiredCapacity} unit={`desired (${minSize}–${maxSize})`} />
          </span>
          <span>
            {counted(hosts, 'host')}
            {full ? ', at its maximum' : ''}
          </span>
        </div>
      ))}
    </section>
  );
}
