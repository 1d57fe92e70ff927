/** One HTTP exchange as every part of the embedded cloud sees it, whether it came through a socket or not. */
export interface HttpRequest {
  readonly method: string;
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

/** Anything that answers HTTP: the AWS endpoint, the code host, a search node, a machine's metadata service. */
export type HttpHandler = (request: HttpRequest) => Promise<HttpResponse>;

export const noBody = new Uint8Array(0);

/** A handler as the standard `fetch`, for clients that take one. */
export function asFetch(handler: HttpHandler): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    const body = request.body === null ? noBody : new Uint8Array(await request.arrayBuffer());
    const response = await handler({
      method: request.method,
      host: url.host,
      path: url.pathname,
      query: url.search.slice(1),
      headers: Object.fromEntries(request.headers),
      body,
    });
    const bodiless = response.status === 204 || response.status === 304 || request.method === 'HEAD';
    return new Response(bodiless ? null : (response.body as ConstructorParameters<typeof Response>[0]), {
      status: response.status,
      headers: response.headers,
    });
  };
}
