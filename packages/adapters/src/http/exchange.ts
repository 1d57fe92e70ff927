/** One HTTP exchange, over a socket or not: a simulation handles it in process, on its own clock. */
export type HttpExchange = (request: ExchangeRequest) => Promise<ExchangeResponse>;

export interface ExchangeRequest {
  readonly method: string;
  readonly protocol: 'http' | 'https';
  /** Host name and port. */
  readonly host: string;
  /** Path without the query. */
  readonly path: string;
  /** Query without the question mark. */
  readonly query: string;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Aborted when the caller stops waiting. */
  readonly signal: AbortSignal;
}

export interface ExchangeResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Whole, or as a stream. */
  readonly body: Uint8Array | string | AsyncIterable<Uint8Array>;
}

/** Takes a chunk of a body; the next one comes when the returned promise is settled. */
export type TakeChunk = (chunk: Uint8Array) => void | Promise<void>;

/** The body of a request that has none. */
export const noBody = new Uint8Array(0);
