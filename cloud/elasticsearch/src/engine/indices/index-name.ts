import type { RestError } from '../errors.ts';
import { invalidIndexName } from './index-expressions.ts';

const forbidden = ['\\', '/', '*', '?', '"', '<', '>', '|', ' ', ','];

/** Why a name cannot be an index's ("Create index API: path parameters"), or undefined. */
export function refuseIndexName(name: string): RestError | undefined {
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
