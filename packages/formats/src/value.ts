/** A floating-point number that stays one in the encoded form (`100.0`, not `100`), as Java's `double` does. */
export class Double {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }

  toJSON(): number {
    return this.value;
  }
}

/**
 * The values that the binary formats can carry: JSON, and beyond it large integers, explicit doubles and bytes.
 * Undefined members are left out.
 */
export type Value =
  | null
  | undefined
  | boolean
  | number
  | bigint
  | string
  | Double
  | Uint8Array
  | readonly Value[]
  | Document;

/** An object of {@link Value}s. */
export type Document = { readonly [key: string]: Value };

/** Whether Java would hold the number as an integer: minus zero is a double. */
export const isLong = (value: number): boolean => Number.isSafeInteger(value) && !Object.is(value, -0);

const leastSafe = BigInt(Number.MIN_SAFE_INTEGER);
const mostSafe = BigInt(Number.MAX_SAFE_INTEGER);

/** An integer as a number where that is exact, otherwise as a bigint. */
export const plainInteger = (value: bigint): number | bigint =>
  value >= leastSafe && value <= mostSafe ? Number(value) : value;

/** Documents that are nested deeper are refused: decoding them would exhaust the stack. */
export const maxDepth = 1000;
