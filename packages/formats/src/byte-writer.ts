/** A byte buffer that grows as it is written. */
export class ByteWriter {
  #bytes = new Uint8Array(256);
  #length = 0;

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  bytes(values: Uint8Array): void {
    this.#reserve(values.length);
    this.#bytes.set(values, this.#length);
    this.#length += values.length;
  }

  /** An unsigned integer of `size` bytes, big-endian. */
  unsigned(value: bigint, size: number): void {
    for (let at = size - 1; at >= 0; at--) this.byte(Number((value >> BigInt(at * 8)) & 0xffn));
  }

  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + more));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

/** The 64 bits of a double as an unsigned integer. */
export function doubleBits(value: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return view.getBigUint64(0);
}

/** A big integer in two's complement, big-endian, in as few bytes as possible (`java.math.BigInteger.toByteArray`). */
export function twosComplement(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  do {
    bytes.unshift(Number(rest & 0xffn));
    rest >>= 8n;
  } while (!((rest === 0n && bytes[0]! < 0x80) || (rest === -1n && bytes[0]! >= 0x80)));
  return Uint8Array.from(bytes);
}
