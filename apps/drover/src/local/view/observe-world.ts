import type { LocalState } from '@drover/console/api';
import type { Clock } from '@drover/core';
import type { LocalWorld } from '../local-world.ts';

const everyMs = 500;
/** Snapshots change seldom. */
const looksPerSnapshotLook = 10;

/** Looks at the world twice a second for everybody who watches. */
export class Looker {
  readonly #local: LocalWorld;
  readonly #clock: Clock;
  readonly #over = new AbortController();
  #latest: Promise<LocalState> | undefined;
  #waiting: (() => void)[] = [];

  constructor(local: LocalWorld, realClock: Clock) {
    this.#local = local;
    this.#clock = realClock;
  }

  start(): void {
    void this.#run().catch(() => {});
  }

  stop(): void {
    this.#over.abort();
    this.#tell();
  }

  /** The newest look. */
  look(): Promise<LocalState> {
    this.#latest ??= this.#local.look(true);
    return this.#latest;
  }

  /** Resolves with the next look. */
  next(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#over.signal.aborted) return reject(new Error('stopped'));
      signal.addEventListener('abort', () => reject(new Error('gone')), { once: true });
      this.#waiting.push(resolve);
    });
  }

  async #run(): Promise<void> {
    for (let looks = 0; !this.#over.signal.aborted; looks++) {
      const next = this.#local.look(looks % looksPerSnapshotLook === 0);
      await next.then(
        () => {
          this.#latest = next;
        },
        () => {},
      );
      this.#tell();
      await this.#clock.sleep(everyMs, this.#over.signal);
    }
  }

  #tell(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
