import { decodeCbor, decodeSmile } from '@drover/formats';
import { expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { encode } from './encode.ts';

const rows = [
  { action: 'delete-record', subject: 'node x', because: 'it left', count: 3, share: 0.5, error: undefined },
];
const printed = [{ action: 'delete-record', subject: 'node x', because: 'it left', count: 3, share: 0.5 }];

it('encodes the rows of a command as CBOR, SMILE and YAML, without undefined members', () => {
  expect(decodeCbor(encode(rows, 'cbor') as Uint8Array)).toEqual(printed);
  expect(decodeSmile(encode(rows, 'smile') as Uint8Array)).toEqual(printed);
  expect(parseYaml(encode(rows, 'yaml') as string)).toEqual(printed);
});
