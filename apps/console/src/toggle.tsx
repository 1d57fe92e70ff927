interface Press {
  readonly label: string;
  readonly press: () => Promise<void>;
}

/** A button that turns something on, and off again once it is on. */
export function Toggle({
  on,
  turnOn,
  turnOff,
}: {
  readonly on: boolean;
  readonly turnOn: Press;
  readonly turnOff: Press;
}) {
  const { label, press } = on ? turnOff : turnOn;
  return (
    <button type="button" aria-pressed={on} onClick={press}>
      {label}
    </button>
  );
}
