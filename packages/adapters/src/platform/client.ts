import { type Clock, TerminalError, TransientError } from '@drover/core';
import { request } from '@octokit/request';
import type { PlatformCredentials } from './credentials.ts';

export interface PlatformClientOptions {
  /** `https://api.github.com`, or `https://<host>/api/v3` of an Enterprise Server. */
  readonly apiUrl: string;
  readonly org: string;
  readonly credentials: PlatformCredentials;
  readonly clock: Clock;
  readonly fetch: typeof fetch;
  /** @default 10 s */
  readonly timeoutMs?: number;
}

export interface PlatformResponse<Data> {
  readonly status: number;
  readonly data: Data;
  readonly etag: string | undefined;
}

export interface RateLimit {
  readonly remaining: number;
  readonly resetAt: number;
}

/** Speaks the platform's REST API; every failure is terminal or transient, with the platform's own message and what to do. */
export class PlatformClient {
  readonly org: string;
  #options: PlatformClientOptions;
  #rateLimit: RateLimit | undefined;

  constructor(options: PlatformClientOptions) {
    this.#options = options;
    this.org = options.org;
  }

  /** The budget as the platform's last answer told it. */
  last(): RateLimit | undefined {
    return this.#rateLimit;
  }

  async call<Data>(
    route: string,
    parameters: Record<string, unknown> = {},
    options: { readonly etag?: string; readonly authorization?: string } = {},
  ): Promise<PlatformResponse<Data>> {
    const authorization = options.authorization ?? (await this.#options.credentials.authorization());
    const headers = { authorization, ...(options.etag === undefined ? {} : { 'if-none-match': options.etag }) };
    try {
      const response = await this.#send(route, { ...parameters, headers });
      this.#noteRateLimit(response.headers);
      return { status: response.status, data: response.data as Data, etag: response.headers.etag };
    } catch (error) {
      return this.#failed<Data>(error, route);
    }
  }

  async #send(route: string, parameters: Record<string, unknown>) {
    const { clock, apiUrl, fetch } = this.#options;
    const timeoutMs = this.#options.timeoutMs ?? 10_000;
    const abort = new AbortController();
    const timer = clock.after(timeoutMs, () => abort.abort(new Error(`no answer within ${timeoutMs / 1000} s`)));
    try {
      return await request(route, {
        baseUrl: apiUrl,
        org: this.org,
        ...parameters,
        request: { fetch, signal: abort.signal },
      });
    } finally {
      timer.cancel();
    }
  }

  #failed<Data>(error: unknown, route: string): PlatformResponse<Data> {
    const failure = error as RequestFailure;
    const headers = failure.response?.headers ?? {};
    this.#noteRateLimit(headers);
    if (failure.status === 304) return { status: 304, data: undefined as Data, etag: headers.etag };
    throw explain(failure, headers, route, this.#options.clock.now());
  }

  #noteRateLimit(headers: Headers): void {
    const remaining = headers['x-ratelimit-remaining'];
    const reset = headers['x-ratelimit-reset'];
    if (remaining !== undefined && reset !== undefined)
      this.#rateLimit = { remaining: Number(remaining), resetAt: Number(reset) * 1000 };
  }
}

type Headers = Record<string, string | undefined>;

interface RequestFailure {
  readonly message: string;
  readonly status?: number;
  readonly response?: { readonly headers: Headers };
}

/** HTTP status of a platform's answer, kept on the error for callers that treat some of them as outcomes. */
export class PlatformStatusError extends TerminalError {
  readonly status: number;

  constructor(message: string, status: number, options: { readonly remedy?: string; readonly cause?: unknown } = {}) {
    super(message, options);
    this.status = status;
  }
}

function explain(failure: RequestFailure, headers: Headers, route: string, now: number): Error {
  const { status } = failure;
  const what = `${route} was answered ${status ?? 'by nothing'}: ${failure.message}`;
  if (status === undefined || status >= 500) return new TransientError(what, { cause: failure });
  const retryAfterMs = retryAfter(headers, now);
  if (status === 429 || (status === 403 && (retryAfterMs !== undefined || /rate limit/i.test(failure.message))))
    return new TransientError(`${what} (rate limit)`, { cause: failure, retryAfterMs: retryAfterMs ?? 60_000 });
  const remedy = remedies[status];
  return new PlatformStatusError(what, status, { cause: failure, ...(remedy === undefined ? {} : { remedy }) });
}

function retryAfter(headers: Headers, now: number): number | undefined {
  if (headers['retry-after'] !== undefined) return Number(headers['retry-after']) * 1000;
  if (headers['x-ratelimit-remaining'] === '0') return Math.max(0, Number(headers['x-ratelimit-reset']) * 1000 - now);
  return undefined;
}

const missingRight =
  'a personal token needs the scope admin:org; an app needs the organisation permission "Self-hosted runners: read and write" and must be installed on the organisation';

const remedies: Readonly<Record<number, string>> = {
  401: 'the credentials are invalid or expired: store a valid token, or the app id and its private key, in the configured secret',
  403: missingRight,
  404: missingRight,
};
