import { decodeFirstSync, encode as encodeIndependently } from 'cbor';
import fc from 'fast-check';
import * as smile from 'smile-js';
import { describe, expect, it } from 'vitest';
import { Double, decodeCbor, decodeSmile, encodeCbor, encodeSmile, type Value } from './index.ts';

const independent = smile as unknown as { parse(bytes: Uint8Array): unknown };
/** As JSON text has it: without minus zero. */
const jsonValue = () => fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as Value);
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const bytes = (text: string) => new Uint8Array(Buffer.from(text.replaceAll(' ', ''), 'hex'));

const documents: [string, Value][] = [
  ['scalars', [null, true, false, 0, 1, -1, 15, -16, 16, -17, 2 ** 31, -(2 ** 31), 2 ** 53 - 1, -(2 ** 53 - 1)]],
  ['fractions', [0.5, -1.25, 1e300, 5e-324]],
  ['texts of every length', [0, 1, 2, 31, 32, 33, 63, 64, 65, 66, 300].map((length) => 'a'.repeat(length))],
  ['texts beyond ASCII', [1, 16, 17, 31, 32, 33, 200].map((length) => 'ü'.repeat(length))],
  [
    'names of every length',
    Object.fromEntries([0, 1, 55, 56, 57, 63, 64, 65, 200].map((length) => ['n'.repeat(length), length])),
  ],
  ['names beyond ASCII', Object.fromEntries([1, 27, 28, 29, 100].map((length) => ['ñ'.repeat(length), length]))],
  ['nested lists and objects', { a: [{ b: { c: [] } }, {}] }],
  ['a long list of alike objects', Array.from({ length: 3000 }, (_, at) => ({ at, text: 'x'.repeat(50) }))],
  [
    'more names than the table of shared names holds',
    Object.fromEntries([...Array(3000).keys()].map((n) => [`n${n}`, n])),
  ],
];

describe.each(documents)('%s', (_title, document) => {
  it('encoded CBOR is read back by an independent decoder and by ours', () => {
    const encoded = encodeCbor(document);

    expect(decodeFirstSync(Buffer.from(encoded))).toEqual(document);
    expect(decodeCbor(encoded)).toEqual(document);
  });

  it('encoded SMILE is read back by an independent decoder and by ours', () => {
    const encoded = encodeSmile(document);

    expect(independent.parse(encoded)).toEqual(document);
    expect(decodeSmile(encoded)).toEqual(document);
  });
});

describe('any JSON document', () => {
  it('survives encoding and decoding as CBOR, and reads alike with an independent decoder', () => {
    fc.assert(
      fc.property(jsonValue(), (document) => {
        expect(decodeCbor(encodeCbor(document))).toEqual(document);
        expect(decodeFirstSync(Buffer.from(encodeCbor(document)))).toEqual(document);
        expect(decodeCbor(encodeIndependently(document))).toEqual(document);
      }),
      { numRuns: 300, seed: 3 },
    );
  });

  it('survives encoding and decoding as SMILE, and reads alike with an independent decoder', () => {
    fc.assert(
      fc.property(jsonValue(), (document) => {
        expect(decodeSmile(encodeSmile(document))).toEqual(document);
        expect(independent.parse(encodeSmile(document))).toEqual(document);
      }),
      { numRuns: 300, seed: 3 },
    );
  });
});

describe.each([
  ['CBOR', encodeCbor, decodeCbor],
  ['SMILE', encodeSmile, decodeSmile],
] as const)('%s beyond JSON', (_name, encode, decode) => {
  it('keeps integers that a number cannot hold exactly', () => {
    const integers = [2n ** 53n, -(2n ** 53n), 2n ** 63n - 1n, -(2n ** 63n), 2n ** 64n, 2n ** 100n, -(2n ** 100n) - 7n];

    expect(decode(encode(integers))).toEqual(integers);
    expect(decode(encode([1n, -1n, 0n]))).toEqual([1, -1, 0]);
  });

  it('keeps minus zero, infinities and not-a-number as doubles', () => {
    const numbers = [-0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN];

    expect(decode(encode(numbers))).toEqual(numbers);
  });

  it('keeps bytes, and leaves undefined members out', () => {
    const long = Uint8Array.from({ length: 1000 }, (_, at) => at & 0xff);

    expect(decode(encode({ empty: new Uint8Array(), long, absent: undefined }))).toEqual({
      empty: new Uint8Array(),
      long,
    });
  });

  it('writes a Double as a double even where its value is whole', () => {
    expect(encode(new Double(100))).not.toEqual(encode(100));
    expect(decode(encode(new Double(100)))).toBe(100);
  });

  it('refuses input that ends early, at every byte', () => {
    const whole = encode({
      text: 'abc',
      long: 'x'.repeat(100),
      number: 1.5,
      big: 2n ** 70n,
      bytes: Uint8Array.of(1, 2),
    });

    for (let length = 0; length < whole.length; length++)
      expect(() => decode(whole.subarray(0, length))).toThrow(/end of input|no SMILE header/);
  });

  it('refuses documents that are nested too deeply, instead of exhausting the stack', () => {
    let deep: Value = 1;
    for (let depth = 0; depth < 1500; depth++) deep = [deep];

    expect(() => decode(encode(deep))).toThrow('nested deeper than 1000');
  });
});

describe('CBOR from other encoders', () => {
  it.each([
    ['texts in chunks that end within a character', '7f 61 c3 61 bc ff', 'ü'],
    ['lists and maps of definite length', '82 01 a1 61 61 02', [1, { a: 2 }]],
    ['floats of 16 and 32 bits', '83 f9 3c00 f9 0001 fa 3fc00000', [1, 2 ** -24, 1.5]],
    ['tags that say nothing about the value', 'd9 d9f7 01', 1],
    ['undefined as null', 'f7', null],
  ])('decodes %s', (_title, encoded, expected) => {
    expect(decodeCbor(bytes(encoded))).toEqual(expected);
  });

  it.each([
    ['a chunk of another type', '7f 41 61 ff'],
    ['an unknown simple value', 'e0'],
    ['a reserved length', '1c'],
  ])('refuses %s', (_title, encoded) => {
    expect(() => decodeCbor(bytes(encoded))).toThrow();
  });
});

describe('SMILE from other encoders', () => {
  const header = '3a 29 0a';
  it.each([
    ['shared values', `${header} 03 f8 40 61 01 f9`, ['a', 'a']],
    ['floats of 32 bits', `${header} 00 28 03 7e 00 00 00`, 1.5],
    ['bytes of seven bits', `${header} 00 e8 82 7f 40 03`, Uint8Array.of(0xff, 0x03)],
  ])('decodes %s', (_title, encoded, expected) => {
    expect(decodeSmile(bytes(encoded))).toEqual(expected);
  });

  it.each([
    ['bytes without the header', 'f8 f9'],
    ['a reference to a value that is not shared', `${header} 03 01`],
    ['a reference to a name that is not shared', `${header} 01 fa 40 21 fb`],
    ['a reserved token', `${header} 00 2f`],
  ])('refuses %s', (_title, encoded) => {
    expect(() => decodeSmile(bytes(encoded))).toThrow();
  });
});

it('writes CBOR and SMILE byte for byte as Jackson does for Elasticsearch', () => {
  const document = { a: 1, b: ['x', null, true], c: 1.5 };

  expect(hex(encodeCbor(document))).toBe('bf61610161629f6178f6f5ff6163fb3ff8000000000000ff');
  expect(hex(encodeSmile({ a: 1, list: [{ a: 2 }] }))).toBe('3a290a05fa8061c2836c697374f8fa40c4fbf9fb');
});
