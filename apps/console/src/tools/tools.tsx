import type { FleetState, Observation } from '@drover/observation/api';
import { useContext, useState } from 'preact/hooks';
import { ReadOnly, useControl } from '../controls.ts';
import { Toggle } from './confirm-button.tsx';
import { InputsForm } from './inputs-form.tsx';
import { NumberField } from './number-field.tsx';
import { Scenarios } from './scenarios.tsx';

/** Operations and faults that can be tried. */
export function Tools({ state }: { readonly state: Observation }) {
  const { fleet, cluster, platform, zones } = state;
  if (useContext(ReadOnly)) return null;
  return (
    <section class="tools" aria-labelledby="tools-title">
      <h2 id="tools-title">Tools</h2>
      <Work fleet={fleet} />
      {fleet.inputs !== undefined && <InputsForm inputs={fleet.inputs} />}
      <h3>Faults</h3>
      <p class="acts">
        {zones.map(({ name, lost }) => (
          <Toggle
            key={name}
            on={lost}
            turnOn={[`Lose ${name}`, ['lose-zone', { zone: name, lost: true }], `${name} is lost.`]}
            turnOff={[`Bring ${name} back`, ['lose-zone', { zone: name, lost: false }], `${name} is back.`]}
          />
        ))}
        <Toggle
          on={platform.down}
          turnOn={['Take GitHub down', ['platform-down', { on: true }], 'GitHub returns 503.']}
          turnOff={['Bring GitHub back', ['platform-down', { on: false }], 'GitHub is back.']}
        />
        <Toggle
          on={platform.rateLimited}
          turnOn={[
            'Rate-limit GitHub',
            ['platform-rate-limit', { on: true }],
            'GitHub rejects requests by its rate limit.',
          ]}
          turnOff={['Lift the rate limit', ['platform-rate-limit', { on: false }], 'The rate limit is lifted.']}
        />
        <Toggle
          on={platform.slowNetwork}
          turnOn={['Slow the network', ['slow-network', { on: true }], 'Every request takes five seconds more.']}
          turnOff={['Restore the network', ['slow-network', { on: false }], 'The network is fast again.']}
        />
        <Toggle
          on={platform.functionsThrottled}
          turnOn={['Throttle the functions', ['throttle-functions', { on: true }], 'Lambda runs no function.']}
          turnOff={['Let functions run', ['throttle-functions', { on: false }], 'Lambda runs functions again.']}
        />
      </p>
      <h3>Instance refresh</h3>
      <p class="acts">
        {[fleet.groupName, ...cluster.groups.map(({ name }) => name)].map((group) => (
          <Toggle
            key={group}
            harmless
            on={[fleet.refresh, ...cluster.refreshes].some(
              (refresh) => refresh?.group === group && /Progress|Pending|Cancelling/.test(refresh.status),
            )}
            turnOn={[
              `Refresh ${group}`,
              ['start-refresh', { group }],
              `Every instance of ${group} is replaced, one at a time.`,
            ]}
            turnOff={[
              `Cancel refresh of ${group}`,
              ['cancel-refresh', { group }],
              `The refresh of ${group} is cancelled.`,
            ]}
          />
        ))}
      </p>
      <Scenarios state={state} />
    </section>
  );
}

/** Jobs and the size of the fleet. */
function Work({ fleet }: { readonly fleet: FleetState }) {
  const send = useControl();
  const [count, setCount] = useState(5);
  const [minutes, setMinutes] = useState(10);
  const [capacity, setCapacity] = useState<number | undefined>();
  const desired = capacity ?? fleet.desiredCapacity;
  return (
    <>
      <form
        class="work"
        onSubmit={(event) => {
          event.preventDefault();
          void send(['queue-jobs', { count, minutes }], `${count} jobs were queued.`);
        }}
      >
        <NumberField label="Jobs" min={1} max={500} value={count} set={setCount} />
        <NumberField label="Minutes each" min={1} max={1440} value={minutes} set={setMinutes} />
        <button type="submit">Queue jobs</button>
      </form>
      <form
        class="work"
        onSubmit={(event) => {
          event.preventDefault();
          const before = fleet.desiredCapacity;
          void send(
            ['set-desired', { group: fleet.groupName, capacity: desired }],
            `The desired capacity is ${desired}.`,
            ['set-desired', { group: fleet.groupName, capacity: before }],
          ).then(() => setCapacity(undefined));
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
    </>
  );
}
