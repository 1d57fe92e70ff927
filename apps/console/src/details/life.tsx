import type { LifeEvent } from '@drover/observation/api';
import { timeOfDay } from '../words.ts';

/** The events of an instance up to a moment, oldest first. */
export function Life({ events, until }: { readonly events: readonly LifeEvent[] | undefined; readonly until: number }) {
  if (events === undefined) return <p>Reading its life…</p>;
  const past = events.filter(({ at }) => at <= until);
  if (past.length === 0) return <p>Nothing is known of its life.</p>;
  return (
    <ol class="story" aria-label="Its life">
      {past.map(({ at, text, bad }, index) => (
        <li class={bad ? 'bad' : undefined} key={`${at} ${index}`}>
          <time>{timeOfDay(at)}</time> {text}
        </li>
      ))}
    </ol>
  );
}
