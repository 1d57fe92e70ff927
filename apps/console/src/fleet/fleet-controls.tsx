import { useState } from 'preact/hooks';
import type { FleetState, PlatformState } from '../api.ts';
import { useControl } from '../say.ts';
import { Toggle } from '../toggle.tsx';

/** What an operator, or bad luck, can do to the fleet. */
export function FleetControls({ fleet, platform }: { readonly fleet: FleetState; readonly platform: PlatformState }) {
  const send = useControl();
  const [count, setCount] = useState(5);
  const [minutes, setMinutes] = useState(10);
  const [capacity, setCapacity] = useState<number | undefined>();
  const wanted = capacity ?? fleet.desiredCapacity;
  const group = fleet.groupName;
  const refreshing = fleet.refresh !== undefined && /Progress|Pending|Cancelling/.test(fleet.refresh.status);
  return (
    <section class="controls" aria-labelledby="fleet-controls-title">
      <h2 id="fleet-controls-title">Try something</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send('queue-jobs', { count, minutes }, `${count} jobs were queued.`);
        }}
      >
        <label>
          Jobs{' '}
          <input
            type="number"
            min="1"
            max="500"
            value={count}
            onInput={(event) => setCount(Number(event.currentTarget.value))}
          />
        </label>
        <label>
          of minutes{' '}
          <input
            type="number"
            min="1"
            max="1440"
            value={minutes}
            onInput={(event) => setMinutes(Number(event.currentTarget.value))}
          />
        </label>
        <button type="submit">Queue jobs</button>
      </form>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send('set-desired', { group, capacity: wanted }, `${wanted} instances are wanted.`).then(() =>
            setCapacity(undefined),
          );
        }}
      >
        <label>
          Wanted instances{' '}
          <input
            type="number"
            min={fleet.minSize}
            max={fleet.maxSize}
            value={wanted}
            onInput={(event) => setCapacity(Number(event.currentTarget.value))}
          />
        </label>
        <button type="submit">Set</button>
      </form>
      <Toggle
        on={platform.down}
        turnOn={{
          label: 'Take the platform down',
          press: () => send('platform-down', { on: true }, 'The platform answers 503.'),
        }}
        turnOff={{
          label: 'Bring the platform back',
          press: () => send('platform-down', { on: false }, 'The platform is back.'),
        }}
      />
      <Toggle
        on={platform.rateLimited}
        turnOn={{
          label: 'Rate-limit the platform',
          press: () => send('platform-rate-limit', { on: true }, 'The platform refuses by rate limit.'),
        }}
        turnOff={{
          label: 'Lift the rate limit',
          press: () => send('platform-rate-limit', { on: false }, 'The limit is lifted.'),
        }}
      />
      <Toggle
        on={refreshing}
        turnOn={{
          label: 'Start an instance refresh',
          press: () => send('start-refresh', { group }, 'Every instance is replaced, one after the other.'),
        }}
        turnOff={{
          label: 'Cancel the instance refresh',
          press: () => send('cancel-refresh', { group }, 'The refresh is cancelled.'),
        }}
      />
    </section>
  );
}
