import type { Value } from '@drover/formats';
import cbor from 'cbor';
import fc from 'fast-check';
import * as smileJs from 'smile-js';
import { describe, expect, it } from 'vitest';
import { decode, encode } from '../src/http/formats/codec.ts';
import { TestCluster } from './search-support.ts';

const bytesOf = (value: Value, format: 'cbor' | 'smile') => encode(value, format, false) as Uint8Array;

/** Decoders of third parties. */
const independent = {
  cbor: (bytes: Uint8Array): unknown => plain(cbor.decodeFirstSync(Buffer.from(bytes), { preferMap: true })),
  smile: (bytes: Uint8Array): unknown => smileJs.parse(bytes),
};

function plain(value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, member]) => [key, plain(member)]));
  return Array.isArray(value) ? value.map(plain) : value;
}

const text = fc.string({ unit: 'grapheme', maxLength: 90 });
// The decoder from outside assigns members one by one, which loses a member called `__proto__`.
const name = fc.oneof(fc.constantFrom('index', 'shard', '', 'ключ'), text).filter((key) => key !== '__proto__');
const number = fc.oneof(
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, 15, -16, 16, -17, 2 ** 31 - 1, 2 ** 31, 2 ** 31 + 1, -(2 ** 31), -(2 ** 31) - 1, 2 ** 53),
);

/** Nested documents whose members repeat each other's names. */
const document = fc.letrec<{ value: Value; object: Value }>((tie) => ({
  object: fc.dictionary(name, tie('value'), { maxKeys: 8 }),
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(text, number, fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 6 }),
    tie('object'),
  ),
})).object as fc.Arbitrary<Value>;

const normal = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_key, member) => (Object.is(member, -0) ? 'minus zero' : member)));

/** More names than the table of shared names holds, each used twice, some of them too long to be shared. */
const manyNames = (): Value =>
  Array.from({ length: 2500 }, (_, at) => ({
    [`name-${at % 1300}`]: at,
    [`${at % 3 === 0 ? 'ü'.repeat(40) : 'n'.repeat(70)}-${at % 5}`]: String(at),
  }));

const named: Readonly<Record<string, Value>> = {
  'an empty object': {},
  'empty texts and names': { '': '', a: [], b: {} },
  'deep nesting': Array.from({ length: 200 }).reduce<Value>((inner) => ({ a: [inner] }), 1),
  'texts at every border of a length': Array.from({ length: 140 }, (_, length) => [
    'x'.repeat(length),
    'é'.repeat(length),
  ]),
  'a text of more than 64 KB': { body: 'abcdefgh'.repeat(20_000) },
  'a text of more than 64 KB outside ASCII': { body: 'żółw 🐢 '.repeat(12_000) },
  'names that are shared, forgotten and too long': manyNames(),
  'integers at the borders': [
    0,
    15,
    16,
    -16,
    -17,
    127,
    128,
    255,
    256,
    65_535,
    65_536,
    2 ** 31 - 1,
    2 ** 31,
    2 ** 31 + 1,
    -(2 ** 31),
    -(2 ** 31) - 1,
    2 ** 32,
    2 ** 53 - 1,
    -(2 ** 53) + 1,
  ],
  floats: [0.1, -0.1, 1.5, -0, 1e-300, 1e300, 5e-324, Number.MAX_VALUE, 2 ** 53, 1e21],
};

for (const format of ['cbor', 'smile'] as const) {
  describe(`${format}`, () => {
    it('gives every document back', () => {
      fc.assert(
        fc.property(document, (value) => {
          expect(normal(decode(bytesOf(value, format), format))).toEqual(normal(value));
        }),
        { numRuns: 300, seed: 4 },
      );
    });

    it('an independent decoder reads every document as it was written', () => {
      fc.assert(
        fc.property(document, (value) => {
          expect(normal(independent[format](bytesOf(value, format)))).toEqual(normal(value));
        }),
        { numRuns: 300, seed: 4 },
      );
    });

    for (const [what, value] of Object.entries(named))
      it(`holds ${what}, here and in an independent decoder`, () => {
        const bytes = bytesOf(value, format);
        expect(normal(decode(bytes, format))).toEqual(normal(value));
        expect(normal(independent[format](bytes))).toEqual(normal(value));
      });

    it('keeps longs that a double cannot hold', () => {
      const longs = [2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n + 1n, 2n ** 64n + 5n];
      expect(decode(bytesOf(longs.slice(0, 3), format), format)).toEqual(longs.slice(0, 3));
      if (format === 'smile') expect(decode(bytesOf(longs, format), format)).toEqual(longs);
      const read = independent[format](bytesOf(longs.slice(0, 3), format)) as unknown[];
      expect(read.map((item) => BigInt(item as bigint))).toEqual(longs.slice(0, 3));
    });

    it('keeps a member that is called __proto__', () => {
      const value = JSON.parse('{"__proto__":{"a":1},"b":2}') as Value;
      expect(JSON.stringify(decode(bytesOf(value, format), format))).toBe('{"__proto__":{"a":1},"b":2}');
    });

    it('a document with NaN or infinity is refused', () => {
      for (const odd of [Number.NaN, Number.POSITIVE_INFINITY])
        expect(() => decode(bytesOf({ a: [{ b: odd }] }, format), format)).toThrow(
          `[float] supports only finite values, but got [${odd}]`,
        );
    });

    it('goes both ways over the API: what was put comes back, and broken bytes are a parse error', async () => {
      const test = await TestCluster.formed(1);
      const type = `application/${format}`;
      const value = { title: 'żółw', nested: { list: [1, 2.5, null, true, 2 ** 40] } };
      const headers = { 'content-type': type, accept: type };
      const put = await test.ask('PUT', '/books/_doc/1', { body: bytesOf(value, format), headers });
      expect([put.status, put.headers['content-type']]).toEqual([201, type]);
      expect((await test.get('/books/_doc/1')).body._source).toEqual(value);

      const broken = bytesOf(value, format).slice(0, -3);
      const refused = await test.ask('PUT', '/books/_doc/2', { body: broken, headers: { 'content-type': type } });
      expect(refused.status).toBe(400);
    });
  });
}

it('reads text of a CBOR document that comes in chunks, as Jackson writes long ones', () => {
  const chunks = ['ab', 'cd', 'ż'].map((part) => [0x60 + Buffer.byteLength(part), ...Buffer.from(part)]);
  expect(decode(Uint8Array.from([0xbf, 0x61, 0x61, 0x7f, ...chunks.flat(), 0xff, 0xff]), 'cbor')).toEqual({
    a: 'abcdż',
  });
});

it('SMILE never contains the bytes FE and FF, which frame it in streams', () => {
  const bytes = bytesOf(manyNames(), 'smile');
  expect(bytes.includes(0xfe) || bytes.includes(0xff)).toBe(false);
});
