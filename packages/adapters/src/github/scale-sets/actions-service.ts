import { type Clock, describeError, type Secret, TerminalError, TransientError } from '@drover/core';
import { moduleVersion } from '@drover/core/names/version';
import { type Read, UnexpectedValue } from '../reading.ts';
import type { ActionsConnection } from './connection.ts';

export interface ActionsServiceOptions {
  readonly connection: ActionsConnection;
  readonly clock: Clock;
  readonly fetch: typeof fetch;
  /** Which function asks. */
  readonly subsystem: string;
}

interface Request {
  readonly method: string;
  readonly url: string;
  readonly token: Secret;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly withinMs?: number;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

export interface ServiceCall {
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: unknown;
  /** Used instead of the connection's own. */
  readonly token?: Secret;
}

/** The service refused. Its exceptions are distinguished by name. */
export class ActionsRefusal extends TerminalError {
  readonly status: number;
  readonly typeName: string;

  constructor(message: string, status: number, typeName: string) {
    super(message, {
      remedy:
        'see the log of the function; if it stays so, delete the scale set at the platform: the next window makes it again',
    });
    this.status = status;
    this.typeName = typeName;
  }
}

/** Whether the service refused with one of these statuses. */
export const isRefusedWith =
  (...statuses: readonly number[]) =>
  (error: unknown): boolean =>
    error instanceof ActionsRefusal && statuses.includes(error.status);

/** Our own limit has ended the request. */
export class OverTime extends Error {}

const apiVersion = '6.0-preview';
const requestWithinMs = 10_000;

/** Speaks the Actions service: the requests of GitHub's own client, github.com/actions/scaleset. */
export class ActionsService {
  readonly #options: ActionsServiceOptions;
  #scaleSetId = 0;

  constructor(options: ActionsServiceOptions) {
    this.#options = options;
  }

  /** Which scale set the following requests are about, for GitHub's logs. */
  about(scaleSetId: number): void {
    this.#scaleSetId = scaleSetId;
  }

  async connect(): Promise<void> {
    await this.#options.connection.renew();
  }

  /** A path of the service; a refused token is renewed once. */
  async call<T>(method: string, path: string, read: Read<T>, call: ServiceCall = {}): Promise<T> {
    const { connection } = this.#options;
    const used = await connection.current();
    const ask = async (at: typeof used) => {
      const url = new URL(`${at.url.replace(/\/$/, '')}/${path}`);
      for (const [key, value] of Object.entries(call.query ?? {})) url.searchParams.set(key, String(value));
      url.searchParams.set('api-version', apiVersion);
      url.searchParams.sort();
      const body = call.body === undefined ? {} : { body: call.body };
      return await this.send({ method, url: url.href, token: call.token ?? at.token, ...body });
    };
    try {
      return readJson(await ask(used), read, `${method} ${path}`);
    } catch (error) {
      if (!isRefusedWith(401)(error) || call.token !== undefined) throw error;
      return readJson(await ask(await connection.instead(used)), read, `${method} ${path}`);
    }
  }

  /** One request; every response that is no success is an error. */
  async send({ method, url, token, headers, body, withinMs = requestWithinMs }: Request): Promise<Answer> {
    const { clock, fetch } = this.#options;
    const abort = new AbortController();
    const timer = clock.after(withinMs, () => abort.abort(new OverTime(`no response within ${withinMs / 1000} s`)));
    const what = `${method} ${new URL(url).pathname}`;
    try {
      const response = await fetch(url, {
        method,
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${token.reveal()}`,
          'user-agent': this.#userAgent(),
          ...headers,
        },
        signal: abort.signal,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const { status } = response;
      // A body may begin with a byte order mark.
      const text = (await response.text()).replace(/^\uFEFF/, '');
      if (status >= 200 && status < 300) return { status, text };
      throw refusal(what, status, text, (name) => response.headers.get(name) ?? undefined);
    } catch (error) {
      if (error instanceof TerminalError || error instanceof TransientError || error instanceof OverTime) throw error;
      if (abort.signal.aborted) throw abort.signal.reason;
      throw new TransientError(`${what} got no response from ${new URL(url).host}: ${describeError(error)}`, {
        cause: error,
        remedy: "if it stays so: in a VPC the functions' subnets need a way out to *.actions.githubusercontent.com",
      });
    } finally {
      timer.cancel();
    }
  }

  #userAgent(): string {
    return JSON.stringify({
      system: 'drover',
      version: moduleVersion,
      commit_sha: '',
      scale_set_id: this.#scaleSetId,
      subsystem: this.#options.subsystem,
    });
  }
}

function refusal(what: string, status: number, text: string, header: (name: string) => string | undefined): Error {
  const { typeName = '', message = text.slice(0, 200) } = exceptionIn(text);
  const ids = [header('activityid'), header('x-github-request-id')].filter((id) => id !== undefined).join(', ');
  const words = `${what} returned ${status}: ${[typeName.split(',')[0], message].filter(Boolean).join(': ')}${ids === '' ? '' : ` (${ids})`}`;
  if (status === 429 || status >= 500) return new TransientError(words);
  return new ActionsRefusal(words, status, typeName);
}

function exceptionIn(text: string): { readonly typeName?: string; readonly message?: string } {
  try {
    return JSON.parse(text) as object;
  } catch {
    return {};
  }
}

/** Reads a response; one that cannot be read is never taken for an empty one. */
export function readJson<T>({ status, text }: Answer, read: Read<T>, what: string): T {
  try {
    return read(text === '' ? undefined : JSON.parse(text), '');
  } catch (cause) {
    const why = cause instanceof UnexpectedValue ? cause.message : 'with broken JSON';
    throw new TransientError(`${what} returned ${status}, but ${why}`, { cause });
  }
}

/** Whether the service refused with this exception. */
export const isRefusal = (error: unknown, typeName: string): boolean =>
  error instanceof ActionsRefusal && error.typeName.includes(typeName);
