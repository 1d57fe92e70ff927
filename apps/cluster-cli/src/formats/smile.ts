/**
 * SMILE, the binary form of JSON that Elasticsearch speaks (FasterXML, "Smile Data Format", version 1.0.x). Written without
 * back references: they only save space, and every reader must take a document without them.
 */
export function encodeSmile(value: unknown): Uint8Array {
  const bytes = new Bytes();
  // ":)\n", then version 0 with neither shared names, nor shared values, nor raw binary.
  bytes.push(0x3a, 0x29, 0x0a, 0x00);
  writeValue(bytes, value);
  return bytes.done();
}

class Bytes {
  #parts: number[] = [];

  push(...values: number[]): Bytes {
    for (const value of values) this.#parts.push(value);
    return this;
  }

  append(values: Uint8Array): Bytes {
    for (const value of values) this.#parts.push(value);
    return this;
  }

  done(): Uint8Array {
    return Uint8Array.from(this.#parts);
  }
}

const token = {
  emptyString: 0x20,
  null: 0x21,
  false: 0x22,
  true: 0x23,
  int32: 0x24,
  int64: 0x25,
  float64: 0x29,
  startArray: 0xf8,
  endArray: 0xf9,
  startObject: 0xfa,
  endObject: 0xfb,
  endOfString: 0xfc,
} as const;

function writeValue(bytes: Bytes, value: unknown): Bytes {
  if (value === null || value === undefined) return bytes.push(token.null);
  if (typeof value === 'boolean') return bytes.push(value ? token.true : token.false);
  if (typeof value === 'number') return writeNumber(bytes, value);
  if (typeof value === 'string') return writeText(bytes, value);
  if (Array.isArray(value)) return writeList(bytes, value);
  return writeObject(bytes, value as Record<string, unknown>);
}

function writeList(bytes: Bytes, values: readonly unknown[]): Bytes {
  bytes.push(token.startArray);
  for (const value of values) writeValue(bytes, value);
  return bytes.push(token.endArray);
}

function writeObject(bytes: Bytes, members: Record<string, unknown>): Bytes {
  bytes.push(token.startObject);
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined) continue;
    writeName(bytes, name);
    writeValue(bytes, value);
  }
  return bytes.push(token.endObject);
}

function writeNumber(bytes: Bytes, value: number): Bytes {
  if (!Number.isSafeInteger(value) || Object.is(value, -0)) return writeFloat(bytes, value);
  // ZigZag: the sign is the last bit.
  const zigZag = value >= 0 ? BigInt(value) * 2n : BigInt(-value) * 2n - 1n;
  if (zigZag < 32n) return bytes.push(0xc0 + Number(zigZag));
  bytes.push(zigZag < 2n ** 32n ? token.int32 : token.int64);
  return writeVInt(bytes, zigZag);
}

/** Seven bits a byte, most significant first; the last byte carries six and has its top bit set. */
function writeVInt(bytes: Bytes, value: bigint): Bytes {
  const groups = [Number(value & 0x3fn) | 0x80];
  for (let rest = value >> 6n; rest > 0n; rest >>= 7n) groups.unshift(Number(rest & 0x7fn));
  return bytes.push(...groups);
}

/** The 64 bits of a double in ten bytes of seven bits, most significant first. */
function writeFloat(bytes: Bytes, value: number): Bytes {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  const all = bits.getBigUint64(0);
  bytes.push(token.float64);
  for (let shift = 63n; shift >= 0n; shift -= 7n) bytes.push(Number((all >> shift) & 0x7fn));
  return bytes;
}

const isAscii = (text: Uint8Array) => text.every((byte) => byte < 0x80);

function writeText(bytes: Bytes, text: string): Bytes {
  const utf8 = Buffer.from(text, 'utf8');
  const { length } = utf8;
  if (length === 0) return bytes.push(token.emptyString);
  if (isAscii(utf8)) {
    if (length <= 32) bytes.push(0x40 + length - 1);
    else if (length <= 64) bytes.push(0x60 + length - 33);
    else return writeLong(bytes, 0xe0, utf8);
  } else if (length <= 33) bytes.push(0x80 + length - 2);
  else if (length <= 65) bytes.push(0xa0 + length - 34);
  else return writeLong(bytes, 0xe4, utf8);
  return bytes.append(utf8);
}

function writeLong(bytes: Bytes, type: number, utf8: Uint8Array): Bytes {
  bytes.push(type);
  return bytes.append(utf8).push(token.endOfString);
}

function writeName(bytes: Bytes, name: string): Bytes {
  const utf8 = Buffer.from(name, 'utf8');
  const { length } = utf8;
  if (length === 0) return bytes.push(0x20);
  if (isAscii(utf8) && length <= 64) bytes.push(0x80 + length - 1);
  else if (!isAscii(utf8) && length <= 57) bytes.push(0xc0 + length - 2);
  else return writeLong(bytes, 0x34, utf8);
  return bytes.append(utf8);
}
