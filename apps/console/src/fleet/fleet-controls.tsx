import { useState } from 'preact/hooks';
import type { FleetState, PlatformState } from '../api.ts';
import { Toggle } from '../buttons.tsx';
import { useControl } from '../controls.ts';

/** Operations and failures that can be tried on the fleet. */
export function FleetControls({ fleet, platform }: { readonly fleet: FleetState; readonly platform: PlatformState }) {
  const send = useControl();
  const [count, setCount] = useState(5);
  const [minutes, setMinutes] = useState(10);
  const [capacity, setCapacity] = useState<number | undefined>();
  const desired = capacity ?? fleet.desiredCapacity;
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
        <NumberField label="Jobs" min={1} max={500} value={count} set={setCount} />
        <NumberField label="of minutes" min={1} max={1440} value={minutes} set={setMinutes} />
        <button type="submit">Queue jobs</button>
      </form>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send('set-desired', { group, capacity: desired }, `The desired capacity is ${desired}.`).then(() =>
            setCapacity(undefined),
          );
        }}
      >
        <NumberField
          label="Desired capacity"
          min={fleet.minSize}
          max={fleet.maxSize}
          value={desired}
          set={setCapacity}
        />
        <button type="submit">Set</button>
      </form>
      <Toggle
        on={platform.down}
        turnOn={['Take the platform down', () => send('platform-down', { on: true }, 'The platform returns 503.')]}
        turnOff={['Bring the platform back', () => send('platform-down', { on: false }, 'The platform is back.')]}
      />
      <Toggle
        on={platform.rateLimited}
        turnOn={[
          'Rate-limit the platform',
          () => send('platform-rate-limit', { on: true }, 'The platform rejects requests by its rate limit.'),
        ]}
        turnOff={['Lift the rate limit', () => send('platform-rate-limit', { on: false }, 'The rate limit is lifted.')]}
      />
      <Toggle
        on={refreshing}
        turnOn={[
          'Start an instance refresh',
          () => send('start-refresh', { group }, 'Every instance is replaced, one at a time.'),
        ]}
        turnOff={['Cancel the instance refresh', () => send('cancel-refresh', { group }, 'The refresh is cancelled.')]}
      />
    </section>
  );
}

interface NumberFieldProps {
  readonly label: string;
  readonly min: number;
  readonly max: number;
  readonly value: number;
  readonly set: (value: number) => void;
}

const NumberField = ({ label, min, max, value, set }: NumberFieldProps) => (
  <label>
    {label}{' '}
    <input
      type="number"
      min={min}
      max={max}
      value={value}
      onInput={(event) => set(Number(event.currentTarget.value))}
    />
  </label>
);
