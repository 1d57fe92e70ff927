import type { XValue } from '../../engine/values/value.ts';

/** The bytes are not SMILE. */
export class SmileError extends Error {}

/** Reads SMILE with or without shared names and shared values. */
export function readSmile(bytes: Uint8Array): XValue {
  const reader = new SmileReader(bytes);
  return reader.document();
}

class SmileReader {
  #bytes: Uint8Array;
  #at = 0;
  #names: string[] = [];
  #values: string[] = [];
  #sharesNames = true;
  #sharesValues = false;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  document(): XValue {
    const [a, b, c, flags] = this.#bytes;
    if (a !== 0x3a || b !== 0x29 || c !== 0x0a || flags === undefined) throw new SmileError('no SMILE header');
    this.#sharesNames = (flags & 1) !== 0;
    this.#sharesValues = (flags & 2) !== 0;
    this.#at = 4;
    return this.#value(this.#next());
  }

  #next(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new SmileError('unexpected end of input');
    return byte;
  }

  #value(token: number): XValue {
    if (token >= 0x01 && token <= 0x1f) return this.#sharedValue(token - 1);
    if (token >= 0x20 && token <= 0x2f) return this.#literal(token);
    if (token >= 0x40 && token <= 0x5f) return this.#shortText(token - 0x40 + 1);
    if (token >= 0x60 && token <= 0x7f) return this.#shortText(token - 0x60 + 33);
    if (token >= 0x80 && token <= 0x9f) return this.#shortText(token - 0x80 + 2);
    if (token >= 0xa0 && token <= 0xbf) return this.#shortText(token - 0xa0 + 34);
    if (token >= 0xc0 && token <= 0xdf) return unzigzag(token - 0xc0);
    return this.#structure(token);
  }

  #structure(token: number): XValue {
    switch (token) {
      case 0xe0:
      case 0xe4:
        return this.#longText();
      case 0xe8:
        return this.#sevenBit();
      case 0xf8:
        return this.#list();
      case 0xfa:
        return this.#object();
      case 0xfd: {
        const length = Number(this.#variable());
        this.#at += length;
        return this.#bytes.slice(this.#at - length, this.#at);
      }
    }
    if (token >= 0xec && token <= 0xef) return this.#sharedValue(((token - 0xec) << 8) | this.#next());
    throw new SmileError(`unexpected token 0x${token.toString(16)} at ${this.#at - 1}`);
  }

  #literal(token: number): XValue {
    switch (token) {
      case 0x20:
        return '';
      case 0x21:
        return null;
      case 0x22:
        return false;
      case 0x23:
        return true;
      case 0x24:
      case 0x25:
        return safeInteger(unzigzagBig(this.#variable()));
      case 0x26:
        return safeInteger(fromTwosComplement(this.#sevenBit()));
      case 0x28:
        return this.#float(4, 5);
      case 0x29:
        return this.#float(8, 10);
      case 0x2a: {
        const scale = Number(unzigzagBig(this.#variable()));
        return Number(fromTwosComplement(this.#sevenBit())) / 10 ** scale;
      }
    }
    throw new SmileError(`reserved token 0x${token.toString(16)}`);
  }

  #float(size: 4 | 8, groups: number): number {
    let bits = 0n;
    for (let i = 0; i < groups; i++) bits = (bits << 7n) | BigInt(this.#next() & 0x7f);
    const view = new DataView(new ArrayBuffer(8));
    if (size === 8) view.setBigUint64(0, BigInt.asUintN(64, bits));
    else view.setUint32(0, Number(BigInt.asUintN(32, bits)));
    return size === 8 ? view.getFloat64(0) : view.getFloat32(0);
  }

  #shortText(length: number): string {
    const text = this.#slice(length);
    if (this.#sharesValues) remember(this.#values, text);
    return text;
  }

  #slice(length: number): string {
    if (this.#at + length > this.#bytes.length) throw new SmileError('unexpected end of input in a text');
    this.#at += length;
    return Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset + this.#at - length, length).toString();
  }

  #longText(): string {
    const end = this.#bytes.indexOf(0xfc, this.#at);
    if (end < 0) throw new SmileError('unexpected end of input in a long text');
    const text = this.#slice(end - this.#at);
    this.#at += 1;
    return text;
  }

  #sharedValue(index: number): string {
    const text = this.#values[index];
    if (text === undefined) throw new SmileError(`no shared value ${index}`);
    return text;
  }

  #list(): XValue[] {
    const items: XValue[] = [];
    for (let token = this.#next(); token !== 0xf9; token = this.#next()) items.push(this.#value(token));
    return items;
  }

  #object(): XValue {
    const members: [string, XValue][] = [];
    for (let token = this.#next(); token !== 0xfb; token = this.#next()) {
      const name = this.#name(token);
      members.push([name, this.#value(this.#next())]);
    }
    return Object.fromEntries(members);
  }

  #name(token: number): string {
    if (token === 0x20) return '';
    if (token >= 0x30 && token <= 0x33) return this.#sharedName(((token & 3) << 8) | this.#next());
    if (token === 0x34) return this.#longText();
    if (token >= 0x40 && token <= 0x7f) return this.#sharedName(token - 0x40);
    const length = token >= 0xc0 ? token - 0xc0 + 2 : token - 0x80 + 1;
    if (token < 0x80 || token > 0xf7) throw new SmileError(`unexpected name token 0x${token.toString(16)}`);
    const name = this.#slice(length);
    if (this.#sharesNames) remember(this.#names, name);
    return name;
  }

  #sharedName(index: number): string {
    const name = this.#names[index];
    if (name === undefined) throw new SmileError(`no shared name ${index}`);
    return name;
  }

  #variable(): bigint {
    let value = 0n;
    for (;;) {
      const byte = this.#next();
      if ((byte & 0x80) !== 0) return (value << 6n) | BigInt(byte & 0x3f);
      value = (value << 7n) | BigInt(byte);
    }
  }

  #sevenBit(): Uint8Array {
    const length = Number(this.#variable());
    const bytes: number[] = [];
    for (let left = length; left > 0; left -= 7) bytes.push(...this.#sevenBitGroup(Math.min(7, left)));
    return Uint8Array.from(bytes);
  }

  #sevenBitGroup(size: number): number[] {
    const bits = size * 8;
    let value = 0n;
    for (let i = 0; i < Math.floor(bits / 7); i++) value = (value << 7n) | BigInt(this.#next());
    if (bits % 7 !== 0) value = (value << BigInt(bits % 7)) | BigInt(this.#next());
    return Array.from({ length: size }, (_, at) => Number((value >> BigInt(8 * (size - 1 - at))) & 0xffn));
  }
}

function remember(table: string[], text: string): void {
  if (table.length === 1024) table.length = 0;
  table.push(text);
}

const unzigzag = (value: number) => (value & 1 ? -((value + 1) >> 1) : value >> 1);
const unzigzagBig = (value: bigint) => (value & 1n ? -((value + 1n) >> 1n) : value >> 1n);

function fromTwosComplement(bytes: Uint8Array): bigint {
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  return bytes.length > 0 && bytes[0]! >= 0x80 ? value - (1n << BigInt(bytes.length * 8)) : value;
}

const safeInteger = (value: bigint) =>
  value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
