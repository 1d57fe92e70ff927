import { connect, type Socket } from 'node:net';
import type { ExchangeRequest, ExchangeResponse, PushedBody, TakeChunk } from '../exchange.ts';
import { hostAndPort } from '../host-and-port.ts';
import { type BodyReader, bodyReader } from './body.ts';
import { HeadReader } from './head-reader.ts';
import { CutAnswer } from './malformed-answer.ts';

/** So large that few reads are needed, and so small that nobody notices. */
const bufferBytes = 256 * 1024;

/** One request and its answer, on a connection of its own. */
export class Conversation implements PushedBody {
  readonly #request: ExchangeRequest;
  readonly #socket: Socket;
  readonly #buffer = Buffer.allocUnsafeSlow(bufferBytes);
  readonly #head: HeadReader;
  #body: BodyReader | undefined;
  /** What came of the body together with the head. */
  #early: readonly [from: number, to: number] = [0, 0];
  #take: TakeChunk | undefined;
  #over = false;
  #failure: unknown;
  #onAnswer: (answer: ExchangeResponse) => void;
  #onEnd = () => {};
  #onFailure: (error: unknown) => void;

  constructor(
    request: ExchangeRequest,
    onAnswer: (answer: ExchangeResponse) => void,
    onFailure: (error: unknown) => void,
  ) {
    this.#request = request;
    this.#onAnswer = onAnswer;
    this.#onFailure = onFailure;
    this.#head = new HeadReader(request.method);
    this.#socket = this.#connect();
  }

  send(text: string): void {
    const { signal, body } = this.#request;
    if (signal.aborted) this.#abort();
    signal.addEventListener('abort', this.#abort, { once: true });
    this.#socket.write(text, 'latin1');
    if (body.length > 0) this.#socket.write(body);
  }

  pushTo(take: TakeChunk): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#over) return reject(this.#failure);
      [this.#take, this.#onEnd, this.#onFailure] = [take, resolve, reject];
      if (this.#deliver(...this.#early)) this.#socket.resume();
    });
  }

  #connect(): Socket {
    const { host, port = '80' } = hostAndPort(this.#request.host);
    const onread = { buffer: this.#buffer, callback: (length: number) => this.#read(length) };
    return connect({ host, port: Number(port), onread })
      .once('end', () => this.#closed())
      .on('error', (error) => this.#body?.done || this.#fail(error));
  }

  /** Answers whether more may come: not before somebody takes the body, nor while a chunk is being taken. */
  #read(length: number): boolean {
    if (this.#body !== undefined) return this.#deliver(0, length);
    try {
      const read = this.#head.take(this.#buffer, 0, length);
      if (read === undefined) return true;
      this.#body = bodyReader(read.head.framing);
      this.#early = [read.bodyAt, length];
      this.#onAnswer({ status: read.head.status, headers: read.head.headers, body: this });
    } catch (error) {
      this.#fail(error);
    }
    return false;
  }

  #deliver(from: number, to: number): boolean {
    try {
      const length = this.#body!.take(this.#buffer, from, to);
      const taking = length === 0 ? undefined : this.#take!(this.#buffer.subarray(from, from + length));
      if (taking === undefined) return this.#wantsMore();
      taking.then(() => this.#wantsMore() && this.#socket.resume(), this.#fail);
    } catch (error) {
      this.#fail(error);
    }
    return false;
  }

  #wantsMore(): boolean {
    if (this.#body!.done) this.#end();
    return !this.#over;
  }

  /** The server said that nothing more comes. */
  #closed(): void {
    try {
      if (this.#body === undefined) throw new CutAnswer('the connection was closed without an answer');
      this.#body.close();
      this.#end();
    } catch (error) {
      this.#fail(error);
    }
  }

  #abort = (): void => this.#fail(this.#request.signal.reason);

  #fail = (error: unknown): void => {
    if (this.#over) return;
    this.#failure = error;
    this.#release();
    this.#onFailure(error);
  };

  #end(): void {
    if (this.#over) return;
    this.#release();
    this.#onEnd();
  }

  #release(): void {
    this.#over = true;
    this.#request.signal.removeEventListener('abort', this.#abort);
    this.#socket.destroy();
  }
}
