import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

interface Url {
  readonly path: string;
  readonly methods: readonly string[];
}

interface Endpoint {
  readonly name: string;
  readonly urls: readonly Url[];
}

/** The official schema of the API, as its npm package carries it. */
export function readSchema(): {
  readonly endpoints: readonly Endpoint[];
  readonly types: readonly Record<string, unknown>[];
} {
  const require = createRequire(import.meta.url);
  const main = require.resolve('@elastic/request-converter');
  return JSON.parse(readFileSync(join(dirname(main), 'schema.json'), 'utf8'));
}

const endpoints = new Map(readSchema().endpoints.map((endpoint) => [endpoint.name, endpoint]));

/** Paths with a mapping type, which the present schema has forgotten: `METHODS /path`. */
const typed: Readonly<Record<string, readonly string[]>> = {
  index: ['POST /{index}/{type}', 'PUT /{index}/{type}/{id}'],
  create: ['PUT /{index}/{type}/{id}/_create'],
  get: ['GET /{index}/{type}/{id}'],
  exists: ['HEAD /{index}/{type}/{id}'],
  delete: ['DELETE /{index}/{type}/{id}'],
  get_source: ['GET /{index}/{type}/{id}/_source'],
  exists_source: ['HEAD /{index}/{type}/{id}/_source'],
  update: ['POST /{index}/{type}/{id}/_update'],
  explain: ['POST /{index}/{type}/{id}/_explain'],
  termvectors: ['POST /{index}/{type}/_termvectors', 'POST /{index}/{type}/{id}/_termvectors'],
  mtermvectors: ['POST /{index}/{type}/_mtermvectors'],
  bulk: ['POST /{index}/{type}/_bulk'],
  mget: ['POST /{index}/{type}/_mget'],
  search: ['POST /{index}/{type}/_search'],
  msearch: ['POST /{index}/{type}/_msearch'],
  count: ['POST /{index}/{type}/_count'],
  'indices.put_mapping': ['PUT /{index}/{type}/_mapping', 'PUT /_mapping/{type}'],
  'indices.get_mapping': ['GET /{index}/_mapping/{type}', 'GET /_mapping/{type}'],
  'indices.get_field_mapping': ['GET /{index}/_mapping/{type}/field/{fields}', 'GET /_mapping/{type}/field/{fields}'],
  'indices.stats': ['GET /{index}/_stats/{metric}', 'GET /_stats/{metric}', 'GET /{index}/_stats', 'GET /_stats'],
  'indices.exists_type': ['HEAD /{index}/_mapping/{type}'],
};

const removed: Readonly<Record<string, readonly string[]>> = {
  'indices.flush_synced': ['POST /{index}/_flush/synced', 'POST /_flush/synced'],
  'indices.upgrade': ['POST /{index}/_upgrade', 'POST /_upgrade'],
  'indices.get_upgrade': ['GET /{index}/_upgrade', 'GET /_upgrade'],
};

const parseUrl = (text: string): Url => {
  const [method, path] = text.split(' ') as [string, string];
  return { path, methods: [method] };
};

function urlsOf(api: string, hasType: boolean): readonly Url[] | undefined {
  const former = (hasType ? typed[api] : undefined) ?? removed[api];
  return former === undefined ? endpoints.get(api)?.urls : former.map(parseUrl);
}

export interface BuiltRequest {
  readonly method: string;
  readonly target: string;
  readonly body: unknown;
}

/** A client refuses to send a request whose path lacks a part; `catch: param` expects that. */
export class MissingParameter extends Error {}

/** The request that a `do` step means. */
export function buildRequest(api: string, args: Readonly<Record<string, unknown>>): BuiltRequest {
  const { body, ignore: _, ...params } = args;
  const urls = urlsOf(api, 'type' in params);
  if (urls === undefined) throw new Error(`no API ${api} in the schema`);
  const url = [...urls]
    .filter(({ path }) => variables(path).every((name) => isGiven(params[name])))
    .sort((a, b) => variables(b.path).length - variables(a.path).length)[0];
  if (url === undefined)
    throw new MissingParameter(`no path of ${api} for the parameters ${Object.keys(params).join(', ')}`);
  const path = url.path.replace(/\{(\w+)\}/g, (_match, name: string) => encodeURIComponent(text(params[name])));
  const query = Object.entries(params)
    .filter(([name]) => !variables(url.path).includes(name))
    .map(([name, value]) => `${name}=${encodeURIComponent(text(value))}`);
  return {
    method: methodFor(url.methods, body),
    target: query.length === 0 ? path : `${path}?${query.join('&')}`,
    body,
  };
}

const isGiven = (value: unknown) => value !== undefined && value !== null && value !== '';

const variables = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);

const text = (value: unknown) => (Array.isArray(value) ? value.map(String).join(',') : String(value ?? ''));

function methodFor(methods: readonly string[], body: unknown): string {
  const [first] = methods as [string];
  if (body === undefined && methods.includes('GET')) return 'GET';
  return body !== undefined && first === 'GET' && methods.includes('POST') ? 'POST' : first;
}
