import type { ClockState } from '@drover/observation/api';
import { useEffect, useRef } from 'preact/hooks';
import { useControl } from './controls.ts';
import { clockTime, timeOfDay } from './words.ts';

const speeds = [1, 10, 60, 300, 900];

interface ClockBarProps {
  readonly clock: ClockState;
  readonly connected: boolean;
  /** Time passes by itself. */
  readonly fixed: boolean;
}

/** The time, and of a world how fast it passes. */
export const ClockBar = (props: ClockBarProps) =>
  props.fixed ? (
    <div class="clock">
      <Time at={props.clock.now} title="time, as AWS reports it" />
      {!props.connected && <span class="trouble">not connected</span>}
    </div>
  ) : (
    <Pace {...props} />
  );

const Time = ({ at, title }: { readonly at: number; readonly title: string }) => (
  <time dateTime={new Date(at).toISOString()} title={title}>
    <span class="words">{clockTime(at).slice(0, 10)} </span>
    {timeOfDay(at)}
    <span class="words"> UTC</span>
  </time>
);

/** Simulated time, and how fast it passes. The space bar pauses and resumes. */
function Pace({ clock, connected }: ClockBarProps) {
  const send = useControl();
  const reached = useReachedSpeed(clock);
  const toggle = () =>
    clock.paused
      ? send(['clock', { paused: false }], 'The clock is running.')
      : send(['clock', { paused: true }], 'The clock is paused.', ['clock', { paused: false }]);
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key !== ' ' || event.target !== document.body) return;
      event.preventDefault();
      void toggle();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, [clock.paused]);
  return (
    <div class="clock">
      <span>
        <Time at={clock.now} title="simulated time" /> <small class="note words">simulated</small>
      </span>
      <button type="button" class="pause" aria-pressed={clock.paused} onClick={toggle}>
        <span class="words">{clock.paused ? 'Resume' : 'Pause'}</span>
      </button>
      <select
        aria-label="Speed"
        value={clock.speed}
        onChange={({ currentTarget }) =>
          send(
            ['clock', { speed: Number(currentTarget.value) }],
            `${currentTarget.value} simulated seconds per second.`,
          )
        }
      >
        {[...new Set([...speeds, clock.speed])]
          .sort((a, b) => a - b)
          .map((speed) => (
            <option value={speed} key={speed}>
              {speed}×
            </option>
          ))}
      </select>
      {clock.behind && !clock.paused && (
        <span class="note" title="About so fast: this machine cannot keep up with the selected speed.">
          ≈ {reached}×
        </span>
      )}
      {!connected && <span class="trouble">not connected</span>}
    </div>
  );
}

const measuredOverMs = 3_000;

/** How many simulated seconds pass in a real one, over the last seconds. */
function useReachedSpeed({ now, speed }: ClockState): number {
  const since = useRef({ real: performance.now(), simulated: now, reached: speed });
  const passed = performance.now() - since.current.real;
  if (passed >= measuredOverMs) {
    const reached = Math.max(1, Math.round((now - since.current.simulated) / passed));
    since.current = { real: performance.now(), simulated: now, reached };
  }
  return Math.min(speed, since.current.reached);
}
