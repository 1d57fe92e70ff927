import type { LifeEvent } from '../api.ts';
import { timeOfDay } from '../words.ts';

/** What happened to an instance, oldest first. */
export function Life({ events }: { readonly events: readonly LifeEvent[] | undefined }) {
  if (events === undefined) return <p>Reading its life…</p>;
  if (events.length === 0) return <p>Nothing is known of its life.</p>;
  return (
    <ol class="story" aria-label="Its life">
      {events.map(({ at, text, bad }, index) => (
        <li class={bad ? 'bad' : undefined} key={`${at} ${index}`}>
          <time>{timeOfDay(at)}</time> {text}
        </li>
      ))}
    </ol>
  );
}
