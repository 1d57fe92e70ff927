import type { AlarmState } from '@drover/observation/api';
import { span } from '../words.ts';

const order = { ALARM: 0, INSUFFICIENT_DATA: 1, OK: 2 } as const;

/** Every alarm: its state, since when, and what it means. */
export function Alarms({ alarms, now }: { readonly alarms: readonly AlarmState[]; readonly now: number }) {
  const sorted = [...alarms].sort((a, b) => order[a.state] - order[b.state] || a.name.localeCompare(b.name));
  return (
    <section class="view" aria-labelledby="alarms-title">
      <h2 id="alarms-title">Alarms</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">State</th>
            <th scope="col">Alarm</th>
            <th scope="col">Since</th>
            <th scope="col">Meaning</th>
          </tr>
        </thead>
        <tbody>
          {sorted.map(({ name, state, since, meaning, scaling }) => (
            <tr class={state === 'ALARM' && !scaling ? 'trouble' : undefined} key={name}>
              <td class="short">{state}</td>
              <td>{name}</td>
              <td class="short">{span(now - since)}</td>
              <td>
                {meaning}
                {scaling ? '. It scales the group, so being on is normal.' : ''}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
