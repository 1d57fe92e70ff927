import type { XValue } from '../../engine/values/value.ts';

/** The bytes are not CBOR. */
export class CborError extends Error {}

/** Ends what has no length (RFC 8949, section 3.2.1). */
const breakByte = 0xff;

/** No document is nested deeper; what is would exhaust the stack. */
const maxDepth = 1000;

/** Reads CBOR as Jackson writes it, long texts in chunks included (RFC 8949). Tags are read past, big integers become bigints. */
export function readCbor(bytes: Uint8Array): XValue {
  const reader = new CborReader(bytes);
  return reader.value(0);
}

class CborReader {
  #bytes: Uint8Array;
  #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  value(depth: number): XValue {
    if (depth > maxDepth) throw new CborError(`nested deeper than ${maxDepth}`);
    const [major, info] = this.#head();
    switch (major) {
      case 0:
        return plain(this.#argument(info));
      case 1:
        return plain(-1n - this.#argument(info));
      case 2:
        return this.#string(major, info);
      case 3:
        return Buffer.from(this.#string(major, info)).toString();
      case 4:
        return this.#list(info, depth);
      case 5:
        return this.#map(info, depth);
      case 6:
        return this.#tagged(Number(this.#argument(info)), depth);
      default:
        return this.#simple(info);
    }
  }

  #head(): [major: number, info: number] {
    const byte = this.#take(1)[0]!;
    return [byte >> 5, byte & 0x1f];
  }

  #take(length: number): Uint8Array {
    if (length > this.#bytes.length - this.#at) throw new CborError('unexpected end of input');
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  #argument(info: number): bigint {
    if (info < 24) return BigInt(info);
    if (info > 27) throw new CborError(`no length where one must be: ${info}`);
    let value = 0n;
    for (const byte of this.#take(2 ** (info - 24))) value = (value << 8n) | BigInt(byte);
    return value;
  }

  /** A text may be cut within a character: its chunks are put together before they are read. */
  #string(major: number, info: number): Uint8Array {
    if (info !== 31) return new Uint8Array(this.#take(Number(this.#argument(info))));
    const chunks: Uint8Array[] = [];
    while (!this.#ended()) {
      const [chunkMajor, chunkInfo] = this.#head();
      if (chunkMajor !== major || chunkInfo === 31) throw new CborError('a chunk of another kind');
      chunks.push(this.#take(Number(this.#argument(chunkInfo))));
    }
    return new Uint8Array(Buffer.concat(chunks));
  }

  #ended(): boolean {
    if (this.#bytes[this.#at] !== breakByte) return false;
    this.#at += 1;
    return true;
  }

  #list(info: number, depth: number): XValue[] {
    const items: XValue[] = [];
    this.#each(info, () => items.push(this.value(depth + 1)));
    return items;
  }

  #map(info: number, depth: number): XValue {
    const members: [string, XValue][] = [];
    this.#each(info, () => members.push([String(this.value(depth + 1)), this.value(depth + 1)]));
    return Object.fromEntries(members);
  }

  #each(info: number, read: () => void): void {
    if (info === 31) while (!this.#ended()) read();
    else for (let left = Number(this.#argument(info)); left > 0; left--) read();
  }

  #tagged(tag: number, depth: number): XValue {
    const value = this.value(depth + 1);
    if ((tag !== 2 && tag !== 3) || !(value instanceof Uint8Array)) return value;
    const size = BigInt(`0x0${Buffer.from(value).toString('hex')}`);
    return plain(tag === 2 ? size : -1n - size);
  }

  #simple(info: number): XValue {
    switch (info) {
      case 20:
        return false;
      case 21:
        return true;
      case 22:
      case 23:
        return null;
      case 25:
        return half(Number(this.#argument(info)));
      case 26:
        this.#take(4);
        return this.#view.getFloat32(this.#at - 4);
      case 27:
        this.#take(8);
        return this.#view.getFloat64(this.#at - 8);
      default:
        throw new CborError(`unknown simple value ${info}`);
    }
  }
}

/** Integers that a number holds exactly become one. */
const plain = (value: bigint): number | bigint =>
  value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;

/** A float of 16 bits (RFC 8949, appendix D). */
function half(bits: number): number {
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  const size =
    exponent === 0
      ? fraction * 2 ** -24
      : exponent === 31
        ? fraction === 0
          ? Number.POSITIVE_INFINITY
          : Number.NaN
        : (fraction + 1024) * 2 ** (exponent - 25);
  return bits & 0x8000 ? -size : size;
}
