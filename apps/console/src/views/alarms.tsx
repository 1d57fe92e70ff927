import type { AlarmState, Observation } from '@drover/observation/api';
import { notGreenSince } from '../incidents/figures.ts';
import { span, timeOfDay } from '../words.ts';

const order = { ALARM: 0, INSUFFICIENT_DATA: 1, OK: 2 } as const;

/** The reason of an alarm to wait: it comes on once the cluster has not been green for its whole period. */
export function waitsFor({ name, state }: AlarmState, { cluster, incidents }: Observation): string | undefined {
  if (state === 'ALARM' || cluster.health === 'green' || name !== `cluster_not_green-${cluster.name}`) return undefined;
  const since = notGreenSince(incidents);
  return since === undefined ? undefined : `waits: the cluster is ${cluster.health} since ${timeOfDay(since)}`;
}

/** Every alarm: its state, since when, and what it means. */
export function Alarms({ state: seen }: { readonly state: Observation }) {
  const { alarms, clock } = seen;
  const sorted = [...alarms].sort((a, b) => order[a.state] - order[b.state] || a.name.localeCompare(b.name));
  return (
    <section class="view" aria-labelledby="alarms-title">
      <h2 id="alarms-title">Alarms</h2>
      <table class="listed">
        <thead>
          <tr>
            <th scope="col">State</th>
            <th scope="col">Alarm</th>
            <th scope="col">Since</th>
            <th scope="col">Meaning</th>
          </tr>
        </thead>
        <tbody>
          {sorted.map((alarm) => {
            const { name, state, since, meaning, scaling } = alarm;
            const waits = waitsFor(alarm, seen);
            return (
              <tr class={state === 'ALARM' && !scaling ? 'trouble' : undefined} key={name}>
                <td class="short">{state}</td>
                <td class="title">{name}</td>
                <td class="short" data-label="since">
                  {span(clock.now - since)}
                </td>
                <td>
                  {meaning}
                  {waits && <strong> {waits}</strong>}
                  {scaling ? '. It scales the group, so being on is normal.' : ''}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
