import { decodeCbor, decodeSmile, encodeCbor, encodeSmile, type Value } from '@drover/formats';
import { ElasticsearchError, illegalArgument } from '../../engine/errors.ts';
import { isDocument } from '../../engine/values/value.ts';
import { RestError } from '../responses/rest-error.ts';
import { writeJson, writePrettyJson } from './json.ts';
import type { Format } from './media-types.ts';
import { readYaml, writeYaml } from './yaml.ts';

export function encode(value: Value, format: Format, pretty: boolean): Uint8Array | string {
  switch (format) {
    case 'yaml':
      return writeYaml(value);
    case 'cbor':
      return encodeCbor(value);
    case 'smile':
      return encodeSmile(value);
    default:
      return pretty ? writePrettyJson(value) : writeJson(value);
  }
}

/** Reads a request body; bytes that cannot be decoded are a parse error. */
export function decode(bytes: Uint8Array, format: Format): Value {
  try {
    switch (format) {
      case 'yaml':
        return readYaml(Buffer.from(bytes).toString());
      case 'cbor':
        return finite(decodeCbor(bytes));
      case 'smile':
        return finite(decodeSmile(bytes));
      default:
        return JSON.parse(Buffer.from(bytes).toString()) as Value;
    }
  } catch (error) {
    if (error instanceof ElasticsearchError) throw error;
    if (format === 'smile' && bytes[0] !== smileStart) throw notSmile(bytes);
    throw unreadable(Buffer.from(bytes).toString(), error);
  }
}

/** The binary formats can carry NaN and infinity; no field accepts them ("Numeric field types"). */
function finite(value: Value): Value {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw illegalArgument(`[float] supports only finite values, but got [${value}]`);
  if (Array.isArray(value)) for (const item of value as readonly Value[]) finite(item);
  else if (isDocument(value)) for (const member of Object.values(value)) finite(member);
  return value;
}

const smileStart = 0x3a;

/** A real server returns 500 for a body without the SMILE header. */
const notSmile = (bytes: Uint8Array) =>
  new RestError(500, {
    type: 'json_parse_exception',
    reason: `Input does not start with Smile format header (first byte = 0x${(bytes[0] ?? 0).toString(16)}) and parser has REQUIRE_HEADER enabled: can not parse`,
  });

/** Types and place are those of a server; the words for the fault are those of the decoder here. */
function unreadable(text: string, error: unknown): ElasticsearchError {
  const message = error instanceof Error ? error.message : String(error);
  const position = Number(/position (\d+)/.exec(message)?.[1] ?? text.length);
  const atEnd = position >= text.length || /Unterminated/.test(message);
  const before = text.slice(0, atEnd ? text.length : position).split('\n');
  const where = `[${before.length}:${Buffer.byteLength(before.at(-1)!) + 1}]`;
  return new RestError(400, {
    type: atEnd ? 'x_content_e_o_f_exception' : 'x_content_parse_exception',
    reason: atEnd ? `${where} Unexpected end of file` : `${where} ${message}`,
    causedBy: { type: atEnd ? 'json_e_o_f_exception' : 'json_parse_exception', reason: message },
  });
}
