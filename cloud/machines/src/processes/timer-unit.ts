import type { Clock, Random, Timer } from '@drover/core';
import type { TimerDefinition } from '../program.ts';
import type { ServiceUnit } from './service-unit.ts';

/** The part of its machine that a timer needs. */
interface TimerHost {
  readonly clock: Clock;
  readonly random: Random;
  start(name: string): void;
}

/** A timer as systemd.timer(5) describes it: it starts a unit, and waits for its end before it counts again. */
export class TimerUnit {
  definition: TimerDefinition;
  state: 'active' | 'inactive' = 'inactive';
  readonly #unit: ServiceUnit;
  readonly #host: TimerHost;
  #timer: Timer | undefined;
  #startedAt = 0;
  #triggeredAt: number | undefined;
  /** The unit that it has started has not ended yet. */
  #running = false;

  constructor(definition: TimerDefinition, unit: ServiceUnit, host: TimerHost) {
    this.definition = definition;
    this.#unit = unit;
    this.#host = host;
  }

  start(): Promise<boolean> {
    if (this.state === 'inactive') {
      this.state = 'active';
      this.#startedAt = this.#host.clock.now();
      this.#triggeredAt = undefined;
      this.#running = false;
      this.#arm();
    }
    return Promise.resolve(true);
  }

  /** The unit that it has started goes on. */
  stop(): Promise<void> {
    this.powerLost();
    return Promise.resolve();
  }

  powerLost(): void {
    this.#timer?.cancel();
    this.state = 'inactive';
  }

  /** The time is counted from there also when the timer did not start the unit. */
  unitMoved(): void {
    if (this.state === 'inactive' || (this.#running && !this.#unit.atRest)) return;
    this.#running = false;
    this.#arm();
  }

  #arm(): void {
    this.#timer?.cancel();
    const { onActiveMs, onUnitActiveMs, onUnitInactiveMs, spreadMs = 0 } = this.definition;
    const after = (at: number | undefined, ms: number | undefined) => {
      const base = Math.max(at ?? 0, this.#triggeredAt ?? 0);
      return ms === undefined || base === 0 ? [] : [base + ms];
    };
    const dues = [
      ...after(this.#startedAt, this.#triggeredAt === undefined ? onActiveMs : undefined),
      ...after(this.#unit.leftRestAt, onUnitActiveMs),
      ...after(this.#unit.restedAt, onUnitInactiveMs),
    ];
    if (dues.length === 0) return;
    const delayMs = Math.max(0, Math.min(...dues) - this.#host.clock.now()) + this.#host.random.int(0, spreadMs);
    this.#timer = this.#host.clock.after(delayMs, () => this.#trigger());
  }

  #trigger(): void {
    this.#triggeredAt = this.#host.clock.now();
    this.#running = true;
    // A unit that runs already is not started twice; one whose conditions fail does not move.
    this.#host.start(this.definition.unit);
    this.unitMoved();
  }
}
