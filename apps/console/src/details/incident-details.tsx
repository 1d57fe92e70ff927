import type { Incident } from '@drover/observation/api';
import { onlyWhenChanged } from '../only-when-changed.tsx';
import { addressHere } from '../route.ts';
import { span, timeOfDay } from '../words.ts';

const titles = { open: 'under way', good: 'ended well', bad: 'ended badly' } as const;

/** Cause, reaction and verdict of one incident. */
export const IncidentDetails = onlyWhenChanged(({ incident }: { readonly incident: Incident }) => {
  const { title, openedAt, endedAt, steps, verdict } = incident;
  return (
    <article class={`incident ${verdict.state}`}>
      <h3>{title}</h3>
      <p class="verdict">
        <strong>{titles[verdict.state]}</strong>
        {endedAt === undefined ? '' : ` after ${span(endedAt - openedAt)}`}. {verdict.text}
      </p>
      <ol class="story">
        {steps.map(({ at, text, bad, about }, index) => (
          <li class={bad ? 'bad' : undefined} key={`${at} ${index}`}>
            <time>{timeOfDay(at)}</time> {about === undefined ? text : <a href={addressHere(about)}>{text}</a>}
          </li>
        ))}
      </ol>
    </article>
  );
});
