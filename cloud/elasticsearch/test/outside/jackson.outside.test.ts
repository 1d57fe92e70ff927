import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Value } from '@drover/formats';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { encode as encodeForOperators } from '../../../../apps/cluster-cli/src/formats/encode.ts';
import { outsideClient } from '../../../aws/test/outside/outside-client.ts';
import { decode, encode } from '../../src/http/formats/codec.ts';
import { difficultDocuments } from '../contract/fixtures.ts';

const jars = ['core', 'databind', 'annotations', 'dataformat-smile', 'dataformat-cbor'];
const program = [
  '--class-path',
  jars.map((name) => `/usr/share/java/jackson-${name}.jar`).join(':'),
  join(import.meta.dirname, 'JacksonFormats.java'),
];
const jackson = outsideClient(
  'java',
  'apt-get install default-jdk-headless libjackson2-core-java libjackson2-databind-java libjackson2-annotations-java libjackson2-dataformat-smile libjackson2-dataformat-cbor',
  { probe: program },
);

type Format = 'cbor' | 'smile';
type Dialect = Format | 'smile-shared-values' | 'smile-nothing-shared' | 'smile-raw-binary';

interface Task {
  readonly act: 'read' | 'write';
  readonly dialect: Dialect;
  readonly bytes: Uint8Array;
}

/** One run of Java for many documents. */
async function ask(asked: readonly Task[]): Promise<Uint8Array[]> {
  const child = spawn(jackson.path, program, { stdio: ['pipe', 'pipe', 'inherit'] });
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
  child.stdin.end(asked.map(({ act, dialect, bytes }) => `${act} ${dialect} ${base64(bytes)}\n`).join(''));
  let output = '';
  for await (const chunk of child.stdout) output += chunk;
  const answers = output.trimEnd().split('\n');
  expect(answers).toHaveLength(asked.length);
  expect(answers.filter((answer) => answer.startsWith('failed'))).toEqual([]);
  return answers.map((answer) => Buffer.from(answer, 'base64'));
}

const json = (document: unknown) => Buffer.from(JSON.stringify(document));
const parse = (bytes: Uint8Array): unknown => JSON.parse(Buffer.from(bytes).toString());

/** Longs may come as big integers, doubles in a class of their own. */
const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? Number(member) : member)));

/** JSON has no minus zero that Jackson would keep, and Jackson 2.7 reads CBOR integers of 2^31 to 2^32-1 as negative ones. */
const fits = (value: unknown): boolean =>
  typeof value === 'number'
    ? !Object.is(value, -0) && !(value >= 2 ** 31 && value < 2 ** 32) && !(value < -(2 ** 31) && value >= -(2 ** 32))
    : typeof value !== 'object' || value === null || Object.values(value).every(fits);

const random = fc.sample(fc.jsonValue({ maxDepth: 4, stringUnit: 'grapheme' }).filter(fits), {
  numRuns: 300,
  seed: 11,
});
const documents: readonly (readonly [string, unknown])[] = [
  ...Object.entries(difficultDocuments),
  ...random.map((value, at) => [`random ${at}`, { value: JSON.parse(JSON.stringify(value)) }] as const),
];

/** Without the numbers that this Jackson cannot read from CBOR. */
const readable = (document: unknown): unknown =>
  JSON.parse(JSON.stringify(document, (_, value) => (typeof value === 'number' && !fits(value) ? null : value)));

const writers = {
  'the embedded cluster': (document: unknown, format: Format) => encode(document as Value, format, false) as Uint8Array,
  'the command line': (document: unknown, format: Format) => encodeForOperators(document, format) as Uint8Array,
};

const formats = ['smile', 'cbor'] as const;
const dialects = ['smile', 'smile-shared-values', 'smile-nothing-shared', 'smile-raw-binary', 'cbor'] as const;

/** The document as it was before it was sent in this format. */
const given = (document: unknown, format: Format) => (format === 'cbor' ? readable(document) : document);

/** All tasks for Jackson by the title of the test that reads the results: one run, because Java starts slowly. */
const tasks: ReadonlyMap<string, readonly Task[]> = new Map([
  ...Object.entries(writers).flatMap(([writer, write]) =>
    formats.map((format): [string, Task[]] => [
      `reads what ${writer} writes as ${format}`,
      documents.map(([, document]) => ({
        act: 'read',
        dialect: format,
        bytes: write(given(document, format), format),
      })),
    ]),
  ),
  ...dialects.map((dialect): [string, Task[]] => [
    `writes ${dialect} that the embedded cluster reads`,
    documents.map(([, document]) => ({ act: 'write', dialect, bytes: json(document) })),
  ]),
]);

describe.skipIf(jackson.missing)(`Jackson${jackson.reason}`, () => {
  const answers = new Map<string, readonly Uint8Array[]>();

  beforeAll(async () => {
    const all = await ask([...tasks.values()].flat());
    let at = 0;
    for (const [title, { length }] of tasks) {
      answers.set(title, all.slice(at, at + length));
      at += length;
    }
  }, 300_000);

  for (const writer of Object.keys(writers))
    for (const format of formats) {
      const title = `reads what ${writer} writes as ${format}`;
      it(title, () => {
        for (const [at, bytes] of answers.get(title)!.entries())
          expect(parse(bytes), documents[at]![0]).toEqual(given(documents[at]![1], format));
      });
    }

  for (const dialect of dialects) {
    const title = `writes ${dialect} that the embedded cluster reads`;
    it(title, () => {
      for (const [at, bytes] of answers.get(title)!.entries())
        expect(plain(decode(bytes, dialect === 'cbor' ? 'cbor' : 'smile')), documents[at]![0]).toEqual(
          documents[at]![1],
        );
    });
  }

  it('writes SMILE as the embedded cluster does, byte for byte, where names are shared', () => {
    const at = documents.findIndex(([title]) => title === 'shared names');
    const bytes = answers.get('writes smile-raw-binary that the embedded cluster reads')![at]!;

    expect(Buffer.from(writers['the embedded cluster'](documents[at]![1], 'smile'))).toEqual(Buffer.from(bytes));
  });
});
