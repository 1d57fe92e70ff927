import { maxDepth, plainInteger, type Value } from './value.ts';

/** The bytes are not CBOR. */
export class CborError extends Error {}

/** Ends an item of indefinite length (RFC 8949, section 3.2.1). */
const breakByte = 0xff;

/** Decodes CBOR (RFC 8949). Tags are ignored, except that big integers become bigints. */
export function decodeCbor(bytes: Uint8Array): Value {
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

  value(depth: number): Value {
    if (depth > maxDepth) throw new CborError(`nested deeper than ${maxDepth}`);
    const [major, info] = this.#head();
    switch (major) {
      case 0:
        return plainInteger(this.#argument(info));
      case 1:
        return plainInteger(-1n - this.#argument(info));
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
    if (info > 27) throw new CborError(`an item must have a length here, not ${info}`);
    let value = 0n;
    for (const byte of this.#take(2 ** (info - 24))) value = (value << 8n) | BigInt(byte);
    return value;
  }

  /** A chunk may end within a character: the chunks are joined before they are decoded. */
  #string(major: number, info: number): Uint8Array {
    if (info !== 31) return new Uint8Array(this.#take(Number(this.#argument(info))));
    const chunks: Uint8Array[] = [];
    while (!this.#ended()) {
      const [chunkMajor, chunkInfo] = this.#head();
      if (chunkMajor !== major || chunkInfo === 31) throw new CborError('a chunk of another type');
      chunks.push(this.#take(Number(this.#argument(chunkInfo))));
    }
    return new Uint8Array(Buffer.concat(chunks));
  }

  #ended(): boolean {
    if (this.#bytes[this.#at] !== breakByte) return false;
    this.#at += 1;
    return true;
  }

  #list(info: number, depth: number): Value[] {
    const items: Value[] = [];
    this.#each(info, () => items.push(this.value(depth + 1)));
    return items;
  }

  #map(info: number, depth: number): Value {
    const members: [string, Value][] = [];
    this.#each(info, () => members.push([String(this.value(depth + 1)), this.value(depth + 1)]));
    return Object.fromEntries(members);
  }

  #each(info: number, read: () => void): void {
    if (info === 31) while (!this.#ended()) read();
    else for (let left = Number(this.#argument(info)); left > 0; left--) read();
  }

  #tagged(tag: number, depth: number): Value {
    const value = this.value(depth + 1);
    if ((tag !== 2 && tag !== 3) || !(value instanceof Uint8Array)) return value;
    const size = BigInt(`0x0${Buffer.from(value).toString('hex')}`);
    return plainInteger(tag === 2 ? size : -1n - size);
  }

  #simple(info: number): Value {
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
