import { stringify as encodeYaml, parse } from 'yaml';
import { encodeCbor } from './cbor.ts';
import { encodeSmile } from './smile.ts';

/** Data in one of the formats that Elasticsearch speaks. */
export function encode(data: unknown, format: 'cbor' | 'yaml' | 'smile'): string | Uint8Array {
  const plain: unknown = JSON.parse(JSON.stringify(data));
  switch (format) {
    case 'yaml':
      return `---\n${encodeYaml(plain)}`;
    case 'cbor':
      return encodeCbor(plain);
    case 'smile':
      return encodeSmile(plain);
  }
}

/** Reads YAML, and so JSON. */
export const parseYaml = (text: string): unknown => parse(text);
