import { decodeFirstSync } from 'cbor';
import fc from 'fast-check';
import * as smile from 'smile-js';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { encode } from './encode.ts';

const decodeSmile = (bytes: Uint8Array): unknown =>
  (smile as unknown as { parse(bytes: Uint8Array): unknown }).parse(bytes);

const documents: [string, unknown][] = [
  ['scalars', [null, true, false, 0, 1, -1, 15, -16, 16, -17, 2 ** 31, -(2 ** 31), 2 ** 53 - 1, -(2 ** 53 - 1)]],
  ['fractions', [0.5, -1.25, 1e300, 5e-324]],
  ['texts of every length', [0, 1, 2, 31, 32, 33, 63, 64, 65, 66, 300].map((length) => 'a'.repeat(length))],
  ['texts beyond ASCII', [1, 16, 17, 31, 32, 33, 200].map((length) => 'ü'.repeat(length))],
  [
    'names of every length',
    Object.fromEntries([0, 1, 55, 56, 57, 63, 64, 65, 200].map((length) => ['n'.repeat(length), length])),
  ],
  ['names beyond ASCII', Object.fromEntries([1, 27, 28, 29, 100].map((length) => ['ñ'.repeat(length), length]))],
  ['nesting', { a: [{ b: { c: [] } }, {}] }],
  [
    'more than a library would buffer',
    { rows: Array.from({ length: 3000 }, (_, at) => ({ at, text: 'x'.repeat(50) })) },
  ],
  ['what reap prints', [{ action: 'delete-record', subject: 'node x', because: 'it left' }]],
];

describe.each(documents)('%s', (_title, document) => {
  it('goes through SMILE', () => {
    expect(decodeSmile(encode(document, 'smile') as Uint8Array)).toEqual(document);
  });

  it('goes through CBOR', () => {
    expect(decodeFirstSync(Buffer.from(encode(document, 'cbor') as Uint8Array))).toEqual(document);
  });

  it('goes through YAML', () => {
    expect(parseYaml(encode(document, 'yaml') as string)).toEqual(document);
  });
});

it('writes any JSON document as SMILE that an independent reader reads', () => {
  const json = fc.jsonValue().filter((value) => !JSON.stringify(value).includes('-0'));

  fc.assert(
    fc.property(json, (document) => {
      expect(decodeSmile(encode(document, 'smile') as Uint8Array)).toEqual(JSON.parse(JSON.stringify(document)));
    }),
    { numRuns: 300, seed: 3 },
  );
});
