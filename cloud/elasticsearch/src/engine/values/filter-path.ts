import type { Document, Value } from '@drover/formats';
import { isDocument } from './value.ts';

/**
 * `?filter_path=` as Elasticsearch documents it ("Common options: response filtering"): comma-separated paths,
 * `*` in a name, `**` for any depth, a leading `-` excludes.
 */
export function filterByPath(value: Value, expression: string): Value {
  const paths = expression
    .split(',')
    .map((path) => path.trim())
    .filter((path) => path !== '');
  const includes = paths.filter((path) => !path.startsWith('-')).map(toSegments);
  const excludes = paths.filter((path) => path.startsWith('-')).map((path) => toSegments(path.slice(1)));
  const kept = includes.length === 0 ? value : include(value, includes);
  const left = excludes.length === 0 ? kept : exclude(kept, excludes);
  return left ?? (Array.isArray(value) ? [] : {});
}

/** A dot that belongs to a name is escaped with a backslash. */
const toSegments = (path: string) => path.split(/(?<!\\)\./).map((segment) => segment.replaceAll('\\.', '.'));

function include(value: Value, paths: readonly (readonly string[])[]): Value {
  if (paths.some((path) => path.length === 0)) return value;
  if (Array.isArray(value)) {
    const kept = (value as readonly Value[]).map((item) => include(item, paths)).filter((item) => item !== undefined);
    return kept.length === 0 ? undefined : kept;
  }
  if (!isDocument(value)) return paths.some((path) => path.every((segment) => segment === '**')) ? value : undefined;
  return keepMembers(value, (key) => advance(paths, key), include);
}

function exclude(value: Value, paths: readonly (readonly string[])[]): Value {
  if (paths.some((path) => path.length === 0)) return undefined;
  if (Array.isArray(value))
    return (value as readonly Value[]).map((item) => exclude(item, paths)).filter((item) => item !== undefined);
  if (!isDocument(value)) return value;
  const result: Record<string, Value> = {};
  for (const [key, member] of Object.entries(value)) {
    const left = exclude(member, advance(paths, key));
    if (left !== undefined) result[key] = left;
  }
  return result;
}

function keepMembers(
  value: Document,
  next: (key: string) => string[][],
  apply: (member: Value, paths: string[][]) => Value,
): Document | undefined {
  const result: Record<string, Value> = {};
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    const paths = next(key);
    const kept = paths.length === 0 ? undefined : apply(member, paths);
    if (kept !== undefined) result[key] = kept;
  }
  return Object.keys(result).length === 0 ? undefined : result;
}

/** The rest of each path after the member `key` has been entered. */
function advance(paths: readonly (readonly string[])[], key: string): string[][] {
  const next: string[][] = [];
  for (const [segment, ...rest] of paths) {
    if (segment === '**') {
      next.push(['**', ...rest]);
      const [after, ...tail] = rest;
      if (after === undefined) next.push([]);
      else if (matchesName(after, key)) next.push(tail);
    } else if (segment !== undefined && matchesName(segment, key)) next.push(rest);
  }
  return next;
}

const matchesName = (pattern: string, name: string) => pattern === name || wildcardToRegExp(pattern).test(name);

const compiled = new Map<string, RegExp>();

/** `*` stands for any characters; everything else for itself. */
export function wildcardToRegExp(pattern: string): RegExp {
  let regExp = compiled.get(pattern);
  if (regExp === undefined) {
    regExp = new RegExp(
      `^${pattern
        .split('*')
        .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
        .join('.*')}$`,
      's',
    );
    if (compiled.size < 10_000) compiled.set(pattern, regExp);
  }
  return regExp;
}
