import type { LocalWorld } from '../local-world.ts';
import type { Session } from '../session.ts';

const betweenMs = 10 * 60_000;

/** Marks the course of a session, so that a replay can see whether it takes the same one. */
export class Marks {
  readonly #local: LocalWorld;
  readonly #session: Session;
  #markedAt: number;

  constructor(local: LocalWorld, session: Session) {
    this.#local = local;
    this.#session = session;
    this.#markedAt = local.clock.now();
  }

  /** To be called when everything has settled. */
  note(): void {
    if (this.#local.clock.now() - this.#markedAt >= betweenMs) this.#mark();
  }

  /** The last mark of a session. */
  end(): void {
    if (this.#local.clock.now() > this.#markedAt) this.#mark();
  }

  #mark(): void {
    const { clock, course } = this.#local;
    this.#markedAt = clock.now();
    this.#session.mark({ at: this.#markedAt, digest: course.value });
  }
}
