import type { Clock } from '@drover/core';
import type { Observation } from '@drover/observation/api';
import type { LocalWorld } from '../local-world.ts';

const everyMs = 500;
/** Snapshots change seldom. */
const readsPerSnapshotRead = 10;

/** Reads the state of the world twice a second, for all pages that are open. */
export class WorldObserver {
  readonly #local: LocalWorld;
  readonly #clock: Clock;
  readonly #noted: (state: Observation) => void;
  readonly #over = new AbortController();
  #latest: Promise<Observation> | undefined;
  #waiting: (() => void)[] = [];

  constructor(local: LocalWorld, realClock: Clock, noted: (state: Observation) => void = () => {}) {
    this.#noted = noted;
    this.#local = local;
    this.#clock = realClock;
  }

  start(): void {
    void this.#run().catch(() => {});
  }

  stop(): void {
    this.#over.abort();
    this.#notify();
  }

  /** The newest state. */
  latest(): Promise<Observation> {
    this.#latest ??= this.#local.readState(true);
    return this.#latest;
  }

  /** Resolves when a newer state has been read. */
  next(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#over.signal.aborted) return reject(new Error('stopped'));
      const gone = () => reject(new Error('gone'));
      signal.addEventListener('abort', gone, { once: true });
      this.#waiting.push(() => {
        signal.removeEventListener('abort', gone);
        resolve();
      });
    });
  }

  async #run(): Promise<void> {
    for (let reads = 0; !this.#over.signal.aborted; reads++) {
      const next = this.#local.readState(reads % readsPerSnapshotRead === 0);
      await next.then(
        (state) => {
          this.#latest = next;
          this.#noted(state);
        },
        () => {},
      );
      this.#notify();
      await this.#clock.sleep(everyMs, this.#over.signal);
    }
  }

  #notify(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
