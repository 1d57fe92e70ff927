import { Double, isLong, type XValue } from '../../engine/values/value.ts';
import { ByteWriter, doubleBits } from './byte-writer.ts';

/** `:)\n`, version 0, shared names on, shared values off, raw binary: the header that Elasticsearch writes. */
const header = Uint8Array.of(0x3a, 0x29, 0x0a, 0x05);
const sharedNameLimit = 1024;
const endOfString = 0xfc;

/** SMILE ("Efficient JSON-compatible binary format: Smile"), written as Jackson does. */
export function writeSmile(value: XValue): Uint8Array {
  const writer = new SmileWriter();
  writer.value(value);
  return writer.out.finish();
}

class SmileWriter {
  readonly out = new ByteWriter();
  #names = new Map<string, number>();
  #nameCount = 0;

  constructor() {
    this.out.bytes(header);
  }

  value(value: XValue) {
    const { out } = this;
    if (value === null || value === undefined) return out.byte(0x21);
    switch (typeof value) {
      case 'boolean':
        return out.byte(value ? 0x23 : 0x22);
      case 'number':
        return isLong(value) ? this.#integer(BigInt(value)) : this.#double(value);
      case 'bigint':
        return this.#integer(value);
      case 'string':
        return this.#text(value);
    }
    if (value instanceof Double) return this.#double(value.value);
    if (value instanceof Uint8Array) return this.#binary(value);
    if (Array.isArray(value)) {
      out.byte(0xf8);
      for (const item of value as readonly XValue[]) this.value(item);
      return out.byte(0xf9);
    }
    out.byte(0xfa);
    for (const [name, member] of Object.entries(value as Record<string, XValue>))
      if (member !== undefined) {
        this.#name(name);
        this.value(member);
      }
    out.byte(0xfb);
  }

  #name(name: string) {
    const { out } = this;
    if (name === '') return out.byte(0x20);
    const known = this.#names.get(name);
    if (known !== undefined) return this.#nameReference(known);
    const bytes = Buffer.from(name);
    const ascii = bytes.length === name.length;
    if (ascii && bytes.length <= 64) out.byte(0x80 + bytes.length - 1);
    else if (!ascii && bytes.length <= 57) out.byte(0xc0 + bytes.length - 2);
    else {
      out.byte(0x34);
      out.bytes(bytes);
      return out.byte(endOfString);
    }
    out.bytes(bytes);
    this.#remember(name);
  }

  #nameReference(index: number) {
    if (index < 64) return this.out.byte(0x40 + index);
    this.out.byte(0x30 + (index >> 8));
    this.out.byte(index & 0xff);
  }

  /** The table of names starts over when it is full. The bytes 0xFE and 0xFF stay out of references, so some places are never named. */
  #remember(name: string): void {
    if (this.#nameCount === sharedNameLimit) {
      this.#names.clear();
      this.#nameCount = 0;
    }
    if ((this.#nameCount & 0xff) < 0xfe) this.#names.set(name, this.#nameCount);
    this.#nameCount += 1;
  }

  #text(text: string) {
    const { out } = this;
    if (text === '') return out.byte(0x20);
    const bytes = Buffer.from(text);
    const ascii = bytes.length === text.length;
    if (ascii && bytes.length <= 32) out.byte(0x40 + bytes.length - 1);
    else if (ascii && bytes.length <= 64) out.byte(0x60 + bytes.length - 33);
    else if (!ascii && bytes.length <= 33) out.byte(0x80 + bytes.length - 2);
    else if (!ascii && bytes.length <= 64) out.byte(0xa0 + bytes.length - 34);
    else {
      out.byte(ascii ? 0xe0 : 0xe4);
      out.bytes(bytes);
      return out.byte(endOfString);
    }
    out.bytes(bytes);
  }

  #integer(value: bigint) {
    const { out } = this;
    if (value >= -16n && value <= 15n) return out.byte(0xc0 + Number(zigzag(value)));
    if (value >= -0x80000000n && value <= 0x7fffffffn) out.byte(0x24);
    else if (value >= -0x8000000000000000n && value <= 0x7fffffffffffffffn) out.byte(0x25);
    else return this.#bigInteger(value);
    variable(zigzag(value), out);
  }

  #bigInteger(value: bigint): void {
    const bytes = twosComplement(value);
    this.out.byte(0x26);
    sevenBit(bytes, this.out);
  }

  #double(value: number): void {
    const bits = doubleBits(value);
    this.out.byte(0x29);
    for (let shift = 63n; shift >= 0n; shift -= 7n) this.out.byte(Number((bits >> shift) & 0x7fn));
  }

  #binary(bytes: Uint8Array): void {
    this.out.byte(0xfd);
    variable(BigInt(bytes.length), this.out);
    this.out.bytes(bytes);
  }
}

const zigzag = (value: bigint) => (value >= 0n ? value << 1n : (-value << 1n) - 1n);

/** Seven bits a byte, the last byte six bits with its highest bit set. */
function variable(value: bigint, out: ByteWriter): void {
  const bytes = [Number(value & 0x3fn) | 0x80];
  for (let rest = value >> 6n; rest > 0n; rest >>= 7n) bytes.unshift(Number(rest & 0x7fn));
  for (const byte of bytes) out.byte(byte);
}

function twosComplement(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  do {
    bytes.unshift(Number(rest & 0xffn));
    rest >>= 8n;
  } while (!((rest === 0n && bytes[0]! < 0x80) || (rest === -1n && bytes[0]! >= 0x80)));
  return Uint8Array.from(bytes);
}

/** Bytes in groups of seven bits, preceded by their number; the last group holds the bits that are left. */
function sevenBit(bytes: Uint8Array, out: ByteWriter): void {
  variable(BigInt(bytes.length), out);
  for (let at = 0; at < bytes.length; at += 7) {
    const group = bytes.slice(at, at + 7);
    const bits = group.length * 8;
    let value = 0n;
    for (const byte of group) value = (value << 8n) | BigInt(byte);
    const whole = Math.floor(bits / 7);
    for (let i = 0; i < whole; i++) out.byte(Number((value >> BigInt(bits - 7 * (i + 1))) & 0x7fn));
    if (bits % 7 !== 0) out.byte(Number(value & BigInt((1 << (bits % 7)) - 1)));
  }
}
