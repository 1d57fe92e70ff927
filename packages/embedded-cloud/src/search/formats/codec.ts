import { illegalArgument, RestError } from '../rest/errors.ts';
import type { Format } from '../rest/media-types.ts';
import { readCbor } from './cbor-decode.ts';
import { writeCbor } from './cbor-encode.ts';
import { writeJson, writePrettyJson } from './json.ts';
import { readSmile } from './smile-decode.ts';
import { writeSmile } from './smile-encode.ts';
import { isXObject, type XValue } from './value.ts';
import { readYaml, writeYaml } from './yaml.ts';

export function encode(value: XValue, format: Format, pretty: boolean): Uint8Array | string {
  switch (format) {
    case 'yaml':
      return writeYaml(value);
    case 'cbor':
      return writeCbor(value);
    case 'smile':
      return writeSmile(value);
    default:
      return pretty ? writePrettyJson(value) : writeJson(value);
  }
}

/** Reads a request body; what cannot be read is a parse error. */
export function decode(bytes: Uint8Array, format: Format): XValue {
  try {
    switch (format) {
      case 'yaml':
        return readYaml(Buffer.from(bytes).toString());
      case 'cbor':
        return finite(readCbor(bytes));
      case 'smile':
        return finite(readSmile(bytes));
      default:
        return JSON.parse(Buffer.from(bytes).toString()) as XValue;
    }
  } catch (error) {
    if (error instanceof RestError) throw error;
    if (format === 'smile' && bytes[0] !== smileStart) throw notSmile(bytes);
    throw unreadable(Buffer.from(bytes).toString(), error);
  }
}

/** The binary formats can say NaN and infinity; no field takes them ("Numeric field types"). */
function finite(value: XValue): XValue {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw illegalArgument(`[float] supports only finite values, but got [${value}]`);
  if (Array.isArray(value)) for (const item of value as readonly XValue[]) finite(item);
  else if (isXObject(value)) for (const member of Object.values(value)) finite(member);
  return value;
}

const smileStart = 0x3a;

/** A body that is not even meant as SMILE is no mistake of the client to a real server, but its own. */
const notSmile = (bytes: Uint8Array) =>
  new RestError(500, {
    type: 'json_parse_exception',
    reason: `Input does not start with Smile format header (first byte = 0x${(bytes[0] ?? 0).toString(16)}) and parser has REQUIRE_HEADER enabled: can not parse`,
  });

/** The words are the parser's own; only their type and place are the server's. */
function unreadable(text: string, error: unknown): RestError {
  const message = error instanceof Error ? error.message : String(error);
  const position = /at position (\d+)/.exec(message);
  const atEnd =
    /end of (JSON )?input|Unexpected end/i.test(message) ||
    (position !== null && Number(position[1]) >= text.trimEnd().length);
  const lines = text.split('\n');
  const where = `[${lines.length}:${lines.at(-1)!.length + 1}]`;
  const reason = atEnd ? `${where} Unexpected end of file` : `${where} ${message}`;
  const cause = { type: atEnd ? 'json_e_o_f_exception' : 'json_parse_exception', reason: message };
  return new RestError(400, {
    type: atEnd ? 'x_content_e_o_f_exception' : 'x_content_parse_exception',
    reason,
    causedBy: cause,
  });
}
