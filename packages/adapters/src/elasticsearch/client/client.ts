import type { Clock } from '@drover/core/clock';
import { TerminalError, TransientError } from '@drover/core/errors';
import { type ExchangeRequest, type HttpExchange, noBody, type TakeChunk } from '../../http/exchange.ts';
import { SilentServer, Watch } from '../../http/watch.ts';
import { answeredError, connectionError, UnreadableAnswer } from './errors.ts';
import type { Login } from './login.ts';

export interface SearchAddress {
  readonly protocol: 'http' | 'https';
  readonly host: string;
  readonly port: number;
}

export interface SearchClientOptions {
  readonly exchange: HttpExchange;
  readonly clock: Clock;
  readonly address: SearchAddress;
  readonly login: Login;
  /** Longest silence of the server, before the response and within it. */
  readonly timeoutMs: number;
  /**
   * How long after the first 401 further ones may come from a server whose security is starting, and are transient.
   * @default 0
   */
  readonly securityStartsWithinMs?: number;
  /** The address is a load balancer's: a GET without a response is sent once more, to another node then. @default false */
  readonly asksAnotherNode?: boolean;
  readonly signal?: AbortSignal;
  /** Called for every exchange; never with a body or a credential. */
  readonly onExchange?: (line: string) => void;
}

export interface SearchRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly body?: string | Uint8Array;
  readonly contentType?: string;
  readonly accept?: string;
  /** @default the client's */
  readonly timeoutMs?: number;
}

/** A response of any status with its body still to come. */
export interface SearchAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Gives every chunk to `act` as it arrives. */
  receive(act: TakeChunk): Promise<void>;
}

/** Ways to log in are few; an endless change of credentials is a fault of ours. */
const loginLimit = 5;
/** More than this is read only by streaming. */
export const bodyLimitBytes = 64 * 1024 * 1024;

/** Talks to one Elasticsearch address. */
export class SearchClient {
  readonly #options: SearchClientOptions;
  readonly #host: string;
  #refusedSince: number | undefined;

  constructor(options: SearchClientOptions) {
    this.#options = options;
    const { host, port } = options.address;
    this.#host = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  }

  /**
   * Sends the request and returns as soon as the status is known. Redirects are not followed: they would carry the
   * password away.
   */
  async stream(request: SearchRequest): Promise<SearchAnswer> {
    const { login } = this.#options;
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#exchange(request, await login.header());
      const mayRetry = (answer.status === 401 || answer.status === 403) && attempt < loginLimit;
      if (mayRetry && (await login.refused(answer.status))) {
        await readAll(answer, bodyLimitBytes, request.path);
        continue;
      }
      if (answer.status >= 300 && answer.status < 400) throw redirected(this.#at, answer);
      return answer;
    }
  }

  /** Sends and reads the whole response as text; 400 and above are errors, except those that `allow` names. */
  async text(request: SearchRequest, allow: readonly number[] = []): Promise<{ status: number; body: string }> {
    const answer = await this.stream(request);
    const body = Buffer.from(await readAll(answer, bodyLimitBytes, request.path)).toString('utf8');
    if (answer.status >= 400 && !allow.includes(answer.status)) {
      const error = answeredError(answer.status, body, `${request.method} ${pathOf(request)}`);
      throw answer.status === 401 && this.#maySecurityStart()
        ? new TransientError(error.message, { cause: error })
        : error;
    }
    if (looksLikeHtml(answer, body)) throw notElasticsearch(this.#at);
    return { status: answer.status, body };
  }

  /** Sends and reads a JSON document. */
  async json<T = unknown>(request: SearchRequest, allow: readonly number[] = []): Promise<T> {
    const { body } = await this.text(request, allow);
    try {
      return JSON.parse(body) as T;
    } catch (error) {
      throw new UnreadableAnswer(`${request.method} ${pathOf(request)}: the response is not JSON`, {
        cause: error,
        remedy: 'is something between here and Elasticsearch? Look with: cluster-cli --debug api GET /',
      });
    }
  }

  /** Reads the JSON document at a path. */
  get<T = unknown>(path: string): Promise<T> {
    return this.json<T>({ method: 'GET', path });
  }

  /** A node returns 401 to the right password, too, while it cannot read the security index. */
  #maySecurityStart(): boolean {
    const { clock, securityStartsWithinMs = 0 } = this.#options;
    this.#refusedSince ??= clock.now();
    return clock.now() - this.#refusedSince < securityStartsWithinMs;
  }

  get #at(): string {
    return `${this.#options.address.protocol}://${this.#host}`;
  }

  async #exchange(request: SearchRequest, authorization: string | undefined, attempt = 1): Promise<SearchAnswer> {
    const { clock, onExchange, address, asksAnotherNode = false } = this.#options;
    const startedAt = clock.now();
    const watch = new Watch(clock, request.timeoutMs ?? this.#options.timeoutMs, this.#options.signal);
    const fail = (error: unknown): never => {
      throw translate(error, address.protocol, this.#host);
    };
    try {
      const answer = await watch.over(this.#options.exchange(this.#toExchange(request, authorization, watch.signal)));
      onExchange?.(`${request.method} ${pathOf(request)} ${answer.status} ${clock.now() - startedAt} ms`);
      return {
        status: answer.status,
        headers: answer.headers,
        receive: (act) => watch.receive(answer.body, act).catch(fail),
      };
    } catch (error) {
      watch.end();
      if (asksAnotherNode && attempt === 1 && request.method === 'GET' && error instanceof SilentServer)
        return await this.#exchange(request, authorization, attempt + 1);
      return fail(error);
    }
  }

  #toExchange(request: SearchRequest, authorization: string | undefined, signal: AbortSignal): ExchangeRequest {
    const mark = request.path.indexOf('?');
    const body = typeof request.body === 'string' ? Buffer.from(request.body) : (request.body ?? noBody);
    return {
      method: request.method,
      protocol: this.#options.address.protocol,
      host: this.#host,
      path: mark < 0 ? request.path : request.path.slice(0, mark),
      query: mark < 0 ? '' : request.path.slice(mark + 1),
      headers: {
        host: this.#host,
        'user-agent': 'cluster-cli',
        ...(request.accept === undefined ? {} : { accept: request.accept }),
        ...(body.length === 0 ? {} : { 'content-type': request.contentType ?? 'application/json' }),
        ...(authorization === undefined ? {} : { authorization }),
      },
      body,
      signal,
    };
  }
}

/** Reads everything, up to a limit. */
export async function readAll(answer: SearchAnswer, limitBytes: number, what: string): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  await answer.receive((chunk) => {
    length += chunk.length;
    if (length > limitBytes) throw tooLarge(what, limitBytes);
    parts.push(chunk);
  });
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
}

const tooLarge = (what: string, limitBytes: number) =>
  new TerminalError(`the response to ${what} is larger than ${limitBytes >> 20} MiB`, {
    remedy: 'ask for less, or stream it with: cluster-cli api',
  });

function translate(error: unknown, protocol: string, host: string): unknown {
  if (error instanceof TerminalError || error instanceof TransientError) return error;
  if (error instanceof SilentServer)
    return new TransientError(`Elasticsearch at ${protocol}://${host} gave ${error.message}`, {
      remedy: 'raise --request-timeout, or look at the load of the node: cluster-cli cat nodes',
    });
  if ((error as { interrupted?: boolean })?.interrupted === true) return error;
  return connectionError(error, { protocol, host });
}

const pathOf = (request: SearchRequest) => request.path.split('?')[0];

const looksLikeHtml = (answer: SearchAnswer, body: string) =>
  (answer.headers['content-type'] ?? '').includes('text/html') || /^\s*<(!doctype|html)/i.test(body);

const notElasticsearch = (at: string) =>
  new TerminalError(`${at} returned a web page, not a response of Elasticsearch's API`, {
    remedy: 'check --es-host and --es-port; a proxy or a login page may stand in between',
  });

const redirected = (at: string, answer: SearchAnswer) =>
  new TerminalError(`${at} redirects (${answer.status}) to ${answer.headers.location ?? 'another address'}`, {
    remedy:
      'use that address with --es-protocol, --es-host and --es-port; redirects are not followed, they would carry the password along',
  });
