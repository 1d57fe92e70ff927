import type { ChangeableInputs, Controls } from '@drover/observation/api';
import { useState } from 'preact/hooks';
import { useControl } from '../controls.ts';
import { NumberField } from './number-field.tsx';

/** Inputs of the fleet, changed by an update of its stack. */
export function InputsForm({ inputs }: { readonly inputs: ChangeableInputs }) {
  const send = useControl();
  const [edited, setEdited] = useState<Controls['change-inputs']>({});
  const shown = { ...inputs, ...edited };
  const edit = (change: Controls['change-inputs']) => setEdited({ ...edited, ...change });
  const { idleTarget, maxSize, drainSeconds, mode } = inputs;
  return (
    <>
      <h3>Inputs of the fleet</h3>
      <form
        class="work"
        onSubmit={(event) => {
          event.preventDefault();
          const before = { idleTarget, maxSize, drainSeconds, mode };
          void send(['change-inputs', edited], 'The stack is being updated.', ['change-inputs', before]).then(() =>
            setEdited({}),
          );
        }}
      >
        <NumberField
          label="Idle target"
          min={0}
          max={1000}
          value={shown.idleTarget}
          set={(value) => edit({ idleTarget: value })}
        />
        <NumberField
          label="Maximum size"
          min={1}
          max={1000}
          value={shown.maxSize}
          set={(value) => edit({ maxSize: value })}
        />
        <NumberField
          label="Drain seconds"
          min={0}
          max={172_800}
          value={shown.drainSeconds}
          set={(value) => edit({ drainSeconds: value })}
        />
        <label>
          Scales on{' '}
          <select
            value={shown.mode}
            onChange={({ currentTarget }) => edit({ mode: currentTarget.value as ChangeableInputs['mode'] })}
          >
            <option value="idle">idle runners</option>
            <option value="jobs">waiting jobs</option>
          </select>
        </label>
        <button type="submit">{inputs.updating ? 'Updating the stack…' : 'Deploy inputs'}</button>
      </form>
    </>
  );
}
