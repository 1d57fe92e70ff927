import { ElasticsearchError } from '../errors.ts';
import { fieldType } from '../indices/mappings.ts';
import { wildcardToRegExp } from '../values/filter-path.ts';
import { isXObject, type XObject, type XValue } from '../values/value.ts';
import type { StoredDocument } from './shard-store.ts';

/** Whether a document matches, and how well. */
export type Matcher = (document: StoredDocument) => number | undefined;

/** Compiles a query of the query DSL. Only what is listed here is known; anything else is refused as unknown. */
export function compileQuery(query: XValue, mapping: XObject): Matcher {
  if (query === undefined) return () => 1;
  if (!isXObject(query)) throw parsing('query malformed, must start with start_object');
  const names = Object.keys(query);
  if (names.length === 0)
    throw new ElasticsearchError({ type: 'illegal_argument_exception', reason: 'query malformed, empty clause found' });
  const [name] = names as [string];
  const compile = compilers[name];
  if (compile === undefined) throw unknownQuery(name);
  return compile(query[name], mapping);
}

const parsing = (reason: string) =>
  new ElasticsearchError({ type: 'parsing_exception', reason, details: { line: 1, col: 1 } });

const unknownQuery = (name: string) =>
  new ElasticsearchError({
    type: 'parsing_exception',
    reason: `unknown query [${name}]`,
    details: { line: 1, col: 17 },
    causedBy: { type: 'named_object_not_found_exception', reason: `[1:17] unknown field [${name}]` },
  });

type Compiler = (body: XValue, mapping: XObject) => Matcher;

const compilers: Readonly<Record<string, Compiler>> = {
  match_all: () => () => 1,
  match_none: () => () => undefined,
  term: (body, mapping) => single(body, 'value', (path, value) => equals(path, [value], mapping)),
  terms: (body, mapping) => {
    const [path, values] = firstField(body, ['boost']);
    return equals(path, Array.isArray(values) ? values : [values], mapping);
  },
  match: (body, mapping) => single(body, 'query', (path, value) => contains(path, value, mapping)),
  match_phrase: (body, mapping) => single(body, 'query', (path, value) => contains(path, value, mapping)),
  ids: (body) => {
    const ids = new Set(isXObject(body) && Array.isArray(body.values) ? body.values.map(String) : []);
    return (document) => (ids.has(document.id) ? 1 : undefined);
  },
  exists: (body) => {
    const path = isXObject(body) ? String(body.field) : '';
    return (document) => (valuesAt(document.source, path).length > 0 ? 1 : undefined);
  },
  prefix: (body) =>
    single(body, 'value', (path, value) => some(path, (item) => String(item).startsWith(String(value)))),
  wildcard: (body) =>
    single(body, 'value', (path, value) =>
      some(path, (item) => wildcardToRegExp(String(value).replaceAll('?', '*')).test(String(item))),
    ),
  range: (body) => range(body),
  bool: (body, mapping) => bool(body, mapping),
  constant_score: (body, mapping) => {
    const inner = compileQuery(isXObject(body) ? body.filter : undefined, mapping);
    return (document) => (inner(document) === undefined ? undefined : 1);
  },
  query_string: (body, mapping) => compileQueryString(isXObject(body) ? String(body.query) : '*', mapping),
  simple_query_string: (body, mapping) => compileQueryString(isXObject(body) ? String(body.query) : '*', mapping),
};

function firstField(body: XValue, options: readonly string[]): [string, XValue] {
  if (!isXObject(body)) throw parsing('[term] query malformed, no start_object after query name');
  const found = Object.entries(body).find(([key]) => !options.includes(key));
  if (found === undefined) throw parsing('query malformed, no field found');
  return found as [string, XValue];
}

function single(body: XValue, key: string, make: (path: string, value: XValue) => Matcher): Matcher {
  const [path, value] = firstField(body, ['boost', '_name']);
  return make(path, isXObject(value) ? value[key] : value);
}

function some(path: string, test: (value: XValue) => boolean): Matcher {
  const { field } = plainPath(path);
  return (document) => (valuesAt(document.source, field).some(test) ? 1 : undefined);
}

/** `title.keyword` reads the field `title`. */
function plainPath(path: string): { field: string; keyword: boolean } {
  return path.endsWith('.keyword') ? { field: path.slice(0, -8), keyword: true } : { field: path, keyword: false };
}

function equals(path: string, values: readonly XValue[], mapping: XObject): Matcher {
  if (path === '_id') return (document) => (values.some((value) => String(value) === document.id) ? 1 : undefined);
  const { field, keyword } = plainPath(path);
  const analyzed = !keyword && fieldType(mapping, path) === 'text';
  const wanted = new Set(values.map((value) => String(value)));
  return (document) => {
    const found = valuesAt(document.source, field).some((value) =>
      analyzed ? words(value).some((word) => wanted.has(word)) : wanted.has(String(value)),
    );
    return found ? 1 : undefined;
  };
}

function contains(path: string, value: XValue, mapping: XObject): Matcher {
  const { field, keyword } = plainPath(path);
  const type = fieldType(mapping, path);
  if (keyword || (type !== undefined && type !== 'text' && type !== 'match_only_text'))
    return equals(path, [value], mapping);
  const wanted = new Set(words(value));
  return (document) =>
    valuesAt(document.source, field).some((item) => words(item).some((word) => wanted.has(word))) ? 1 : undefined;
}

const words = (value: XValue) =>
  String(value)
    .toLowerCase()
    .split(/[^\p{L}\p{N}_]+/u)
    .filter((word) => word !== '');

function range(body: XValue): Matcher {
  const [path, bounds] = firstField(body, ['boost']);
  if (!isXObject(bounds)) throw parsing('[range] query malformed, no start_object after query name');
  const tests = Object.entries(bounds).flatMap(([key, bound]) => {
    if (key === 'gte' || key === 'from') return [(value: XValue) => compareValues(value, bound) >= 0];
    if (key === 'gt') return [(value: XValue) => compareValues(value, bound) > 0];
    if (key === 'lte' || key === 'to') return [(value: XValue) => compareValues(value, bound) <= 0];
    if (key === 'lt') return [(value: XValue) => compareValues(value, bound) < 0];
    return [];
  });
  return some(path, (value) => tests.every((test) => test(value)));
}

/** Numbers by size, dates and texts by their text. */
export function compareValues(a: XValue, b: XValue): number {
  const [x, y] = [Number(a), Number(b)];
  if (a !== '' && b !== '' && Number.isFinite(x) && Number.isFinite(y)) return x - y;
  const [s, t] = [String(a), String(b)];
  return s < t ? -1 : s > t ? 1 : 0;
}

function bool(body: XValue, mapping: XObject): Matcher {
  const clauses = (key: string) => {
    const value = isXObject(body) ? body[key] : undefined;
    const list = value === undefined ? [] : Array.isArray(value) ? (value as readonly XValue[]) : [value];
    return list.map((clause) => compileQuery(clause, mapping));
  };
  const [must, filter, should, mustNot] = [clauses('must'), clauses('filter'), clauses('should'), clauses('must_not')];
  const least =
    isXObject(body) && body.minimum_should_match !== undefined
      ? Number(body.minimum_should_match)
      : must.length + filter.length === 0 && should.length > 0
        ? 1
        : 0;
  return (document) => {
    if (mustNot.some((matches) => matches(document) !== undefined)) return undefined;
    if ([...must, ...filter].some((matches) => matches(document) === undefined)) return undefined;
    const good = should.filter((matches) => matches(document) !== undefined).length;
    return good < least ? undefined : must.length + good;
  };
}

/** `field:value`, words and `*`, joined by AND or OR; quotes around a phrase. Nothing else of the syntax. */
export function compileQueryString(text: string, mapping: XObject): Matcher {
  if (text.trim() === '*' || text.trim() === '*:*') return () => 1;
  const clauses: readonly string[] = text.match(/[\w.*@-]+:"[^"]*"|[\w.*@-]+:\S+|"[^"]*"|\S+/g) ?? [];
  const and = clauses.includes('AND');
  const matchers = clauses
    .filter((clause) => clause !== 'AND' && clause !== 'OR')
    .map((clause) => queryClause(clause, mapping));
  return (document) =>
    (
      and
        ? matchers.every((matches) => matches(document) !== undefined)
        : matchers.some((matches) => matches(document) !== undefined)
    )
      ? 1
      : undefined;
}

function queryClause(clause: string, mapping: XObject): Matcher {
  const colon = clause.indexOf(':');
  const value = clause.slice(colon + 1).replace(/^"|"$/g, '');
  if (/^[[{]/.test(value))
    throw new ElasticsearchError({ type: 'parse_exception', reason: `Cannot parse '${clause}'` });
  if (colon < 0)
    return (document) =>
      allValues(document.source).some((item) => words(item).some((word) => words(value).includes(word)))
        ? 1
        : undefined;
  const field = clause.slice(0, colon);
  if (value === '*') return some(field, () => true);
  if (value.includes('*')) return some(field, (item) => wildcardToRegExp(value).test(String(item)));
  return contains(field, value, mapping);
}

/** Values of a path; lists are entered. */
export function valuesAt(source: XValue, path: string): XValue[] {
  if (isXObject(source) && source[path] !== undefined) return flatten(source[path]);
  const [head, ...rest] = path.split('.');
  const members = flatten(isXObject(source) ? source[head!] : undefined);
  return rest.length === 0 ? members : members.flatMap((member) => valuesAt(member, rest.join('.')));
}

function flatten(value: XValue): XValue[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? (value as readonly XValue[]).flatMap(flatten) : [value];
}

function allValues(source: XValue): XValue[] {
  if (Array.isArray(source)) return (source as readonly XValue[]).flatMap(allValues);
  return isXObject(source)
    ? Object.values(source).flatMap(allValues)
    : source === null || source === undefined
      ? []
      : [source];
}
