import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

interface Endpoint {
  readonly name: string;
  readonly urls: readonly { readonly path: string; readonly methods: readonly string[] }[];
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

/** Paths with a mapping type, which the present schema has forgotten. */
const typed: Readonly<Record<string, Endpoint['urls']>> = {
  index: [
    { path: '/{index}/{type}', methods: ['POST'] },
    { path: '/{index}/{type}/{id}', methods: ['PUT'] },
  ],
  get: [{ path: '/{index}/{type}/{id}', methods: ['GET'] }],
};

export interface BuiltRequest {
  readonly method: string;
  readonly target: string;
  readonly body: unknown;
}

/** The request that a `do` step means. */
export function buildRequest(api: string, args: Readonly<Record<string, unknown>>): BuiltRequest {
  const { body, ignore: _, ...params } = args;
  const urls = 'type' in params && typed[api] !== undefined ? typed[api] : endpoints.get(api)?.urls;
  if (urls === undefined) throw new Error(`no API ${api} in the schema`);
  const url = [...urls]
    .filter(({ path }) => variables(path).every((name) => params[name] !== undefined))
    .sort((a, b) => variables(b.path).length - variables(a.path).length)[0];
  if (url === undefined) throw new Error(`no path of ${api} for the parameters ${Object.keys(params).join(', ')}`);
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

const variables = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);

const text = (value: unknown) => (Array.isArray(value) ? value.map(String).join(',') : String(value));

function methodFor(methods: readonly string[], body: unknown): string {
  const [first] = methods as [string];
  if (body === undefined && methods.includes('GET')) return 'GET';
  return body !== undefined && first === 'GET' && methods.includes('POST') ? 'POST' : first;
}
