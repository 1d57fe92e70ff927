import type { Observation } from '@drover/observation/api';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import { ReadOnly, useControl } from '../controls.ts';
import { GoBack } from '../time/go-back.tsx';
import { type Tour, tours } from './tours.ts';

interface Playing {
  readonly tour: Tour;
  readonly startedAt: number;
  /** Of its legs; as many as there are once it is over. */
  readonly leg: number;
  readonly begunAt: number;
}

/** A card for who comes for the first time: plays something worth seeing, at a pace that can be followed, up to its verdict. */
export function FirstMinute({ state }: { readonly state: Observation }) {
  const send = useControl();
  const [playing, setPlaying] = useState<Playing | undefined>();
  const [dismissed, setDismissed] = useState(false);
  const begun = useRef(-1);
  const readOnly = useContext(ReadOnly);
  const { now } = state.clock;
  const leg = playing?.tour.legs[playing.leg];

  useEffect(() => {
    if (playing === undefined || leg === undefined || begun.current === playing.leg) return;
    begun.current = playing.leg;
    const said = `${playing.tour.title}: ${playing.leg + 1} of ${playing.tour.legs.length}.`;
    void send(['clock', { speed: leg.speed, paused: false }], said).then(async () => {
      if (leg.act !== undefined) await send(leg.act(state), said);
    });
  }, [playing, leg]);
  useEffect(() => {
    if (playing === undefined || leg === undefined || !leg.isOver(state, now - playing.begunAt)) return;
    const next = playing.leg + 1;
    setPlaying({ ...playing, leg: next, begunAt: now });
    if (next === playing.tour.legs.length) void send(['clock', { speed: 10 }], 'The tour is over.');
  }, [now]);

  const play = (tour: Tour) => {
    begun.current = -1;
    setPlaying({ tour, startedAt: now, leg: 0, begunAt: now });
  };
  if (readOnly) return null;
  if (playing === undefined)
    return dismissed || state.incidents.length > 0 ? null : (
      <section class="tour" aria-label="Your first minute">
        <h3>Your first minute</h3>
        <p class="acts">
          {tours.map((tour) => (
            <button type="button" class="primary" title={tour.about} onClick={() => play(tour)} key={tour.title}>
              ▶ {tour.title}
            </button>
          ))}
          <button type="button" onClick={() => setDismissed(true)}>
            Not now
          </button>
        </p>
        <p>{tours[0]!.about} It slows down where something happens, and ends with a verdict.</p>
      </section>
    );
  const { tour } = playing;
  const incident = state.incidents.findLast(({ kind, openedAt }) => kind === 'fault' && openedAt >= playing.startedAt);
  const next = tours[(tours.indexOf(tour) + 1) % tours.length]!;
  return (
    <section class="tour" aria-label={tour.title}>
      <h3>
        {tour.title}{' '}
        <small>{leg === undefined ? 'the end' : `${playing.leg + 1} of ${tour.legs.length}, ${leg.speed}×`}</small>
      </h3>
      {leg !== undefined ? (
        <p>{leg.say}</p>
      ) : (
        <>
          <p class="tour-verdict">{incident?.verdict.text ?? 'Its incident is still under way.'}</p>
          {incident !== undefined && <GoBack incident={incident} />}
        </>
      )}
      <p class="acts">
        {leg === undefined && (
          <button type="button" class="primary" onClick={() => play(next)}>
            ▶ {next.title}
          </button>
        )}
        <button type="button" onClick={() => setPlaying(undefined)}>
          {leg === undefined ? 'Close' : 'Stop the tour'}
        </button>
      </p>
    </section>
  );
}
