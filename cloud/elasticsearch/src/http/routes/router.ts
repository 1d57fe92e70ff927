import { illegalArgument, NotModelled } from '../../engine/errors.ts';
import { PlainRestError } from '../responses/rest-error.ts';
import type { Method, Route } from './route.ts';

export interface Match {
  readonly route: Route;
  readonly pathParams: Readonly<Record<string, string>>;
}

interface Entry {
  readonly method: string;
  readonly segments: readonly string[];
  /** Undefined for an API that is published and not modelled. */
  readonly route: Route | undefined;
  /** Literal segments before variables, left to right: the more literal path wins. */
  readonly rank: string;
}

interface Found {
  readonly entries: readonly Entry[];
  readonly segments: readonly string[];
}

const keptPaths = 1_000;

const methodOrder: readonly Method[] = ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE', 'CONNECT'];

/** Finds the endpoint for a path; refuses as Elasticsearch does when there is none, and by name what is not modelled. */
export class Router {
  #entries: Entry[] = [];
  /** Routes found by path: clients ask for the same ones over and over. */
  readonly #found = new Map<string, Found>();

  constructor(routes: readonly Route[], unmodelled: readonly string[]) {
    for (const route of routes) for (const request of route.requests) this.#add(request, route);
    for (const request of unmodelled) this.#add(request, undefined);
    this.#entries.sort((a, b) => (a.rank < b.rank ? -1 : a.rank > b.rank ? 1 : 0));
  }

  #add(request: string, route: Route | undefined): void {
    const [method, path] = request.split(' ') as [string, string];
    const segments = splitPath(path);
    const rank = segments.map((segment) => (isVariable(segment) ? '1' : '0')).join('');
    this.#entries.push({ method, segments, route, rank });
  }

  find(method: string, path: string, uri: string): Match {
    const { entries, segments } = this.#most(path);
    const best = entries.find((entry) => entry.method === method);
    if (best !== undefined && best.route === undefined) throw new NotModelled(`${method} /${best.segments.join('/')}`);
    if (best?.route !== undefined) return { route: best.route, pathParams: variables(best.segments, segments) };
    throw this.#refusal(method, uri, entries);
  }

  /** Methods that the path accepts, for `OPTIONS` and the `Allow` header. */
  allowed(path: string): Method[] {
    return allowedOf(this.#most(path).entries);
  }

  /** The most literal of the patterns that fit: a method that it does not accept is not looked up in the others. */
  #most(path: string): Found {
    const known = this.#found.get(path);
    if (known !== undefined) return known;
    if (this.#found.size >= keptPaths) this.#found.clear();
    const found = this.#search(path);
    this.#found.set(path, found);
    return found;
  }

  #search(path: string): Found {
    const segments = splitPath(path);
    if (path.startsWith('//')) return { entries: [], segments };
    const matching = this.#entries.filter((entry) => matches(entry.segments, segments));
    return { entries: matching.filter(({ rank }) => rank === matching[0]!.rank), segments };
  }

  #refusal(method: string, uri: string, matching: readonly Entry[]): Error {
    if (matching.length === 0)
      return new PlainRestError(400, { error: `no handler found for uri [${uri}] and method [${method}]` });
    const allowed = allowedOf(matching);
    return new PlainRestError(
      405,
      {
        error: `Incorrect HTTP method for uri [${uri}] and method [${method}], allowed: [${allowed.join(', ')}]`,
        status: 405,
      },
      { Allow: allowed.join(',') },
    );
  }
}

const allowedOf = (entries: readonly Entry[]) =>
  methodOrder.filter((method) => entries.some((entry) => entry.method === method));

const isVariable = (segment: string) => segment.startsWith('{');

const splitPath = (path: string) => path.split('/').filter((segment) => segment !== '');

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  return pattern.length === segments.length && pattern.every((part, at) => isVariable(part) || part === segments[at]);
}

function variables(pattern: readonly string[], segments: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  pattern.forEach((part, at) => {
    if (isVariable(part)) found[part.slice(1, -1)] = decode(segments[at]!);
  });
  return found;
}

/** Percent-decoding with the server's words for what cannot be decoded. */
export function decode(text: string): string {
  const bad = /%(?![0-9A-Fa-f]{2})/.exec(text);
  if (bad !== null)
    throw illegalArgument(
      `invalid escape sequence \`${text.slice(bad.index, bad.index + 3)}' at index ${bad.index + 1} of: /${text}`,
    );
  return decodeURIComponent(text);
}
