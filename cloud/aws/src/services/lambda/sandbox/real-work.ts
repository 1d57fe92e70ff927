import type { Clock } from '@drover/core';

/** The part of a virtual clock beyond `Clock`. */
interface HoldingClock {
  hold<T>(work: Promise<T>): Promise<T>;
}

const holds = (clock: Clock): clock is Clock & HoldingClock => 'hold' in clock;

/** Keeps virtual time still while work runs that no timer knows of. */
export const holdTime = <T>(clock: Clock, work: Promise<T>): Promise<T> => (holds(clock) ? clock.hold(work) : work);

/** Work on threads, one piece after the other, so that it always ends in the order in which it began. */
export class RealWork {
  readonly #clock: Clock;
  #last: Promise<unknown> = Promise.resolve();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work);
    this.#last = next.catch(() => {});
    return holdTime(this.#clock, next);
  }
}
