import type { Clock, Timer } from '@drover/core/clock';
import type { ExchangeResponse, TakeChunk } from './exchange.ts';

/** The server sent nothing for too long. */
export class SilentServer extends Error {
  constructor(timeoutMs: number) {
    super(`no response within ${timeoutMs / 1000} s`);
  }
}

/** Ends an exchange when the server is silent for too long, or the command is interrupted. */
export class Watch {
  readonly #abort = new AbortController();
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #outer: AbortSignal | undefined;
  #timer: Timer;
  /** When the server last sent something; not a number while this side is not ready for more. */
  #heardAt: number;

  constructor(clock: Clock, timeoutMs: number, outer: AbortSignal | undefined) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#outer = outer;
    this.#heardAt = clock.now();
    outer?.addEventListener('abort', this.#interrupt, { once: true });
    if (outer?.aborted) this.#interrupt();
    this.#timer = this.#arm(timeoutMs);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Settles with the work, or fails when the watch ends it first; work in process may never settle by itself. */
  over<T>(work: Promise<T>): Promise<T> {
    const { signal } = this.#abort;
    return new Promise((resolve, reject) => {
      // First of all: a failure of the work that no one waits for would end the process.
      work.then(resolve, reject);
      const onAbort = () => reject(signal.reason as Error);
      if (signal.aborted) return onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Gives every chunk of a body to `act`. */
  async receive(body: ExchangeResponse['body'], act: TakeChunk): Promise<void> {
    try {
      if (typeof body === 'string') await act(Buffer.from(body));
      else if (body instanceof Uint8Array) await act(body);
      else if (isStream(body)) await this.over(this.#pump(body, act));
      else for await (const chunk of body) await this.#taken(act(chunk));
    } catch (error) {
      // A connection that was ended on this side looks like one that broke.
      throw this.signal.aborted ? this.signal.reason : error;
    } finally {
      this.end();
    }
  }

  end(): void {
    this.#timer.cancel();
    this.#outer?.removeEventListener('abort', this.#interrupt);
  }

  /** Events instead of iteration: half the cost for large bodies. */
  #pump(stream: ChunkStream, act: TakeChunk): Promise<void> {
    return new Promise((resolve, reject) => {
      stream.on('data', (chunk) => {
        try {
          const full = act(chunk);
          if (full === undefined) return this.#heard();
          stream.pause();
          this.#taken(full).then(() => stream.resume(), reject);
        } catch (error) {
          reject(error as Error);
          stream.destroy();
        }
      });
      stream.once('end', () => resolve());
      stream.once('error', reject);
    });
  }

  /** While this side is not ready for more, the server is not silent. */
  async #taken(taking: void | Promise<void>): Promise<void> {
    this.#heardAt = Number.NaN;
    await taking;
    this.#heard();
  }

  #heard(): void {
    this.#heardAt = this.#clock.now();
  }

  #interrupt = () => this.#abort.abort(this.#outer?.reason);

  #arm(afterMs: number): Timer {
    return this.#clock.after(afterMs, () => {
      const silentMs = this.#clock.now() - this.#heardAt;
      if (silentMs >= this.#timeoutMs) this.#abort.abort(new SilentServer(this.#timeoutMs));
      else this.#timer = this.#arm(Number.isNaN(silentMs) ? this.#timeoutMs : this.#timeoutMs - silentMs);
    });
  }
}

/** A stream of Node, as far as it is used here. */
interface ChunkStream {
  on(event: 'data', act: (chunk: Uint8Array) => void): unknown;
  once(event: 'end', act: () => void): unknown;
  once(event: 'error', act: (error: Error) => void): unknown;
  pause(): unknown;
  resume(): unknown;
  destroy(): unknown;
}

const isStream = (body: object): body is ChunkStream => 'pause' in body && 'on' in body;
