import type { Incident } from '@drover/observation/api';
import { useEffect, useRef } from 'preact/hooks';
import { figuresOf } from '../incidents/figures.ts';
import { groupedSteps, type StepGroup } from '../incidents/grouped-steps.ts';
import { onlyWhenChanged } from '../only-when-changed.tsx';
import { addressHere } from '../route.ts';
import { counted, span, timeOfDay } from '../words.ts';

const titles = { open: 'under way', good: 'ended well', fair: 'ended as well as can be', bad: 'ended badly' } as const;

interface IncidentProps {
  readonly incident: Incident;
  readonly now: number;
}

/** One incident: its cause in a sentence, the figures that people quote, its verdict, and its steps folded. */
export const IncidentDetails = onlyWhenChanged(({ incident, now }: IncidentProps) => {
  const { title, openedAt, endedAt, steps, verdict } = incident;
  return (
    <article class={`incident ${verdict.state}`}>
      <h3>{title}</h3>
      <ul class="figures">
        {figuresOf(incident, now).map((figure) => (
          <li key={figure}>{figure}</li>
        ))}
      </ul>
      <p class="verdict">
        <strong>{titles[verdict.state]}</strong>
        {endedAt === undefined ? '' : ` after ${span(endedAt - openedAt)}`}. {verdict.text}
      </p>
      <Steps groups={groupedSteps(steps)} />
    </article>
  );
});

/** Folded, with the newest in view; unfolded, the list follows the newest. */
function Steps({ groups }: { readonly groups: readonly StepGroup[] }) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    if (list.current !== null) list.current.scrollTop = list.current.scrollHeight;
  }, [groups.length]);
  const newest = groups.at(-1);
  if (newest === undefined) return null;
  return (
    <details class="steps">
      <summary>
        {counted(groups.length, 'step')}, the newest: <time>{timeOfDay(newest.at)}</time> {newest.text}
      </summary>
      <ol class="story" ref={list}>
        {groups.map((group, index) => (
          <li class={group.bad ? 'bad' : undefined} key={`${group.at} ${index}`}>
            <time>{timeOfDay(group.at)}</time> <Step group={group} />
          </li>
        ))}
      </ol>
    </details>
  );
}

function Step({ group: { text, members } }: { readonly group: StepGroup }) {
  const [only] = members;
  if (members.length === 1) return only?.about === undefined ? text : <a href={addressHere(only.about)}>{text}</a>;
  return (
    <>
      {text}{' '}
      {members.map(({ name, about }) => (
        <span class="member" key={name}>
          {about === undefined ? name : <a href={addressHere(about)}>{name}</a>}{' '}
        </span>
      ))}
    </>
  );
}
