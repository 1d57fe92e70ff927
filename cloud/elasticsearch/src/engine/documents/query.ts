import type { Document, Value } from '@drover/formats';
import { ElasticsearchError, NotModelled } from '../errors.ts';
import { fieldType } from '../indices/mappings.ts';
import { isDocument } from '../values/value.ts';
import published from './search-names.json' with { type: 'json' };
import type { StoredDocument } from './shard-store.ts';

/** Whether a document matches, and how well. */
export type Matcher = (document: StoredDocument) => number | undefined;

/** Compiles a query of the query DSL. Only what is listed here is modelled. */
export function compileQuery(query: Value, mapping: Document): Matcher {
  if (query === undefined) return () => 1;
  if (!isDocument(query)) throw parsing('query malformed, must start with start_object');
  const [name] = Object.keys(query);
  if (name === undefined)
    throw new ElasticsearchError({ type: 'illegal_argument_exception', reason: 'query malformed, empty clause found' });
  const compile = compilers[name];
  if (compile === undefined)
    throw published.queries.includes(name) ? new NotModelled(`the query [${name}]`) : unknownQuery(name);
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

const compilers: Readonly<Record<string, (body: Value, mapping: Document) => Matcher>> = {
  match_all: () => () => 1,
  term: (body, mapping) => {
    const [path, value] = termOf(body);
    return hasTerm(path, String(isDocument(value) ? value.value : value), mapping);
  },
};

function termOf(body: Value): [string, Value] {
  if (!isDocument(body)) throw parsing('[term] query malformed, no start_object after query name');
  const found = Object.entries(body).find(([key]) => key !== 'boost' && key !== '_name');
  if (found === undefined) throw parsing('query malformed, no field found');
  return found;
}

/** `title.keyword` reads the field `title`; of a text field each word is a term. */
function hasTerm(path: string, term: string, mapping: Document): Matcher {
  if (path === '_id') return (document) => (document.id === term ? 1 : undefined);
  const field = path.replace(/\.keyword$/, '');
  const analyzed = field === path && fieldType(mapping, path) === 'text';
  const terms = (value: Value) => (analyzed ? words(value) : [String(value)]);
  return (document) => (valuesAt(document.source, field).some((value) => terms(value).includes(term)) ? 1 : undefined);
}

const words = (value: Value) =>
  String(value)
    .toLowerCase()
    .split(/[^\p{L}\p{N}_]+/u)
    .filter((word) => word !== '');

/** Numbers by size, dates and texts by their text. */
export function compareValues(a: Value, b: Value): number {
  const [x, y] = [Number(a), Number(b)];
  if (a !== '' && b !== '' && Number.isFinite(x) && Number.isFinite(y)) return x - y;
  const [s, t] = [String(a), String(b)];
  return s < t ? -1 : s > t ? 1 : 0;
}

/** Values of a path; lists are entered. */
export function valuesAt(source: Value, path: string): Value[] {
  if (isDocument(source) && source[path] !== undefined) return flatten(source[path]);
  const [head, ...rest] = path.split('.');
  const members = flatten(isDocument(source) ? source[head!] : undefined);
  return rest.length === 0 ? members : members.flatMap((member) => valuesAt(member, rest.join('.')));
}

function flatten(value: Value): Value[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? (value as readonly Value[]).flatMap(flatten) : [value];
}
