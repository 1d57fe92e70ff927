import type { Incident } from '@drover/observation/api';
import { useContext, useState } from 'preact/hooks';
import { clockTime, timeOfDay } from '../words.ts';
import { CanBranch, useBranch } from './branch.ts';
import { before } from './go-back.tsx';
import { frameBefore, type Past } from './past.ts';

interface TimeBarProps extends Past {
  readonly now: number;
  readonly incidents: readonly Incident[];
}

const stepMs = 60_000;

/** Goes back to any moment that was recorded, with a mark for each incident, and lets another course of events begin there. */
export function TimeBar({ moments, chosen, choose, now, incidents }: TimeBarProps) {
  const branch = useBranch();
  const canBranch = useContext(CanBranch);
  const [aim, setAim] = useState<Incident | undefined>();
  const [first, last] = [moments[0], moments.at(-1)];
  if (first === undefined || last === undefined) return null;
  const said = chosen === undefined ? 'now' : clockTime(chosen);
  const go = (moment: number | undefined, to?: Incident) => {
    setAim(to);
    choose(moment);
  };
  // One step to the right of the last frame: the thumb stands at the end for now, and one step left is that frame.
  const end = first + stepMs * (Math.floor((last - first) / stepMs) + 1);
  const slide = (value: number) => {
    const next = value > (chosen ?? end) ? moments.find((at) => at >= value) : frameBefore(moments, value);
    go(value > last ? undefined : next);
  };
  const share = (at: number) => Math.min(100, (100 * (at - first)) / (end - first));
  return (
    <section class="time-bar" aria-label="Time">
      <label for="moment">Moment</label>
      <div class="slider">
        <input
          id="moment"
          type="range"
          min={first}
          max={end}
          step={stepMs}
          value={chosen ?? end}
          aria-valuetext={said}
          onInput={({ currentTarget }) => slide(Number(currentTarget.value))}
        />
        <ul class="marks" aria-label="Incidents in time">
          {incidents
            .filter(({ openedAt }) => openedAt > first && openedAt <= now)
            .map((incident) => (
              <li class={incident.verdict.state} style={{ left: `${share(incident.openedAt)}%` }} key={incident.id}>
                <button
                  type="button"
                  title={`${timeOfDay(incident.openedAt)} ${incident.title}`}
                  aria-label={`Before: ${incident.title}`}
                  onClick={() => go(frameBefore(moments, before(incident)), incident)}
                />
              </li>
            ))}
        </ul>
      </div>
      <span class="moment">{said}</span>
      {chosen !== undefined && (
        <>
          <button type="button" onClick={() => go(undefined)}>
            Back to now
          </button>
          {canBranch && (
            <button
              type="button"
              class="primary"
              title={aim === undefined ? undefined : `before: ${aim.title}`}
              onClick={() => {
                const at = aim === undefined ? chosen : before(aim);
                void branch(at, `A branch from ${clockTime(at)} is being replayed.`);
                go(undefined);
              }}
            >
              Branch from here
            </button>
          )}
        </>
      )}
    </section>
  );
}
