import { ElasticsearchError } from '../errors.ts';

export const invalidIndexName = (name: string, why: string) =>
  new ElasticsearchError({
    type: 'invalid_index_name_exception',
    reason: `Invalid index name [${name}], ${why}`,
    details: { index_uuid: '_na_', index: name },
  });

const forbidden = ['\\', '/', '*', '?', '"', '<', '>', '|', ' ', ','];

/** Why a name cannot be an index's or an alias's for its characters and its length, or undefined. */
export function refusedCharacters(name: string): string | undefined {
  if (forbidden.some((character) => name.includes(character)))
    return "must not contain the following characters [' ','\"','*',',','/','<','>','?','\\','|']";
  if (name.includes('#')) return "must not contain '#'";
  if (name.includes(':')) return "must not contain ':'";
  if (/^[_\-+]/.test(name)) return "must not start with '_', '-', or '+'";
  if (Buffer.byteLength(name) > 255) return `index name is too long, (${Buffer.byteLength(name)} > 255)`;
  return name === '.' || name === '..' ? "must not be '.' or '..'" : undefined;
}

/** Why a name cannot be an index's ("Create index API: path parameters"), or undefined. */
export function refuseIndexName(name: string): ElasticsearchError | undefined {
  const why = refusedCharacters(name) ?? (name.toLowerCase() === name ? undefined : 'must be lowercase');
  return why === undefined ? undefined : invalidIndexName(name, why);
}
