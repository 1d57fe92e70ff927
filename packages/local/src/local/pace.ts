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
  #step: Promise<void> = Promise.resolve();
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
   * Resolves when no step is under way. What comes in within one comes between timers of the same moment: a replay,
   * which knows the moment only, could not know between which.
   */
  async betweenSteps(): Promise<void> {
    await this.#step;
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
      this.#step = this.paused ? this.clock.settle() : this.clock.advance(Math.min(passed, longestStepMs) * this.speed);
      await this.#step;
      this.onStep();
    }
  }
}
