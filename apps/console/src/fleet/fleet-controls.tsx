import { useState } from 'preact/hooks';
import type { FleetState, PlatformState } from '../api.ts';
import { useControl } from '../say.ts';

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
      <button
        type="button"
        aria-pressed={platform.down}
        onClick={() =>
          send(
            'platform-down',
            { on: !platform.down },
            platform.down ? 'The platform is back.' : 'The platform answers 503.',
          )
        }
      >
        {platform.down ? 'Bring the platform back' : 'Take the platform down'}
      </button>
      <button
        type="button"
        aria-pressed={platform.rateLimited}
        onClick={() =>
          send(
            'platform-rate-limit',
            { on: !platform.rateLimited },
            platform.rateLimited ? 'The limit is lifted.' : 'The platform refuses by rate limit.',
          )
        }
      >
        {platform.rateLimited ? 'Lift the rate limit' : 'Rate-limit the platform'}
      </button>
      <button
        type="button"
        onClick={() =>
          refreshing
            ? send('cancel-refresh', { group }, 'The refresh is cancelled.')
            : send('start-refresh', { group }, 'Every instance is replaced, one after the other.')
        }
      >
        {refreshing ? 'Cancel the instance refresh' : 'Start an instance refresh'}
      </button>
    </section>
  );
}
