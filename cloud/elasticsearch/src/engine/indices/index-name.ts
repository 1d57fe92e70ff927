import { ElasticsearchError } from '../errors.ts';

export const invalidIndexName = (name: string, why: string) =>
  new ElasticsearchError({
    type: 'invalid_index_name_exception',
    reason: `Invalid index name [${name}], ${why}`,
    details: { index_uuid: '_na_', index: name },
  });

const forbidden = ['\\', '/', '*', '?', '"', '<', '>', '|', ' ', ','];

/** Why a name cannot be an index's ("Create index API: path parameters"), or undefined. */
export function refuseIndexName(name: string): ElasticsearchError | undefined {
  if (forbidden.some((character) => name.includes(character)))
    return invalidIndexName(
      name,
      "must not contain the following characters [' ','\"','*',',','/','<','>','?','\\','|']",
    );
  if (name.includes('#')) return invalidIndexName(name, "must not contain '#'");
  if (name.includes(':')) return invalidIndexName(name, "must not contain ':'");
  if (/^[_\-+]/.test(name)) return invalidIndexName(name, "must not start with '_', '-', or '+'");
  if (Buffer.byteLength(name) > 255)
    return invalidIndexName(name, `index name is too long, (${Buffer.byteLength(name)} > 255)`);
  if (name === '.' || name === '..') return invalidIndexName(name, "must not be '.' or '..'");
  if (name.toLowerCase() !== name) return invalidIndexName(name, 'must be lowercase');
  return undefined;
}
