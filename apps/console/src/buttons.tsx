import { useControl } from './controls.ts';

type Press = readonly [label: string, press: () => Promise<void>];

/** A button that turns something on, and off again once it is on. */
export function Toggle({ on, turnOn, turnOff }: Readonly<{ on: boolean; turnOn: Press; turnOff: Press }>) {
  const [label, press] = on ? turnOff : turnOn;
  return (
    <button type="button" aria-pressed={on} onClick={press}>
      {label}
    </button>
  );
}

type InstanceControl = 'terminate-instance' | 'break-instance' | 'reclaim-spot' | 'kill-node';

/** A control of one instance, and the message after it was accepted. */
export type InstanceAction = readonly [label: string, control: InstanceControl, done: string];

/** The buttons of a tile. */
export function TileButtons({
  instance,
  name,
  actions,
}: Readonly<{ instance: string; name: string; actions: readonly InstanceAction[] }>) {
  const send = useControl();
  return (
    <span class="acts">
      {actions.map(([label, control, done]) => (
        <button
          type="button"
          aria-label={`${label} ${name}`}
          onClick={() => send(control, { instance }, done)}
          key={label}
        >
          {label}
        </button>
      ))}
    </span>
  );
}
