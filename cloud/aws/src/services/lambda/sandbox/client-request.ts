import { EventEmitter } from 'node:events';
import { Writable } from 'node:stream';
import type { HttpHandler, HttpRequest, HttpResponse } from '@drover/cloud-engine';
import type { Clock, Timer } from '@drover/core';
import { IncomingMessage } from './incoming-message.ts';

/** The outside world of a request. */
export interface Wires {
  readonly http: HttpHandler;
  readonly clock: Clock;
}

/** A request as it is addressed. */
export interface Target {
  readonly method: string;
  readonly protocol: string;
  /** Name with the port, unless that is the protocol's own. */
  readonly host: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** A connection that is always there: clients look at it before they send. */
class Connection extends EventEmitter {
  readonly connecting = false;
  readonly readyState = 'open';
  readonly encrypted = true;
  readonly authorized = true;
  readonly writable = true;
  readonly remoteAddress = '192.0.2.1';
  destroyed = false;
  setKeepAlive = () => this;
  setNoDelay = () => this;
  ref = () => this;
  unref = () => this;
  setTimeout = (_ms: number, act?: () => void) => {
    if (act !== undefined) this.once('timeout', act);
    return this;
  };
  destroy = () => {
    this.destroyed = true;
    return this;
  };
}

/** `http.ClientRequest` over the embedded network: only ticks and microtasks, time from the environment's clock. */
export class ClientRequest extends Writable {
  readonly method: string;
  readonly path: string;
  readonly host: string;
  readonly protocol: string;
  readonly socket = new Connection();
  readonly connection = this.socket;
  reusedSocket = false;
  aborted = false;
  res: IncomingMessage | undefined;
  readonly #wires: Wires;
  readonly #headers = new Map<string, { name: string; value: string }>();
  readonly #chunks: Buffer[] = [];
  #timer: Timer | undefined;

  constructor(wires: Wires, target: Target, onResponse: ((response: IncomingMessage) => void) | undefined) {
    // A request lives on after its last byte is written, until its response has come.
    super({ decodeStrings: true, autoDestroy: false });
    this.#wires = wires;
    this.method = target.method;
    this.path = target.path;
    this.host = target.host;
    this.protocol = target.protocol;
    for (const [name, value] of Object.entries(target.headers)) this.setHeader(name, value);
    if (!this.#headers.has('host')) this.setHeader('host', target.host);
    if (onResponse !== undefined) this.once('response', onResponse);
    if (target.timeoutMs !== undefined && target.timeoutMs > 0) this.setTimeout(target.timeoutMs);
    this.#follow(target.signal);
    process.nextTick(() => {
      if (!this.destroyed) this.emit('socket', this.socket);
    });
  }

  setHeader(name: string, value: string | number | readonly string[]): this {
    this.#headers.set(name.toLowerCase(), { name, value: Array.isArray(value) ? value.join(', ') : String(value) });
    return this;
  }

  getHeader(name: string): string | undefined {
    return this.#headers.get(name.toLowerCase())?.value;
  }

  getHeaders(): Record<string, string> {
    return Object.fromEntries([...this.#headers].map(([name, { value }]) => [name, value]));
  }

  hasHeader(name: string): boolean {
    return this.#headers.has(name.toLowerCase());
  }

  removeHeader(name: string): void {
    this.#headers.delete(name.toLowerCase());
  }

  setNoDelay = () => this;
  setSocketKeepAlive = () => this;
  flushHeaders = () => {};

  /** Emits `timeout` after this long without a response; the caller decides what to do. */
  setTimeout(ms: number, act?: () => void): this {
    this.#timer?.cancel();
    if (act !== undefined) this.once('timeout', act);
    if (ms > 0)
      this.#timer = this.#wires.clock.after(ms, () => {
        this.socket.emit('timeout');
        this.emit('timeout');
      });
    return this;
  }

  abort(): void {
    this.aborted = true;
    this.emit('abort');
    this.destroy();
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#chunks.push(Buffer.from(chunk));
    done();
  }

  override _final(done: () => void): void {
    this.#send();
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#timer?.cancel();
    this.socket.destroy();
    const unanswered = this.res === undefined && error === null;
    done(unanswered ? Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }) : error);
  }

  #follow(signal: AbortSignal | undefined): void {
    if (signal === undefined) return;
    const stop = () =>
      this.destroy(Object.assign(new Error('The operation was aborted'), { name: 'AbortError', code: 'ABORT_ERR' }));
    if (signal.aborted) process.nextTick(stop);
    else signal.addEventListener('abort', stop, { once: true });
  }

  #send(): void {
    const mark = this.path.indexOf('?');
    const request: HttpRequest = {
      method: this.method,
      host: this.host,
      path: mark < 0 ? this.path : this.path.slice(0, mark),
      query: mark < 0 ? '' : this.path.slice(mark + 1),
      headers: this.getHeaders(),
      body: Buffer.concat(this.#chunks),
    };
    this.#wires.http(request).then(
      (response) => this.#answer(response),
      (error: unknown) => {
        if (!this.destroyed) this.destroy(error instanceof Error ? error : new Error(String(error)));
      },
    );
  }

  #answer(response: HttpResponse): void {
    if (this.destroyed) return;
    this.#timer?.cancel();
    const bodiless = this.method === 'HEAD' || response.status === 204 || response.status === 304;
    const message = new IncomingMessage(response, this.socket, bodiless);
    this.res = message;
    message.once('close', () => this.destroy());
    if (!this.emit('response', message)) message.resume();
  }
}
