import { type Clock, DroverError, TransientError } from '@drover/core';
import { type PlatformLevel, restPrefix } from '@drover/core/names/platform-level';
import { withinTime } from '../http/within-time.ts';
import { readAnswer, textOf } from './answer-text.ts';
import { Budget, type PlatformBudget } from './budget.ts';
import type { PlatformCredentials } from './credentials.ts';
import { networkWords, platformWords } from './failure-words.ts';
import {
  type AnswerHeaders,
  explainFailure,
  type FailedAnswer,
  longestPauseMs,
  PlatformStatusError,
} from './failures.ts';
import type { Read } from './reading.ts';
import { type RouteParameters, routeRequest } from './route-request.ts';

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
  readonly parameters?: RouteParameters;
  /** The page that we already have: the response for an unchanged one is 304. */
  readonly etag?: string;
  /** For routes whose parameters would be taken for the request's own. */
  readonly body?: Readonly<Record<string, unknown>>;
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
    return (await this.callIfChanged(route, read, options)) as PlatformResponse<Data> & { readonly status: 200 };
  }

  /** Asks for something that may be unchanged. */
  async callIfChanged<Data>(path: string, read: Read<Data>, options: CallOptions): Promise<PlatformResponse<Data>> {
    const { status, headers, text } = await this.#ask(path, options);
    if (status === 304 && options.etag !== undefined) return { status: 304 };
    const answer = { route: this.#routeOf(path), status, headers, apiUrl: this.#options.apiUrl };
    return { etag: headers.etag, link: headers.link, status: 200, data: readAnswer(text, read, answer) };
  }

  /** Sends a request whose response has no content. */
  async send(route: string, options: Omit<CallOptions, 'etag'> = {}): Promise<void> {
    await this.#ask(route, options);
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
    const { clock, timeoutMs = 10_000 } = this.#options;
    if (route !== freeRoute) this.#keepPause(route);
    const silent = new Error(`no response within ${timeoutMs / 1000} s`);
    try {
      const ask = (signal: AbortSignal) => this.#request(route, options, authorization, signal);
      const answer = await withinTime(clock, timeoutMs, silent, ask);
      this.#budget.note(answer.headers, clock.now());
      return answer;
    } catch (error) {
      await this.#rememberPause(error);
      throw error;
    }
  }

  async #request(route: string, options: CallOptions, authorization: string, signal: AbortSignal): Promise<RawAnswer> {
    const { apiUrl, fetch } = this.#options;
    const { url, ...request } = routeRequest(route, apiUrl, options.parameters, options.body);
    const headers = {
      ...request.headers,
      ...(authorization === '' ? {} : { authorization }),
      'user-agent': 'drover',
      'x-github-api-version': apiVersion,
      ...(options.etag === undefined ? {} : { 'if-none-match': options.etag }),
    };
    try {
      const response = await fetch(url, { ...request, headers, signal });
      return await this.#answerOf(response, route);
    } catch (error) {
      if (error instanceof DroverError) throw error;
      throw this.#explained(route, { headers: {}, message: networkWords(error), cause: error });
    }
  }

  async #answerOf(response: Response, route: string): Promise<RawAnswer> {
    const { status } = response;
    const headers: AnswerHeaders = Object.fromEntries(response.headers);
    const text = textOf(response.body, route, this.#options.apiUrl);
    if (status < 400) return { status, headers, text: await text };
    this.#budget.note(headers, this.#options.clock.now());
    // A failure keeps its status also when its body cannot be read.
    const words = platformWords(await text.catch(() => ''));
    throw this.#explained(route, { status, headers, message: words, cause: undefined });
  }

  #explained(route: string, answer: FailedAnswer) {
    const { apiUrl, clock } = this.#options;
    return explainFailure(answer, { route, apiUrl, level: this.level, now: clock.now() });
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

const iso = (at: number) => new Date(at).toISOString();
