import type { Clock, Timer } from '@drover/core/clock';
import { type ExchangeResponse, isPushed, type TakeChunk } from './exchange.ts';

/** The server said nothing for too long. */
export class SilentServer extends Error {
  constructor(timeoutMs: number) {
    super(`no answer within ${timeoutMs / 1000} s`);
  }
}

/** Ends an exchange when the server is silent for too long, or the command is interrupted. */
export class Watch {
  readonly #abort = new AbortController();
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #outer: AbortSignal | undefined;
  #timer: Timer;
  /** When the server was last heard; not a number while it is us who are not ready. */
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
      const onAbort = () => reject(signal.reason as Error);
      if (signal.aborted) return onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      work.then(resolve, reject);
    });
  }

  /** Gives every chunk of a body to `act`. */
  async receive(body: ExchangeResponse['body'], act: TakeChunk): Promise<void> {
    try {
      if (typeof body === 'string') await act(Buffer.from(body));
      else if (body instanceof Uint8Array) await act(body);
      else if (isPushed(body)) await this.over(body.pushTo((chunk) => this.#hear(act(chunk))));
      else if (isStream(body)) await this.over(this.#pump(body, act));
      else for await (const chunk of body) await this.#taken(act(chunk));
    } catch (error) {
      // A connection that we ended ourselves looks like one that broke.
      throw this.signal.aborted ? this.signal.reason : error;
    } finally {
      this.end();
    }
  }

  end(): void {
    this.#timer.cancel();
    this.#outer?.removeEventListener('abort', this.#interrupt);
  }

  /** Events instead of iteration: half the cost for large answers. */
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

  /** While we are not ready for more, the server cannot be called silent. */
  async #taken(taking: void | Promise<void>): Promise<void> {
    this.#heardAt = Number.NaN;
    await taking;
    this.#heard();
  }

  /** Waits only where there is something to wait for. */
  #hear(taking: void | Promise<void>): void | Promise<void> {
    return taking === undefined ? this.#heard() : this.#taken(taking);
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
