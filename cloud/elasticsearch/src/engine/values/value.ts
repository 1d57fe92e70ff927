/** A floating-point number that must read as one on the wire (`100.0`, not `100`), as Java writes it. */
export class Double {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }

  toJSON(): number {
    return this.value;
  }
}

/** What a structured response is made of. Undefined members are left out. */
export type XValue =
  | null
  | undefined
  | boolean
  | number
  | bigint
  | string
  | Double
  | Uint8Array
  | readonly XValue[]
  | { readonly [key: string]: XValue };

export type XObject = { readonly [key: string]: XValue };

export function isXObject(value: unknown): value is XObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Double) &&
    !(value instanceof Uint8Array)
  );
}

/** Whether Java would hold the number as an integer: minus zero is a double. */
export const isLong = (value: number) => Number.isSafeInteger(value) && !Object.is(value, -0);

/** Java's `Double.toString`, for what JSON, YAML and cat tables show. */
export function javaDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity';
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e7 || size < 1e-3)) return scientific(value);
  return Number.isInteger(value) ? `${Object.is(value, -0) ? '-0' : value}.0` : String(value);
}

function scientific(value: number): string {
  const [mantissa, exponent] = value.toExponential().split('e') as [string, string];
  return `${mantissa.includes('.') ? mantissa : `${mantissa}.0`}E${Number(exponent)}`;
}
