import { ByteWriter, doubleBits, twosComplement } from './byte-writer.ts';
import { Double, isLong, type Value } from './value.ts';

/**
 * Encodes CBOR (RFC 8949) as Jackson does: maps and lists of indefinite length, texts of definite length, no
 * self-describing tag, integers beyond 64 bits as tagged byte strings.
 */
export function encodeCbor(value: Value): Uint8Array {
  const out = new ByteWriter();
  write(value, out);
  return out.finish();
}

function write(value: Value, out: ByteWriter) {
  if (value === null || value === undefined) return out.byte(0xf6);
  switch (typeof value) {
    case 'boolean':
      return out.byte(value ? 0xf5 : 0xf4);
    case 'number':
      return isLong(value) ? integer(BigInt(value), out) : double(value, out);
    case 'bigint':
      return integer(value, out);
    case 'string': {
      const bytes = Buffer.from(value);
      head(3, BigInt(bytes.length), out);
      return out.bytes(bytes);
    }
  }
  if (value instanceof Double) return double(value.value, out);
  if (value instanceof Uint8Array) {
    head(2, BigInt(value.length), out);
    return out.bytes(value);
  }
  if (Array.isArray(value)) {
    out.byte(0x9f);
    for (const item of value as readonly Value[]) write(item, out);
  } else {
    out.byte(0xbf);
    for (const [key, member] of Object.entries(value as Record<string, Value>))
      if (member !== undefined) {
        write(key, out);
        write(member, out);
      }
  }
  out.byte(0xff);
}

function integer(value: bigint, out: ByteWriter) {
  const size = value >= 0n ? value : -1n - value;
  if (size >= 1n << 64n) return bigInteger(value >= 0n ? 2 : 3, size, out);
  head(value >= 0n ? 0 : 1, size, out);
}

/** A tag and the size as a byte string (RFC 8949, section 3.4.3). */
function bigInteger(tag: number, size: bigint, out: ByteWriter) {
  const bytes = twosComplement(size);
  out.byte(0xc0 | tag);
  head(2, BigInt(bytes.length), out);
  out.bytes(bytes);
}

function double(value: number, out: ByteWriter) {
  out.byte(0xfb);
  out.unsigned(doubleBits(value), 8);
}

function head(major: number, value: bigint, out: ByteWriter) {
  const type = major << 5;
  if (value < 24n) return out.byte(type | Number(value));
  const size = value < 0x100n ? 1 : value < 0x10000n ? 2 : value < 0x100000000n ? 4 : 8;
  out.byte(type | (size === 1 ? 24 : size === 2 ? 25 : size === 4 ? 26 : 27));
  out.unsigned(value, size);
}
