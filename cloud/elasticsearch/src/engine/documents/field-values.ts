import type { Document, Value } from '@drover/formats';
import { ElasticsearchError } from '../errors.ts';
import { isDocument } from '../values/value.ts';

const numeric = new Set([
  'long',
  'integer',
  'short',
  'byte',
  'double',
  'float',
  'half_float',
  'scaled_float',
  'unsigned_long',
]);

/** Values that cannot be what the mapping says end the write with 400. Numbers, booleans and addresses are looked at. */
export function checkFieldValues(mapping: Document, source: Document, id: string, major: number): void {
  const properties = mapping.properties;
  if (!isDocument(properties)) return;
  for (const [name, value] of Object.entries(source)) {
    const field = properties[name];
    if (!isDocument(field)) continue;
    if (isDocument(field.properties) && isDocument(value)) checkFieldValues(field, value, id, major);
    else
      for (const item of Array.isArray(value) ? (value as readonly Value[]) : [value])
        checkItem(name, field, item, id, major);
  }
}

/** An item of a list, or the only one. */
function checkItem(name: string, field: Document, item: Value, id: string, major: number): void {
  const objects = isDocument(field.properties) || field.type === 'nested' || field.type === 'object';
  if (!objects) checkValue(name, field, item, id, major);
  else if (isDocument(item)) checkFieldValues(field, item, id, major);
  else if (item !== null && item !== undefined)
    throw new ElasticsearchError({
      type: major >= 8 ? 'document_parsing_exception' : 'mapper_parsing_exception',
      reason: `${major >= 8 ? '[1:9] ' : ''}object mapping for [${name}] tried to parse field [${name}] as object, but found a concrete value`,
    });
}

function checkValue(name: string, field: Document, value: Value, id: string, major: number): void {
  const type = String(field.type);
  if (value === null || value === undefined || field.ignore_malformed === true) return;
  if (
    numeric.has(type) &&
    (typeof value === 'boolean' || isDocument(value) || (typeof value === 'string' && !isNumeric(value)))
  )
    throw malformed(name, type, value, id, major, {
      type: 'number_format_exception',
      reason: `For input string: "${String(value)}"`,
    });
  if (type === 'boolean' && typeof value !== 'boolean' && value !== 'true' && value !== 'false' && value !== '')
    throw malformed(name, type, value, id, major, {
      type: 'illegal_argument_exception',
      reason: `Failed to parse value [${String(value)}] as only [true] or [false] are allowed.`,
    });
}

const isNumeric = (text: string) => text.trim() !== '' && Number.isFinite(Number(text));

function malformed(
  name: string,
  type: string,
  value: Value,
  id: string,
  major: number,
  causedBy: { type: string; reason: string },
): ElasticsearchError {
  const reason = `failed to parse field [${name}] of type [${type}] in document with id '${id}'. Preview of field's value: '${String(value)}'`;
  if (major >= 8)
    return new ElasticsearchError({ type: 'document_parsing_exception', reason: `[1:9] ${reason}`, causedBy });
  return new ElasticsearchError({ type: 'mapper_parsing_exception', reason, causedBy });
}
