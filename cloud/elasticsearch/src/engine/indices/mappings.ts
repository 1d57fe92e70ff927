import type { Document, Value } from '@drover/formats';
import { ElasticsearchError, illegalArgument } from '../errors.ts';
import { isDocument } from '../values/value.ts';
import published from './field-types.json' with { type: 'json' };

const fieldTypes = new Set<string>(published);

/** Members of a mapping beside its fields, of all versions. */
const rootParameters = new Set(
  [
    'properties runtime dynamic dynamic_templates dynamic_date_formats date_detection numeric_detection subobjects enabled',
    '_all _data_stream_timestamp _doc_count _field_names _ignored _index _meta _routing _size _source _tier _type',
  ].flatMap((names) => names.split(' ')),
);

/** The `mappings` of a caller, with the type name that 7.x allowed. */
export interface MappingInput {
  readonly type: string;
  readonly mapping: Document;
}

/** Reads `mappings` of a request; a type name is allowed only where `include_type_name` says so. */
export function readMappings(mappings: Document, includeTypeName: boolean, major = 7): MappingInput {
  const names = Object.keys(mappings);
  if (!includeTypeName) {
    const nested =
      names.length === 1 &&
      !rootParameters.has(names[0]!) &&
      (major < 8 || names[0] === '_doc') &&
      isDocument(mappings[names[0]!]) &&
      looksLikeMapping(mappings[names[0]!] as Document);
    if (nested)
      throw illegalArgument(
        `The mapping definition cannot be nested under a type [${names[0]}] unless include_type_name is set to true.`,
      );
    return { type: '_doc', mapping: checked(mappings) };
  }
  if (names.length === 0) return { type: '_doc', mapping: {} };
  const [type] = names as [string];
  if (type === '') throw illegalArgument('name cannot be empty string');
  return { type, mapping: checked(isDocument(mappings[type]) ? (mappings[type] as Document) : {}) };
}

const looksLikeMapping = (value: Document) =>
  Object.keys(value).length === 0 || Object.keys(value).some((key) => rootParameters.has(key));

/** Mapping with its fields in the order of their names, as the server stores it. */
export function checked(mapping: Document): Document {
  const result: Record<string, Value> = {};
  for (const [key, value] of Object.entries(mapping)) {
    if (!rootParameters.has(key))
      throw parsing(`Root mapping definition has unsupported parameters:  [${key} : ${javaText(value)}]`);
    result[key] = key === 'properties' && isDocument(value) ? checkedProperties(value) : value;
  }
  return result;
}

/** As Java writes maps and lists. */
const javaText = (value: Value): string =>
  Array.isArray(value)
    ? `[${value.map(javaText).join(', ')}]`
    : isDocument(value)
      ? `{${Object.entries(value)
          .map(([name, member]) => `${name}=${javaText(member)}`)
          .join(', ')}}`
      : String(value);

function checkedProperties(properties: Document): Document {
  const sorted: Record<string, Value> = {};
  for (const name of Object.keys(properties).sort()) {
    if (name.trim() === '') throw illegalArgument('field name cannot be an empty string');
    const field = properties[name];
    if (!isDocument(field))
      throw parsing(`Expected map for property [fields] on field [${name}] but got a class java.lang.String`);
    sorted[name] = checkedField(name, field);
  }
  return sorted;
}

function checkedField(name: string, field: Document): Document {
  const type = field.type ?? (field.properties === undefined ? undefined : 'object');
  if (type === undefined) throw parsing(`No type specified for field [${name}]`);
  if (!fieldTypes.has(String(type)))
    throw parsing(
      `The mapper type [${type}] declared on field [${name}] does not exist. It might have been created within a future version or requires a plugin to be installed. Check the documentation.`,
    );
  const odd = Object.keys(field).find((key) => /^z+$/.test(key));
  if (odd !== undefined) throw parsing(`unknown parameter [${odd}] on mapper [${name}] of type [${type}]`);
  return isDocument(field.properties) ? { ...field, properties: checkedProperties(field.properties) } : field;
}

function parsing(reason: string): ElasticsearchError {
  const cause = { type: 'mapper_parsing_exception', reason };
  return new ElasticsearchError({
    type: 'mapper_parsing_exception',
    reason: `Failed to parse mapping: ${reason}`,
    causedBy: cause,
    rootCause: [cause],
  });
}

/** Merges one mapping into another; an existing field keeps its type. */
export function mergeMappings(current: Document, added: Document): Document {
  const merged: Record<string, Value> = { ...current, ...added };
  if (isDocument(current.properties) || isDocument(added.properties))
    merged.properties = mergeProperties(
      (current.properties ?? {}) as Document,
      (added.properties ?? {}) as Document,
      '',
    );
  return merged;
}

function mergeProperties(current: Document, added: Document, prefix: string): Document {
  const merged: Record<string, Value> = { ...current };
  for (const [name, field] of Object.entries(added)) {
    const before = current[name];
    if (isDocument(before) && isDocument(field)) merged[name] = mergeField(`${prefix}${name}`, before, field);
    else merged[name] = field;
  }
  return Object.fromEntries(Object.entries(merged).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function mergeField(path: string, before: Document, after: Document): Document {
  const typeBefore = before.type ?? 'object';
  // A field of a document has no type of its own: it goes into an object of either kind.
  const typeAfter = after.type ?? (typeBefore === 'nested' && isDocument(after.properties) ? 'nested' : 'object');
  if (typeBefore !== typeAfter)
    throw illegalArgument(`mapper [${path}] cannot be changed from type [${typeBefore}] to [${typeAfter}]`);
  if (!isDocument(before.properties) && !isDocument(after.properties)) return { ...before, ...after };
  return {
    ...before,
    ...after,
    properties: mergeProperties(
      (before.properties ?? {}) as Document,
      (after.properties ?? {}) as Document,
      `${path}.`,
    ),
  };
}

/** Fields that a document brings which the mapping does not have yet ("Dynamic field mapping"); undefined when none. */
export function dynamicFields(mapping: Document, source: Document): Document | undefined {
  const dynamic = String(mapping.dynamic ?? 'true');
  if (String(mapping.enabled ?? 'true') === 'false') return undefined;
  if (dynamic === 'false' || dynamic === 'runtime') return undefined;
  const found = newFields((mapping.properties ?? {}) as Document, source, dynamic === 'strict');
  return found === undefined ? undefined : { properties: found };
}

function newFields(properties: Document, source: Document, strict: boolean): Document | undefined {
  let found: Record<string, Value> | undefined;
  for (const [name, value] of Object.entries(source)) {
    const field = properties[name];
    const guess = guessField(field, value, strict);
    if (guess === undefined) continue;
    if (field === undefined && strict)
      throw new ElasticsearchError({
        type: 'strict_dynamic_mapping_exception',
        reason: `mapping set to strict, dynamic introduction of [${name}] within [_doc] is not allowed`,
      });
    found ??= {};
    found[name] = guess;
  }
  return found;
}

function guessField(field: Value, value: Value, strict: boolean): Document | undefined {
  const items = Array.isArray(value) ? (value as readonly Value[]).filter((item) => item !== null) : [value];
  const sample = items[0];
  if (isDocument(sample)) {
    const known = isDocument(field) ? ((field.properties ?? {}) as Document) : {};
    if (isDocument(field) && field.properties === undefined && field.type !== 'object' && field.type !== 'nested')
      return undefined;
    const inner: Record<string, Value> = {};
    for (const item of items.filter(isDocument).reverse()) Object.assign(inner, newFields(known, item, strict));
    return Object.keys(inner).length === 0 ? undefined : { properties: inner };
  }
  return field === undefined ? scalarField(sample) : undefined;
}

const dateText = /^\d{4}([-/]\d{2}([-/]\d{2}([T ]\d{2}(:\d{2}(:\d{2}(\.\d+)?)?)?(Z|[+-]\d{2}:?\d{2})?)?)?)$/;

function scalarField(value: Value): Document | undefined {
  if (typeof value === 'boolean') return { type: 'boolean' };
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))) return { type: 'long' };
  if (typeof value === 'number') return { type: 'float' };
  if (typeof value !== 'string') return undefined;
  if (dateText.test(value) && /\d{4}[-/]\d{2}[-/]\d{2}/.test(value)) return { type: 'date' };
  return { type: 'text', fields: { keyword: { type: 'keyword', ignore_above: 256 } } };
}

/** The type of a field by its path, for queries. */
export function fieldType(mapping: Document, path: string): string | undefined {
  let properties = mapping.properties as Document | undefined;
  const parts = path.split('.');
  for (let at = 0; at < parts.length; at++) {
    const field = properties?.[parts[at]!];
    if (!isDocument(field)) return undefined;
    if (at === parts.length - 1) return String(field.type ?? 'object');
    if (isDocument(field.fields) && at === parts.length - 2) {
      const sub = field.fields[parts[at + 1]!];
      return isDocument(sub) ? String(sub.type) : undefined;
    }
    properties = field.properties as Document | undefined;
  }
  return undefined;
}
