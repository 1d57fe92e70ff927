import { type Clock, DroverError, TransientError } from '@drover/core';
import { type PlatformLevel, restPrefix } from '@drover/core/names/platform-level';
import { request } from '@octokit/request';
import { readAnswer, textOf } from './answer-text.ts';
import { Budget, type PlatformBudget } from './budget.ts';
import type { PlatformCredentials } from './credentials.ts';
import { type AnswerHeaders, explainFailure, longestPauseMs, PlatformStatusError } from './failures.ts';
import type { Read } from './reading.ts';

export { PlatformStatusError } from './failures.ts';

export interface PlatformClientOptions {
  /** `https://api.github.com`, `https://api.<subdomain>.ghe.com`, or `https://<host>/api/v3` of an Enterprise Server. */
  readonly apiUrl: string;
  /** The organisation, repository or enterprise of the runners. */
  readonly level: PlatformLevel;
  readonly credentials: PlatformCredentials;
  readonly clock: Clock;
  readonly fetch: typeof fetch;
  /** @default 10 s */
  readonly timeoutMs?: number;
  /** Called when the platform asks us to stay away. */
  readonly onPause?: (until: number) => Promise<void>;
}

export interface CallOptions {
  /** Of the path, the query or the body; `{level}` in a route is that of the client. */
  readonly parameters?: Readonly<Record<string, string | number | readonly string[]>>;
  /** The page that we already have: the response for an unchanged one is 304. */
  readonly etag?: string;
  /** For routes whose parameters would be taken for the request's own. */
  readonly body?: Readonly<Record<string, string>>;
  /** Used instead of the client's own credentials. */
  readonly authorization?: string;
}

export type PlatformResponse<Data> =
  | { readonly status: 200; readonly data: Data; readonly etag: string | undefined; readonly link: string | undefined }
  | { readonly status: 304 };

/** The version of the REST API that this client uses (docs.github.com, "API Versions"). */
const apiVersion = '2022-11-28';

/** This request is free and shows when the pause ends. */
const freeRoute = 'GET /rate_limit';

interface RawAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly text: string;
}

/** Speaks the platform's REST API; every failure is terminal or transient, with the platform's own message and what to do. */
export class PlatformClient {
  readonly level: PlatformLevel;
  readonly #options: PlatformClientOptions;
  readonly #budget = new Budget();

  constructor(options: PlatformClientOptions) {
    this.#options = options;
    this.level = options.level;
  }

  /** The rate limit in the platform's last response; undefined when it had none. */
  last(): PlatformBudget | undefined {
    return this.#budget.last();
  }

  /** Sends nothing to the platform until then: it asked another function for the pause. */
  keepAwayUntil(until: number): void {
    const now = this.#options.clock.now();
    this.#budget.quietFor(Math.min(until - now, longestPauseMs), now);
  }

  /** Asks for something and reads it. */
  async call<Data>(
    route: string,
    read: Read<Data>,
    options: Omit<CallOptions, 'etag'> = {},
  ): Promise<PlatformResponse<Data> & { readonly status: 200 }> {
    const answer = await this.#ask(route, options);
    return { ...this.#context(answer), status: 200, data: this.#read(route, answer, read) };
  }

  /** Asks for something that may be unchanged. */
  async callIfChanged<Data>(route: string, read: Read<Data>, options: CallOptions): Promise<PlatformResponse<Data>> {
    const answer = await this.#ask(route, options);
    if (answer.status === 304 && options.etag !== undefined) return { status: 304 };
    return { ...this.#context(answer), status: 200, data: this.#read(route, answer, read) };
  }

  /** Sends a request whose response has no content. */
  async send(route: string, options: Omit<CallOptions, 'etag'> = {}): Promise<void> {
    await this.#ask(route, options);
  }

  #context({ headers }: RawAnswer) {
    return { etag: headers.etag, link: headers.link };
  }

  #read<Data>(route: string, { status, headers, text }: RawAnswer, read: Read<Data>): Data {
    return readAnswer(text, read, { route: this.#routeOf(route), status, headers, apiUrl: this.#options.apiUrl });
  }

  /** Credentials that are refused are renewed once: a token may have been replaced or revoked since it was read. */
  async #ask(path: string, options: CallOptions): Promise<RawAnswer> {
    const route = this.#routeOf(path);
    if (options.authorization !== undefined) return await this.#send(route, options, options.authorization);
    const { credentials } = this.#options;
    const authorization = await credentials.authorization();
    try {
      return await this.#send(route, options, authorization);
    } catch (error) {
      const refused = error instanceof PlatformStatusError && error.reason === 'bad-credentials';
      if (!refused || !(await credentials.renew?.(authorization))) throw error;
      return await this.#send(route, options, await credentials.authorization());
    }
  }

  #routeOf(path: string): string {
    return path.replace('{level}', restPrefix(this.level));
  }

  async #send(route: string, options: CallOptions, authorization: string): Promise<RawAnswer> {
    const { clock } = this.#options;
    if (route !== freeRoute) this.#keepPause(route);
    const abort = new AbortController();
    const timeoutMs = this.#options.timeoutMs ?? 10_000;
    const timer = clock.after(timeoutMs, () => abort.abort(new Error(`no response within ${timeoutMs / 1000} s`)));
    try {
      const answer = await this.#request(route, options, authorization, abort.signal);
      this.#budget.note(answer.headers, clock.now());
      return answer;
    } catch (error) {
      await this.#rememberPause(error);
      throw error;
    } finally {
      timer.cancel();
    }
  }

  async #request(route: string, options: CallOptions, authorization: string, signal: AbortSignal): Promise<RawAnswer> {
    const { apiUrl, fetch } = this.#options;
    const headers = {
      ...(authorization === '' ? {} : { authorization }),
      'user-agent': 'drover',
      'x-github-api-version': apiVersion,
      ...(options.etag === undefined ? {} : { 'if-none-match': options.etag }),
    };
    try {
      const {
        status,
        headers: told,
        data,
      } = await request(route, {
        baseUrl: apiUrl,
        ...options.parameters,
        ...(options.body === undefined ? {} : { data: options.body }),
        headers,
        request: { fetch, signal, parseSuccessResponseBody: false },
      });
      // The library's own parser takes ten times as long as JSON.parse, which matters for a hundred pages.
      return { status, headers: told as AnswerHeaders, text: await textOf(data, route, apiUrl) };
    } catch (error) {
      return this.#failed(error as RequestFailure, route);
    }
  }

  #failed(failure: RequestFailure, route: string): RawAnswer {
    if (failure instanceof DroverError) throw failure;
    const { response } = failure;
    const headers = response?.headers ?? {};
    if (response?.status === 304) return { status: 304, headers, text: '' };
    const now = this.#options.clock.now();
    this.#budget.note(headers, now);
    const { apiUrl } = this.#options;
    const status = response === undefined ? {} : { status: response.status };
    throw explainFailure(
      { ...status, headers, message: messageOf(failure), cause: failure.cause },
      { route, apiUrl, level: this.level, now },
    );
  }

  async #rememberPause(error: unknown): Promise<void> {
    if (!(error instanceof TransientError) || error.retryAfterMs === undefined) return;
    const now = this.#options.clock.now();
    this.#budget.quietFor(error.retryAfterMs, now);
    await this.#options.onPause?.(now + error.retryAfterMs);
  }

  /** "Continuing to make requests while you are rate limited may result in the banning of your integration." */
  #keepPause(route: string): void {
    const now = this.#options.clock.now();
    const { quietUntil } = this.#budget;
    if (now >= quietUntil) return;
    throw new TransientError(`${route} was not sent: the platform asked for a pause until ${iso(quietUntil)}`, {
      retryAfterMs: quietUntil - now,
    });
  }
}

/** Error that @octokit/request throws; without a response the network failed, or we gave up. */
interface RequestFailure extends Error {
  readonly response?: { readonly status: number; readonly headers: AnswerHeaders };
}

/** A refused connection has no message of its own, only a code. */
function messageOf(failure: RequestFailure): string {
  const { code, cause } = (failure.cause ?? {}) as {
    readonly code?: string;
    readonly cause?: { readonly code?: string };
  };
  return failure.message || (cause?.code ?? code ?? 'unknown network error');
}

const iso = (at: number) => new Date(at).toISOString();
