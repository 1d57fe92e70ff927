import type { Value } from '@drover/formats';
import { expect } from 'vitest';
import { encode as encodeForOperators } from '../../../../apps/cluster-cli/src/formats/encode.ts';
import { decode, encode } from '../../src/http/formats/codec.ts';
import { contract } from './contract.ts';
import { difficultDocuments } from './fixtures.ts';

const formats = ['json', 'yaml', 'cbor', 'smile'] as const;
type Format = (typeof formats)[number];

const read = (bytes: Uint8Array, format: Format) => plain(decode(bytes, format));

/** Longs may come as big integers. */
const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? Number(member) : member)));

const bytesOf = (encoded: string | Uint8Array) => (typeof encoded === 'string' ? Buffer.from(encoded) : encoded);

contract('a response has the same content in JSON, YAML, SMILE and CBOR', async (target) => {
  await target.index('contract-formats', { number_of_shards: 1, number_of_replicas: 1 });
  const path =
    '/_cluster/health/contract-formats?filter_path=-*_millis,-active_shards_percent_as_number,-*pending*,-*fetch*';
  const { body } = await target.get(path);

  for (const format of formats) {
    const byName = await target.get(`${path}&format=${format}`);
    const byHeader = await target.get(path, { headers: { accept: `application/${format}` } });
    expect(byName.headers['content-type']).toBe(`application/${format}`);
    expect(read(byName.bytes, format), format).toEqual(body);
    expect(read(byHeader.bytes, format), format).toEqual(body);
  }
});

contract('YAML and pretty JSON are laid out as recorded', async (target) => {
  await target.index('contract-yaml', { number_of_shards: 1, number_of_replicas: 0, 'index.blocks.write': true });
  const path = '/contract-yaml/_settings?flat_settings=true&filter_path=**.index.blocks*,**.index.number*';
  await target.see('YAML', 'GET', `${path}&format=yaml`, {}, { as: 'text' });
  await target.see('pretty', 'GET', `${path}&pretty`, {}, { as: 'text' });
  await target.see('plain', 'GET', path, {}, { as: 'text' });
  await target.see('empty', 'GET', '/_cluster/settings?format=yaml', {}, { as: 'text' });
  await target.see('empty and pretty', 'GET', '/_cluster/settings?pretty', {}, { as: 'text' });
});

contract('a response writes doubles with a fraction and integers without one', async (target) => {
  const { text } = await target.get('/_cluster/health?filter_path=active_shards_percent_as_number,number_of_nodes');

  expect(text).toMatch(/"active_shards_percent_as_number":\d+\.\d/);
  expect(text).toMatch(/"number_of_nodes":\d+[,}]/);
});

contract('a document written in one format can be read in every other', async (target) => {
  const settings = { number_of_shards: 1, number_of_replicas: 0 };
  target.cleanup(() => target.delete('/contract-documents?ignore_unavailable=true'));
  await target.must('PUT', '/contract-documents', { body: { settings, mappings: { enabled: false } } });

  for (const [title, document] of Object.entries(difficultDocuments))
    for (const written of formats) {
      const body = bytesOf(encode(document as Value, written, false));
      const headers = { 'content-type': `application/${written}`, accept: 'application/json' };
      const put = await target.ask('PUT', '/contract-documents/_doc/1', { body, headers });
      expect(put.status, `${title} as ${written}: ${put.text}`).toBeLessThan(300);
      for (const asked of formats) {
        const got = await target.get(`/contract-documents/_doc/1?format=${asked}`);
        const seen = read(got.bytes, asked) as { _source: unknown };
        expect(seen._source, `${title} written as ${written}, read as ${asked}`).toEqual(document);
      }
    }
});

contract('documents encoded by cluster-cli are read as they were written', async (target) => {
  const settings = { number_of_shards: 1, number_of_replicas: 0 };
  target.cleanup(() => target.delete('/contract-documents?ignore_unavailable=true'));
  await target.must('PUT', '/contract-documents', { body: { settings, mappings: { enabled: false } } });

  for (const [title, document] of Object.entries(difficultDocuments))
    for (const written of ['yaml', 'cbor', 'smile'] as const) {
      const body = bytesOf(encodeForOperators(document, written));
      const headers = { 'content-type': `application/${written}`, accept: 'application/json' };
      await target.must('PUT', '/contract-documents/_doc/1', { body, headers });
      expect((await target.get('/contract-documents/_doc/1')).body._source, `${title} as ${written}`).toEqual(document);
    }
});

contract('cluster settings are accepted in every format', async (target) => {
  const name = 'indices.recovery.max_bytes_per_sec';
  target.cleanup(() => target.put('/_cluster/settings', { persistent: { [name]: null } }));

  for (const [at, format] of formats.entries()) {
    const persistent = { [name]: `${50 + at}mb` };
    const body = bytesOf(encode({ persistent }, format, false));
    const answer = await target.must('PUT', '/_cluster/settings', {
      body,
      headers: { 'content-type': `application/${format}` },
    });
    expect(answer.headers['content-type']).toBe(`application/${format}`);
    expect(read(answer.bytes, format)).toMatchObject({
      acknowledged: true,
      persistent: { indices: { recovery: { max_bytes_per_sec: `${50 + at}mb` } } },
    });
  }
});

contract('bytes that do not match their content type are refused', async (target) => {
  const status = async (format: string) => {
    const headers = { 'content-type': `application/${format}`, accept: 'application/json' };
    return (await target.ask('PUT', '/_cluster/settings', { body: Buffer.from([0xff, 0x00, 0x7b]), headers })).status;
  };

  expect(await status('cbor')).toBe(400);
  expect(await status('yaml')).toBe(400);
  expect(await status('smile')).toBe(500);
});
