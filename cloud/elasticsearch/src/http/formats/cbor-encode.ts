import { Double, isLong, type XValue } from '../../engine/values/value.ts';
import { ByteWriter, doubleBits } from './byte-writer.ts';

/** CBOR as Jackson writes it: maps and lists of indefinite length, texts of definite length, no self-describing tag. */
export function writeCbor(value: XValue): Uint8Array {
  const out = new ByteWriter();
  write(value, out);
  return out.finish();
}

function write(value: XValue, out: ByteWriter) {
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
    for (const item of value as readonly XValue[]) write(item, out);
  } else {
    out.byte(0xbf);
    for (const [key, member] of Object.entries(value as Record<string, XValue>))
      if (member !== undefined) {
        write(key, out);
        write(member, out);
      }
  }
  out.byte(0xff);
}

function integer(value: bigint, out: ByteWriter) {
  if (value >= 0n) head(0, value, out);
  else head(1, -1n - value, out);
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
