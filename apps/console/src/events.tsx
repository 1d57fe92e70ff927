import type { RecentEvent } from './api.ts';
import { timeOfDay } from './words.ts';

/** What happened last. */
export function Events({ events }: { readonly events: readonly RecentEvent[] }) {
  return (
    <section aria-labelledby="events-title">
      <h2 id="events-title">Recent events</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section class="scroll" tabIndex={0} aria-label="List of recent events">
        <table>
          <thead>
            <tr>
              <th scope="col">Time</th>
              <th scope="col">Where</th>
              <th scope="col">What</th>
            </tr>
          </thead>
          <tbody>
            {events.map(({ at, source, text, kind }, index) => (
              <tr class={kind} key={`${at} ${text} ${index}`}>
                <td>{timeOfDay(at)}</td>
                <td>{source}</td>
                <td>{text}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}
