/** One HTTP exchange, over a socket or not: a simulation answers it in process, on its own clock. */
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
  /** Aborted when the caller waits no longer. */
  readonly signal: AbortSignal;
}

export interface ExchangeResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Whole, or as it comes. */
  readonly body: Uint8Array | string | AsyncIterable<Uint8Array> | PushedBody;
}

/** Takes a chunk; one that is not taken at once holds the others back. */
export type TakeChunk = (chunk: Uint8Array) => void | Promise<void>;

/** A body that is read into one buffer again and again: a chunk is gone as soon as it was taken. */
export interface PushedBody {
  /** Hands over every chunk, once; settles at the end of the body. */
  pushTo(take: TakeChunk): Promise<void>;
}

export const isPushed = (body: object): body is PushedBody => 'pushTo' in body;

export const noBody = new Uint8Array(0);
