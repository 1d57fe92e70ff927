import { useState } from 'preact/hooks';
import type { RecentEvent } from '../api.ts';
import { addressOf } from '../route.ts';
import { timeOfDay } from '../words.ts';

const kinds = ['all', 'trouble', 'change'] as const;

/** What happened last, with a filter and a search. */
export function Events({ events }: { readonly events: readonly RecentEvent[] }) {
  const [kind, setKind] = useState<(typeof kinds)[number]>('all');
  const [words, setWords] = useState('');
  const wanted = words.toLowerCase();
  const shown = events.filter(
    (event) =>
      (kind === 'all' || event.kind === kind) && `${event.source} ${event.text}`.toLowerCase().includes(wanted),
  );
  return (
    <section class="view" aria-labelledby="events-title">
      <h2 id="events-title">Events</h2>
      <fieldset class="filters">
        <legend class="hidden">Filter</legend>
        {kinds.map((name) => (
          <button type="button" aria-pressed={kind === name} onClick={() => setKind(name)} key={name}>
            {name}
          </button>
        ))}
        <label>
          Search <input type="search" value={words} onInput={({ currentTarget }) => setWords(currentTarget.value)} />
        </label>
      </fieldset>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section class="scroll" tabIndex={0} aria-label="List of events">
        <table>
          <thead>
            <tr>
              <th scope="col">Time</th>
              <th scope="col">Where</th>
              <th scope="col">What</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ at, source, text, kind: is }, index) => (
              <tr class={is} key={`${at} ${text} ${index}`}>
                <td>{timeOfDay(at)}</td>
                <td>{source}</td>
                <td>
                  <Linked text={text} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}

/** Instances in it can be opened. */
const Linked = ({ text }: { readonly text: string }) => (
  <>
    {text
      .split(/\b(i-[0-9a-f]{8,17})\b/)
      .map((part, index) => (index % 2 === 0 ? part : <a href={addressOf('events', `instance/${part}`)}>{part}</a>))}
  </>
);
