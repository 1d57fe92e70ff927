/** One HTTP exchange as every part of the embedded cloud sees it, whether it came through a socket or not. */
export interface HttpRequest {
  readonly method: string;
  /** As the caller addressed it; where it is not known the port decides. */
  readonly protocol?: 'http' | 'https';
  /** Host name and port as the caller addressed them. */
  readonly host: string;
  /** Path as sent, without the query. */
  readonly path: string;
  /** Query as sent, without the question mark. */
  readonly query: string;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | string;
}

/** Anything that serves HTTP: the AWS endpoint, the code host, a search node, a machine's metadata service. */
export type HttpHandler = (request: HttpRequest) => Promise<HttpResponse>;

export const noBody = new Uint8Array(0);

const mostRedirects = 5;

/** A handler as the standard `fetch`, for clients that take one. Needs no turn of the event loop, so virtual time can stand still. */
export function asFetch(handler: HttpHandler): typeof fetch {
  return async (input, init = {}) => {
    const method = init.method ?? 'GET';
    let url = new URL(input instanceof Request ? input.url : input);
    for (let hops = 0; ; hops++) {
      const request: HttpRequest = {
        method,
        protocol: url.protocol === 'https:' ? 'https' : 'http',
        host: url.host,
        path: url.pathname,
        query: url.search.slice(1),
        headers: Object.fromEntries(new Headers(init.headers)),
        body: bytes(init.body),
      };
      const { status, headers, body } = await abortable(handler(request), init.signal ?? undefined);
      const { location } = headers;
      if (method === 'GET' && location !== undefined && status > 300 && status < 304 && hops < mostRedirects) {
        url = new URL(location, url);
        continue;
      }
      const bodiless = status === 204 || status === 304 || method === 'HEAD';
      return new Response(bodiless ? null : (body as ConstructorParameters<typeof Response>[0]), { status, headers });
    }
  };
}

function bytes(body: unknown): Uint8Array {
  if (body === undefined || body === null) return noBody;
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (body instanceof Uint8Array) return body;
  throw new TypeError('the in-process fetch takes a string or bytes as a body');
}

/** Ends the wait, not the work, when the caller gives up. */
export function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const giveUp = () => reject(signal.reason);
    signal.addEventListener('abort', giveUp, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}
