import type { FleetState, Observation } from '@drover/observation/api';
import { useContext, useState } from 'preact/hooks';
import { ReadOnly, useControl } from '../controls.ts';
import { InputsForm } from './inputs-form.tsx';
import { NumberField } from './number-field.tsx';
import { Offered } from './offered.tsx';
import { groundOffers } from './offers.ts';
import { Scenarios } from './scenarios.tsx';

/** Operations and faults that can be tried. */
export function Tools({ state }: { readonly state: Observation }) {
  if (useContext(ReadOnly)) return null;
  const { fleet } = state;
  const { faults, refreshes } = groundOffers(state);
  return (
    <section class="tools" aria-labelledby="tools-title">
      <h2 id="tools-title" class="hidden">
        Tools
      </h2>
      <div>
        <h3>Work</h3>
        <Work fleet={fleet} />
      </div>
      {fleet.inputs !== undefined && (
        <div>
          <InputsForm inputs={fleet.inputs} />
        </div>
      )}
      <div>
        <h3>Break something</h3>
        <Offered offers={faults} />
      </div>
      <div>
        <h3 class="hidden">Instance refresh</h3>
        <Offered offers={refreshes} />
      </div>
      <div>
        <Scenarios state={state} />
      </div>
    </section>
  );
}

/** Jobs and the size of the fleet. */
function Work({ fleet }: { readonly fleet: FleetState }) {
  const send = useControl();
  const [count, setCount] = useState(5);
  const [minutes, setMinutes] = useState(10);
  const [capacity, setCapacity] = useState<number | undefined>();
  const [name, setName] = useState('default');
  const type = fleet.types?.find((one) => one.name === name);
  const group = type ?? fleet;
  const desired = capacity ?? group.desiredCapacity;
  return (
    <>
      {fleet.types !== undefined && (
        <label class="work">
          Type{' '}
          <select
            value={name}
            onChange={(event) => {
              setName(event.currentTarget.value);
              setCapacity(undefined);
            }}
          >
            {fleet.types.map((one) => (
              <option key={one.name}>{one.name}</option>
            ))}
          </select>
        </label>
      )}
      <form
        class="work"
        onSubmit={(event) => {
          event.preventDefault();
          const ofType = type === undefined ? {} : { type: name };
          void send(['queue-jobs', { count, minutes, ...ofType }], `${count} jobs were queued.`);
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
          const before = group.desiredCapacity;
          void send(
            ['set-desired', { group: group.groupName, capacity: desired }],
            `The desired capacity is ${desired}.`,
            ['set-desired', { group: group.groupName, capacity: before }],
          ).then(() => setCapacity(undefined));
        }}
      >
        <NumberField
          label="Desired capacity"
          min={group.minSize}
          max={group.maxSize}
          value={desired}
          set={setCapacity}
        />
        <button type="submit">Set</button>
      </form>
    </>
  );
}
