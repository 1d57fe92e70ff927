import type { World } from '@drover/cloud-world';
import type { Clock } from '@drover/core';

/** How late an agent that polls notices what happened to its instance. */
const noticedWithinMs = 15_000;

/** Wakes the agent of one machine when something happened that it should look at. */
export class WakeSignal {
  #waiting = new Set<() => unknown>();

  wake(): void {
    for (const wake of this.#waiting) wake();
  }

  /** Resolves at the next signal, or after `mostMs`. */
  wait(clock: Clock, mostMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        timer.cancel();
        this.#waiting.delete(wake);
        resolve();
      };
      // On the process's own clock: a hibernated machine receives the signal when it resumes.
      const wake = () => clock.after(0, done);
      const timer = clock.after(mostMs, done);
      this.#waiting.add(wake);
    });
  }
}

/** The wake signals of all machines. A transition or a spot notice wakes an instance's agent as late as polling the metadata service would. */
export class WakeSignals {
  readonly #signals = new Map<string, WakeSignal>();

  constructor(world: World) {
    const { clock, journal } = world.engine;
    // The label is part of the seed: another one would give every recorded seed another course.
    const random = world.engine.random.fork('bells');
    const wake = (instanceId: string) => {
      if (!this.#signals.has(instanceId)) return;
      clock.after(random.int(0, noticedWithinMs), () => this.#signals.get(instanceId)?.wake());
    };
    world.observe.onSpotNotice(({ id }) => wake(id));
    journal.subscribe(({ source, kind, name, subject = '' }) => {
      if (source !== 'aws.autoscaling' || kind !== 'transition') return;
      wake(subject);
      if (name.endsWith('Terminated')) clock.after(noticedWithinMs, () => this.#signals.delete(subject));
    });
  }

  of(instanceId: string): WakeSignal {
    const signal = this.#signals.get(instanceId) ?? new WakeSignal();
    this.#signals.set(instanceId, signal);
    return signal;
  }
}
