import { Readable } from 'node:stream';
import { type HttpHandler, type HttpRequest, type HttpResponse, noBody } from '@drover/cloud-engine';
import type { Clock, Timer } from '@drover/core';
import { type HttpHandlerOptions, type SdkHttpRequest, SdkHttpResponse } from './schema/sdk-schemas.ts';

/** The `requestHandler` of an SDK v3 client. */
export interface SdkRequestHandler {
  readonly metadata: { readonly handlerProtocol: string };
  handle(request: SdkHttpRequest, options?: HttpHandlerOptions): Promise<{ response: SdkHttpResponse }>;
  destroy(): void;
  updateHttpClientConfig(key: never, value: never): void;
  httpHandlerConfigs(): Record<string, never>;
}

interface RequestHandlerOptions {
  readonly clock: Clock;
  /**
   * Time after which it gives up waiting for a response, as the SDK's own handler does with `requestTimeout`. @default
   * never
   */
  readonly requestTimeoutMs?: number;
}

/**
 * Makes a request handler of anything that serves HTTP in this process. No socket, and for byte bodies no turn of the
 * event loop.
 */
export function requestHandlerOver(handler: HttpHandler, options: RequestHandlerOptions): SdkRequestHandler {
  return {
    metadata: { handlerProtocol: 'http/1.1' },
    handle: async (request, given = {}) => {
      const timeoutMs = given.requestTimeout ?? options.requestTimeoutMs;
      const signal = given.abortSignal as AbortSignal | undefined;
      if (signal?.aborted) throw aborted();
      const answer = answerTo(handler, request, options.clock);
      return { response: await endedBy(answer, signal, timeoutMs, options.clock) };
    },
    destroy: () => {},
    updateHttpClientConfig: () => {},
    httpHandlerConfigs: () => ({}),
  };
}

async function answerTo(handler: HttpHandler, request: SdkHttpRequest, clock: Clock): Promise<SdkHttpResponse> {
  const body = bytesOf(request.body) ?? (await held(clock, collect(request.body)));
  return toSdkResponse(await handler(toRequest(request, body)));
}

function toRequest(request: SdkHttpRequest, body: Uint8Array): HttpRequest {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) headers[name.toLowerCase()] = value;
  return {
    method: request.method,
    host: request.port === undefined ? request.hostname : `${request.hostname}:${request.port}`,
    path: request.path,
    query: queryText(request.query ?? {}),
    headers,
    body,
  };
}

function queryText(query: NonNullable<SdkHttpRequest['query']>): string {
  const pairs: string[] = [];
  for (const [name, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? value : [value])
      pairs.push(one === null ? encodeURIComponent(name) : `${encodeURIComponent(name)}=${encodeURIComponent(one)}`);
  return pairs.join('&');
}

function toSdkResponse(response: HttpResponse & { readonly streams?: boolean }): SdkHttpResponse {
  const bytes = typeof response.body === 'string' ? Buffer.from(response.body) : response.body;
  return new SdkHttpResponse({
    statusCode: response.status,
    headers: { ...response.headers },
    body: response.streams === true ? Readable.from([bytes], { objectMode: false }) : bytes,
  });
}

/** A body that is there at once; undefined for a stream. */
function bytesOf(body: unknown): Uint8Array | undefined {
  if (body === undefined || body === null) return noBody;
  if (typeof body === 'string') return Buffer.from(body);
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  return ArrayBuffer.isView(body) ? new Uint8Array(body.buffer, body.byteOffset, body.byteLength) : undefined;
}

async function collect(body: AsyncIterable<Uint8Array | string>): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks);
}

/** Reading a stream takes turns of the event loop that a virtual clock must not overtake. */
function held<T>(clock: Clock & { hold?<U>(work: Promise<U>): Promise<U> }, work: Promise<T>): Promise<T> {
  return clock.hold === undefined ? work : clock.hold(work);
}

function endedBy<T>(
  answer: Promise<T>,
  signal: AbortSignal | undefined,
  timeoutMs: number | undefined,
  clock: Clock,
): Promise<T> {
  if (signal === undefined && !timeoutMs) return answer;
  return new Promise<T>((resolve, reject) => {
    let timer: Timer | undefined;
    const onAbort = () => end(() => reject(aborted()));
    const end = (finish: () => void) => {
      timer?.cancel();
      signal?.removeEventListener('abort', onAbort);
      finish();
    };
    signal?.addEventListener('abort', onAbort);
    if (timeoutMs) timer = clock.after(timeoutMs, () => end(() => reject(timedOut(timeoutMs))));
    answer.then(
      (value) => end(() => resolve(value)),
      (error) => end(() => reject(error)),
    );
  });
}

const named = (name: string, message: string) => Object.assign(new Error(message), { name });

const aborted = () => named('AbortError', 'Request aborted');

/** As the SDK's own handler names it: its retry strategy counts a TimeoutError as transient. */
const timedOut = (timeoutMs: number) => named('TimeoutError', `no response within ${timeoutMs} ms`);
