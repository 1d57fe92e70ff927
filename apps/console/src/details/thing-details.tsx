import type { Observation } from '@drover/observation/api';
import { phaseOfInstance } from '@drover/observation/phase';
import { addressOf } from '../route.ts';
import { Offered } from '../tools/offered.tsx';
import { aboutPlatform, aboutZone, groundOffers } from '../tools/offers.ts';
import { counted } from '../words.ts';

interface ThingProps {
  readonly state: Observation;
  readonly about: string;
}

/** The acts on a thing that is no machine. */
const ToolsOf = ({ state, about }: ThingProps) =>
  state.unknown.tools === undefined ? (
    <Offered offers={groundOffers(state).faults.filter((offer) => offer.about === about)} />
  ) : null;

/** A zone: what is in it, and how to lose it. */
export function ZoneDetails({ id, state }: { readonly id: string; readonly state: Observation }) {
  const runners = state.fleet.instances.filter(({ zone, warmPool }) => zone === id && !warmPool);
  const nodes = state.cluster.nodes.filter(({ zone }) => zone === id);
  const lost = state.zones.find(({ name }) => name === id)?.lost === true;
  const busy = runners.filter((one) => phaseOfInstance(one) === 'busy').length;
  return (
    <>
      <h2>Zone {id}</h2>
      <p>
        {lost ? 'It is lost. ' : ''}
        {counted(runners.length, 'runner')}, {busy} busy; {counted(nodes.length, 'search node')}.
      </p>
      <ToolsOf state={state} about={aboutZone(id)} />
    </>
  );
}

/** GitHub: its jobs, its limit, and how to take it away. */
export function PlatformDetails({ state }: { readonly state: Observation }) {
  const { platform, fleet } = state;
  return (
    <>
      <h2>GitHub</h2>
      <p>
        {platform.down ? 'Every request fails' : `${platform.remaining ?? 'Unlimited'} requests left`};{' '}
        <a href={addressOf('jobs')}>{fleet.queuedJobs ?? 'unknown how many'} queued jobs</a>.
      </p>
      <ToolsOf state={state} about={aboutPlatform} />
    </>
  );
}
