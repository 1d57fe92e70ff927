import type { VirtualClock } from '@drover/core';

/** How often simulated time is moved on. */
const stepMs = 50;
/** A step that fell behind is not caught up with all at once: the page must stay alive. */
const longestStepMs = 250;

/**
 * Moves a virtual clock along with real time, `speed` simulated seconds a second. The course of events depends only on
 * the inputs and their simulated moments, so a session can be played again.
 */
export class Pace {
  readonly clock: VirtualClock;
  speed: number;
  paused = false;
  /** The machine cannot keep up with the selected speed. */
  behind = false;
  /** Called after each step, when everything has settled. */
  onStep: () => void = () => {};
  #stopped = false;
  /** Steps, and what comes from outside, one after the other. */
  #turns: Promise<void> = Promise.resolve();
  #loop: Promise<void> | undefined;
  readonly #realNow: () => number;
  readonly #realSleep: (ms: number) => Promise<void>;

  constructor(
    clock: VirtualClock,
    options: { speed: number; realNow: () => number; realSleep: (ms: number) => Promise<void> },
  ) {
    this.clock = clock;
    this.speed = options.speed;
    this.#realNow = options.realNow;
    this.#realSleep = options.realSleep;
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  /**
   * Begins what comes from outside in a turn of its own: after the step under way and what came in before it, and before any other, once
   * all that it does at this moment is done. A replay, which knows the moment and the order only, does the same.
   */
  async inTurn<T>(begin: () => Promise<T>): Promise<T> {
    let begun: Promise<T> | undefined;
    await this.#turn(async () => {
      begun = begin();
      // A failure is reported to the caller below.
      begun.catch(() => {});
      await this.clock.settle();
    });
    return await begun!;
  }

  #turn(act: () => Promise<void>): Promise<void> {
    this.#turns = this.#turns.then(act);
    return this.#turns;
  }

  /** Resolves when the step under way is done. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#loop;
  }

  async #run(): Promise<void> {
    let last = this.#realNow();
    while (!this.#stopped) {
      await this.#realSleep(stepMs);
      const now = this.#realNow();
      const passed = now - last;
      last = now;
      this.behind = passed > longestStepMs;
      await this.#turn(async () => {
        if (this.paused) await this.clock.settle();
        else await this.clock.advance(Math.min(passed, longestStepMs) * this.speed);
        this.onStep();
      });
    }
  }
}
