import type { Incident, Observation, RecentEvent } from '@drover/observation/api';
import { useState } from 'preact/hooks';
import { addressOf } from '../route.ts';
import { timeOfDay } from '../words.ts';

const kinds = ['all', 'trouble', 'change', 'acts and faults'] as const;
type Kind = (typeof kinds)[number];

interface Listed extends Omit<RecentEvent, 'kind'> {
  readonly kind: RecentEvent['kind'] | 'acts and faults';
  /** The subject that it opens. */
  readonly about?: string;
}

/** Acts of the user stand among those of the system. */
const withIncidents = (events: readonly RecentEvent[], incidents: readonly Incident[]): readonly Listed[] =>
  [
    ...events,
    ...incidents.map(({ id, kind, title, openedAt }) => ({
      at: openedAt,
      source: kind,
      text: title,
      kind: 'acts and faults' as const,
      about: `incident/${id}`,
    })),
  ].sort((a, b) => b.at - a.at);

/** The latest events, with a filter and a search. */
export function Events({ events, incidents }: Pick<Observation, 'events' | 'incidents'>) {
  const [kind, setKind] = useState<Kind>('all');
  const [words, setWords] = useState('');
  const wanted = words.toLowerCase();
  const shown = withIncidents(events, incidents).filter(
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
        <table class="listed">
          <thead>
            <tr>
              <th scope="col">Time</th>
              <th scope="col">Where</th>
              <th scope="col">What</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ at, source, text, kind: is, about }, index) => (
              <tr class={is === 'acts and faults' ? 'act' : is} key={`${at} ${text} ${index}`}>
                <td class="short">{timeOfDay(at)}</td>
                <td>{source}</td>
                <td class="title">
                  {about === undefined ? <Linked text={text} /> : <a href={addressOf('events', about)}>{text}</a>}
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
