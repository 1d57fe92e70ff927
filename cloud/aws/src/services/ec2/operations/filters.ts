import { nextTokenPage } from '../../../account/paging.ts';
import { invalidParameter } from '../errors.ts';

export interface Filter {
  readonly Name?: string;
  readonly Values?: readonly string[];
}

/** Reads the values of a filter from a resource; several values match when one does. */
export type FilterReaders<R> = Readonly<Record<string, (resource: R) => string | readonly string[] | undefined>>;

/**
 * Keeps what all filters match: values of one filter are alternatives, `*` and `?` are wildcards
 * (List and filter your resources). An unknown filter is an error, as in AWS.
 */
export function applyFilters<R extends { readonly tags: Readonly<Record<string, string>> }>(
  resources: Iterable<R>,
  filters: readonly Filter[] | undefined,
  readers: FilterReaders<R>,
): R[] {
  const tests = (filters ?? []).map((filter) => test(filter, readers));
  const kept: R[] = [];
  for (const resource of resources) if (tests.every((matches) => matches(resource))) kept.push(resource);
  return kept;
}

function test<R extends { readonly tags: Readonly<Record<string, string>> }>(
  filter: Filter,
  readers: FilterReaders<R>,
): (resource: R) => boolean {
  const name = filter.Name ?? '';
  const read = readerOf(name, readers);
  const values = filter.Values ?? [];
  const exact = new Set(values);
  const patterns = values.filter((value) => /[*?]/.test(value)).map(wildcard);
  const matches = (value: string) => exact.has(value) || patterns.some((pattern) => pattern.test(value));
  return (resource) => {
    const actual = read(resource);
    if (actual === undefined) return false;
    return typeof actual === 'string' ? matches(actual) : actual.some(matches);
  };
}

function readerOf<R extends { readonly tags: Readonly<Record<string, string>> }>(
  name: string,
  readers: FilterReaders<R>,
): (resource: R) => string | readonly string[] | undefined {
  if (name.startsWith('tag:')) return (resource) => resource.tags[name.slice('tag:'.length)];
  if (name === 'tag-key') return (resource) => Object.keys(resource.tags);
  if (name === 'tag-value') return (resource) => Object.values(resource.tags);
  const read = readers[name];
  if (read === undefined) throw invalidParameter(`The filter '${name}' is invalid`);
  return read;
}

const wildcard = (value: string) =>
  new RegExp(
    `^${value
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
    's',
  );

/** One page of a list, and the token of the next. */
export const page = <T>(
  items: readonly T[],
  request: { readonly NextToken?: string | undefined; readonly MaxResults?: number | undefined },
  largest = 1000,
) =>
  nextTokenPage(items, request, Math.min(request.MaxResults ?? largest, largest), () =>
    invalidParameter(`Invalid value '${request.NextToken}' for NextToken.`),
  );
