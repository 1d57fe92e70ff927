interface NumberFieldProps {
  readonly label: string;
  readonly min: number;
  readonly max: number;
  readonly value: number;
  readonly set: (value: number) => void;
}

export const NumberField = ({ label, min, max, value, set }: NumberFieldProps) => (
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
