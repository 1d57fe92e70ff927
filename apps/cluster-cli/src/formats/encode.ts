import { encodeCbor, encodeSmile, type Value } from '@drover/formats';
import { stringify as encodeYaml, parse } from 'yaml';

/** Encodes data in one of the formats that Elasticsearch supports beside JSON. */
export function encode(data: unknown, format: 'cbor' | 'yaml' | 'smile'): string | Uint8Array {
  const plain = JSON.parse(JSON.stringify(data)) as Value;
  switch (format) {
    case 'yaml':
      return `---\n${encodeYaml(plain)}`;
    case 'cbor':
      return encodeCbor(plain);
    case 'smile':
      return encodeSmile(plain);
  }
}

/** Parses YAML, and so JSON. */
export const parseYaml = (text: string): unknown => parse(text);
