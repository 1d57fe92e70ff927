import { illegalArgument, NotModelled } from '../../engine/errors.ts';
import { similar } from '../../engine/values/similar.ts';
import type { Route } from './route.ts';

/** Parameters that every endpoint takes ("Common options"). */
export const commonParams: readonly string[] = [
  'pretty',
  'human',
  'error_trace',
  'filter_path',
  'format',
  'source',
  'source_content_type',
];

/** Parameters that 8.0 removed ("Removal of mapping types"). */
const removed = ['include_type_name'];

/** A parameter that the endpoint does not know is refused, with what was probably meant. */
export function checkParams(
  route: Route,
  path: string,
  params: ReadonlyMap<string, string>,
  pathParams: Readonly<Record<string, string>>,
  major: number,
): void {
  // With `help` a cat API reads nothing else, so what stands in its path is left over.
  const onlyHelp = route.api.startsWith('cat.') && params.has('help') && params.get('help') !== 'false';
  const known = new Set([...commonParams, ...route.params, ...(onlyHelp ? [] : Object.keys(pathParams))]);
  if (major >= 8) for (const name of removed) known.delete(name);
  const unknown = [...params.keys()].filter((name) => !known.has(name)).sort();
  if (unknown.length === 0) return;
  const refused = unknown.filter((name) => route.refused.includes(name));
  if (refused.length > 0) throw new NotModelled(`the parameter [${refused.join(', ')}] of ${route.api}`);
  const list = unknown.map((name) => `[${name}]${suggestion(name, [...known])}`).join(', ');
  throw illegalArgument(`request [${path}] contains unrecognized parameter${unknown.length > 1 ? 's' : ''}: ${list}`);
}

/** A body that the endpoint does not read is refused. */
export function checkBody({ body }: Route, method: string, path: string, bytes: Uint8Array): void {
  if (!body && bytes.length > 0) throw illegalArgument(`request [${method} ${path}] does not support having a body`);
}

/** ` -> did you mean …?`, from names that are more than half alike. */
export function suggestion(name: string, known: readonly string[]): string {
  const alike = similar(name, known);
  if (alike.length === 0) return '';
  return ` -> did you mean ${alike.length === 1 ? `[${alike[0]}]` : `any of [${alike.join(', ')}]`}?`;
}
