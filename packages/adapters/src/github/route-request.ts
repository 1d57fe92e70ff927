/** Values of a route: those that its path names go there, the others into the query or the body. */
export type RouteParameters = Readonly<Record<string, string | number | readonly string[]>>;

export interface RouteRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The HTTP request for a route such as `GET /orgs/{org}/actions/runners`; the route may have an address of its own. */
export function routeRequest(
  route: string,
  apiUrl: string,
  parameters: RouteParameters = {},
  body?: Readonly<Record<string, unknown>>,
): RouteRequest {
  const [method, template] = route.split(' ') as [string, string];
  const rest = new Map(Object.entries(parameters));
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest.get(name);
    rest.delete(name);
    return encoded(String(value));
  });
  const address = path.startsWith('http') ? path : `${apiUrl}${path}`;
  const headers = { accept: 'application/vnd.github.v3+json' };
  if (method === 'GET') return { url: withQuery(address, rest), method, headers };
  const sent = body ?? (rest.size === 0 ? undefined : Object.fromEntries(rest));
  if (sent === undefined) return { url: address, method, headers };
  const json = { ...headers, 'content-type': 'application/json; charset=utf-8' };
  return { url: address, method, headers: json, body: JSON.stringify(sent) };
}

function withQuery(address: string, query: ReadonlyMap<string, unknown>): string {
  if (query.size === 0) return address;
  const pairs = [...query].map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return `${address}${address.includes('?') ? '&' : '?'}${pairs.join('&')}`;
}

/** RFC 3986 reserves a few characters that `encodeURIComponent` leaves alone. */
const encoded = (value: string) =>
  encodeURIComponent(value).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
