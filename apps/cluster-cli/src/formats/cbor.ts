/**
 * CBOR (RFC 8949) of anything that JSON can say, with definite lengths. Written here because the usual library silently cuts off
 * what is longer than its buffer.
 */
export function encodeCbor(value: unknown): Uint8Array {
  const parts: Uint8Array[] = [];
  write(parts, value);
  return Buffer.concat(parts);
}

const major = { unsigned: 0, negative: 1, text: 3, list: 4, map: 5 } as const;
const simple = { false: 0xf4, true: 0xf5, null: 0xf6, float64: 0xfb } as const;

function write(parts: Uint8Array[], value: unknown): void {
  if (value === null || value === undefined) parts.push(Buffer.of(simple.null));
  else if (typeof value === 'boolean') parts.push(Buffer.of(value ? simple.true : simple.false));
  else if (typeof value === 'number') writeNumber(parts, value);
  else if (typeof value === 'string') writeText(parts, value);
  else if (Array.isArray(value)) {
    writeHead(parts, major.list, value.length);
    for (const item of value) write(parts, item);
  } else writeMap(parts, value as Record<string, unknown>);
}

function writeMap(parts: Uint8Array[], members: Record<string, unknown>): void {
  const present = Object.entries(members).filter(([, value]) => value !== undefined);
  writeHead(parts, major.map, present.length);
  for (const [name, value] of present) {
    writeText(parts, name);
    write(parts, value);
  }
}

function writeText(parts: Uint8Array[], text: string): void {
  const utf8 = Buffer.from(text, 'utf8');
  writeHead(parts, major.text, utf8.length);
  parts.push(utf8);
}

function writeNumber(parts: Uint8Array[], value: number): void {
  if (Number.isSafeInteger(value) && !Object.is(value, -0))
    writeHead(parts, value >= 0 ? major.unsigned : major.negative, value >= 0 ? value : -1 - value);
  else writeFloat(parts, value);
}

function writeFloat(parts: Uint8Array[], value: number): void {
  const bytes = Buffer.alloc(9);
  bytes[0] = simple.float64;
  bytes.writeDoubleBE(value, 1);
  parts.push(bytes);
}

/** The kind in three bits, the size in five or in the 1, 2, 4 or 8 bytes that follow. */
function writeHead(parts: Uint8Array[], kind: number, size: number): void {
  const head = (info: number, length: number) => {
    const bytes = Buffer.alloc(1 + length);
    bytes[0] = (kind << 5) | info;
    return bytes;
  };
  if (size < 24) parts.push(head(size, 0));
  else if (size < 2 ** 8) parts.push(withSize(head(24, 1), (bytes) => bytes.writeUInt8(size, 1)));
  else if (size < 2 ** 16) parts.push(withSize(head(25, 2), (bytes) => bytes.writeUInt16BE(size, 1)));
  else if (size < 2 ** 32) parts.push(withSize(head(26, 4), (bytes) => bytes.writeUInt32BE(size, 1)));
  else parts.push(withSize(head(27, 8), (bytes) => bytes.writeBigUInt64BE(BigInt(size), 1)));
}

function withSize(bytes: Buffer, put: (bytes: Buffer) => void): Buffer {
  put(bytes);
  return bytes;
}
