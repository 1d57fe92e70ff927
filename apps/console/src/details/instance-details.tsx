import type { LifeEvent, Observation } from '@drover/observation/api';
import { phaseOfInstance } from '@drover/observation/phase';
import { useFetched } from '../live.ts';
import { addressHere } from '../route.ts';
import { phaseWords } from '../scene/phase.ts';
import { Offered } from '../tools/offered.tsx';
import { instanceOffers } from '../tools/offers.ts';
import { span } from '../words.ts';
import { Life } from './life.tsx';

/** One instance of the fleet: what it does, what can be done to it, and its life. */
export function InstanceDetails({ id, state }: { readonly id: string; readonly state: Observation }) {
  const instance = state.fleet.instances.find((one) => one.id === id);
  const life = useFetched<readonly LifeEvent[]>(`/api/instances/${encodeURIComponent(id)}`, state.clock.now);
  const { now } = state.clock;
  return (
    <>
      <h2>Instance {id}</h2>
      {instance === undefined ? (
        <p>It is gone.</p>
      ) : (
        <>
          <dl class="facts">
            <Fact name="does" value={phaseWords[phaseOfInstance(instance)]} />
            <Fact
              name="lifecycle state"
              value={`${instance.lifecycleState}${instance.since === undefined ? '' : ` for ${span(now - instance.since)}`}`}
            />
            {instance.type !== undefined && <Fact name="type" value={instance.type} />}
            <Fact name="zone" value={`${instance.zone}${instance.spot ? ', spot' : ''}`} />
            <Fact name="runner" value={`${instance.runner}${instance.protected ? ', protected from scale-in' : ''}`} />
            {instance.job !== undefined && (
              <div>
                <dt>job</dt>
                <dd>
                  <a href={addressHere(`job/${instance.job}`)}>job {instance.job}</a>
                </dd>
              </div>
            )}
            {instance.lifecycleState.startsWith('Terminating') && instance.since !== undefined && (
              <Fact
                name="drain"
                value={`${span(now - instance.since)} of ${span(state.fleet.allowedDrainSeconds * 1_000)} allowed for a job`}
              />
            )}
            {instance.hooks.map(({ name, until }) => (
              <Fact key={name} name={`hook ${name}`} value={`times out in ${span(until - now)}`} />
            ))}
            {state.unknown.hooks !== undefined && instance.lifecycleState.endsWith(':Wait') && (
              <Fact name="hooks" value={state.unknown.hooks} />
            )}
          </dl>
          {state.unknown.tools === undefined && <Offered offers={instanceOffers(instance)} />}
        </>
      )}
      <Life events={life} until={now} />
    </>
  );
}

const Fact = ({ name, value }: { readonly name: string; readonly value: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
);
