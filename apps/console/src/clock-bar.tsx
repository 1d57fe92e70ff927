import type { ClockState } from './api.ts';
import { useControl } from './say.ts';
import { Toggle } from './toggle.tsx';
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
        turnOn={{ label: 'Pause', press: () => send('clock', { paused: true }, 'Time stands still.') }}
        turnOff={{ label: 'Go on', press: () => send('clock', { paused: false }, 'Time goes on.') }}
      />
      <label>
        Speed{' '}
        <select
          value={clock.speed}
          onChange={({ currentTarget }) =>
            send('clock', { speed: Number(currentTarget.value) }, `${currentTarget.value} simulated seconds a second.`)
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
      {clock.behind && <span class="note">slower than asked: the machine is busy</span>}
      {!connected && <span class="trouble">not connected</span>}
    </div>
  );
}
