import type { ClockState } from './api.ts';
import { Toggle } from './buttons.tsx';
import { useControl } from './controls.ts';
import { clockTime } from './words.ts';

const speeds = [1, 10, 60, 300, 900];

/** Simulated time, and how fast it passes. */
export function ClockBar({ clock, connected }: { readonly clock: ClockState; readonly connected: boolean }) {
  const send = useControl();
  return (
    <div class="clock">
      <time dateTime={new Date(clock.now).toISOString()}>{clockTime(clock.now)}</time>
      <Toggle
        on={clock.paused}
        turnOn={['Pause', () => send('clock', { paused: true }, 'The clock is paused.')]}
        turnOff={['Resume', () => send('clock', { paused: false }, 'The clock is running.')]}
      />
      <label>
        Speed{' '}
        <select
          value={clock.speed}
          onChange={({ currentTarget }) =>
            send(
              'clock',
              { speed: Number(currentTarget.value) },
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
      </label>
      {clock.behind && <span class="note">slower than selected: this machine cannot keep up</span>}
      {!connected && <span class="trouble">not connected</span>}
    </div>
  );
}
