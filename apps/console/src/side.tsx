import type { Observation } from '@drover/observation/api';
import { IncidentDetails } from './details/incident-details.tsx';
import { InstanceDetails } from './details/instance-details.tsx';
import { JobDetails } from './details/job-details.tsx';
import { NodeDetails } from './details/node-details.tsx';
import { PlatformDetails, ZoneDetails } from './details/thing-details.tsx';
import { addressHere, addressOf, type Route } from './route.ts';
import { GoBack } from './time/go-back.tsx';
import { FirstMinute } from './tour/first-minute.tsx';
import { Readings } from './views/readings.tsx';
import { timeOfDay } from './words.ts';

/** The opened subject, and the incidents. */
export function Side({ route, state }: { readonly route: Route; readonly state: Observation }) {
  return (
    <aside aria-label="Details and incidents">
      {route.subject !== undefined && (
        <section class="opened" aria-label={`Details of ${route.subject} ${route.id}`}>
          <a class="close" href={addressOf(route.page)} aria-label="Close the details">
            ×
          </a>
          <Opened route={route} state={state} />
        </section>
      )}
      {state.unknown.tools === undefined && <FirstMinute state={state} />}
      <Incidents route={route} state={state} />
      {state.unknown.tools !== undefined && <Readings state={state} />}
    </aside>
  );
}

function Opened({ route, state }: { readonly route: Route; readonly state: Observation }) {
  switch (route.subject) {
    case 'instance':
      // An event does not say to which of the two an instance belongs.
      if (state.cluster.nodes.some(({ instanceId }) => instanceId === route.id))
        return <NodeDetails id={route.id} state={state} />;
      return <InstanceDetails id={route.id} state={state} />;
    case 'node':
      return <NodeDetails id={route.id} state={state} />;
    case 'zone':
      return <ZoneDetails id={route.id} state={state} />;
    case 'platform':
      return <PlatformDetails state={state} />;
    case 'job':
      return <JobDetails id={Number(route.id)} state={state} />;
    default: {
      const incident = state.incidents.find(({ id }) => String(id) === route.id);
      if (incident === undefined) return <p>This incident is no longer kept.</p>;
      return (
        <>
          <IncidentDetails incident={incident} now={incident.endedAt ?? state.clock.now} />
          <GoBack incident={incident} />
        </>
      );
    }
  }
}

const listed = 6;

/** The newest incident with its story, and links to earlier ones. */
function Incidents({ route, state }: { readonly route: Route; readonly state: Observation }) {
  const [newest, ...earlier] = state.incidents;
  return (
    <section aria-labelledby="incidents-title">
      <h2 id="incidents-title">Incidents</h2>
      {newest === undefined && (
        <p>
          {state.unknown.tools === undefined
            ? 'None yet. Break something, and read here what happens.'
            : 'None since the beginning of what is read.'}
        </p>
      )}
      {newest !== undefined && !(route.subject === 'incident' && route.id === String(newest.id)) && (
        <>
          <IncidentDetails incident={newest} now={newest.endedAt ?? state.clock.now} />
          <GoBack incident={newest} />
        </>
      )}
      {earlier.length > 0 && (
        <ul class="earlier">
          {earlier.slice(0, listed).map(({ id, title, openedAt, verdict }) => (
            <li class={verdict.state} key={id}>
              <a href={addressHere(`incident/${id}`)}>
                {timeOfDay(openedAt)} {title}
              </a>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
