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
