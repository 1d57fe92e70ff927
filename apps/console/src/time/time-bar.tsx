import { useContext } from 'preact/hooks';
import { ShowMessage } from '../controls.ts';
import { clockTime } from '../words.ts';
import type { Past } from './past.ts';

/** Goes back to any moment that was recorded, and lets another course of events begin there. */
export function TimeBar({ moments, chosen, choose }: Past) {
  const show = useContext(ShowMessage);
  if (moments.length === 0) return null;
  const index = chosen === undefined ? moments.length : moments.indexOf(chosen);
  const said = chosen === undefined ? 'now' : clockTime(chosen);
  const branch = async (at: number) => {
    const done = await fetch('/api/branch', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ at }),
    }).catch(() => undefined);
    const text = done?.ok === true ? `A branch from ${clockTime(at)} is being replayed.` : 'Not done: no branch here.';
    show({ text, undo: undefined });
    choose(undefined);
  };
  return (
    <section class="time-bar" aria-label="Time">
      <label>
        Moment{' '}
        <input
          type="range"
          min={0}
          max={moments.length}
          value={index}
          aria-valuetext={said}
          onInput={({ currentTarget }) => choose(moments[Number(currentTarget.value)])}
        />
      </label>
      <span class="moment">{said}</span>
      {chosen !== undefined && (
        <>
          <button type="button" onClick={() => choose(undefined)}>
            Back to now
          </button>
          <button type="button" onClick={() => branch(chosen)}>
            Branch from here
          </button>
        </>
      )}
    </section>
  );
}
