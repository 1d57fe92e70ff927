import { type Engine, every } from '@drover/cloud-engine';
import type { Random } from '@drover/core';
import type { JobQueue, JobRun } from '../jobs/job-queue.ts';
import type { Job, ListenerStop, RunnerRecord, RunnerSession } from '../model.ts';
import type { Outage } from '../outage.ts';

/** A connection that was lost without a word is noticed after this. */
const noticedAfterMs = 60_000;
/** A listener's goodbye reaches GitHub within this; until then jobs may still be sent to it. */
const mostGoodbyeMs = 2_000;
/** docs.github.com, "Communicating with self-hosted runners": a long poll lasts 50 s; then it learns that it was removed. */
export const longPollMs = 50_000;

/** A listener's connection. */
export interface Connection {
  /** The listener says goodbye. */
  close(): void;
  /** The listener is gone without a word. */
  vanish(): void;
  run(job: Job): JobRun;
}

/**
 * `unknown-runner`: its registration was deleted, trying again is in vain. `session-exists`: the connection before is
 * not known to be lost yet. `unreachable`: GitHub is down.
 */
export type ConnectRefusal = 'unknown-runner' | 'session-exists' | 'unreachable';

interface ConnectionParts {
  readonly queue: JobQueue;
  readonly outage: Outage;
  /** Whether GitHub serves this version of the runner software no more. */
  isDeprecated(version: string | undefined): boolean;
  /** Something that the API shows has changed. */
  changed(runner: RunnerRecord, what: 'online' | 'offline'): void;
}

/** Which listeners are connected, as far as GitHub knows. */
export class Connections {
  readonly #engine: Engine;
  readonly #random: Random;
  readonly #parts: ConnectionParts;
  readonly #open = new Set<RunnerSession>();

  constructor(engine: Engine, parts: ConnectionParts) {
    this.#engine = engine;
    this.#random = engine.random.fork('platform.connections');
    this.#parts = parts;
    // Listeners poll all the time. Here one look for all of them stands for those polls in which nothing happens.
    every(engine.clock, longPollMs / 2, () => this.#breakPolls());
  }

  open(runner: RunnerRecord | undefined, session: RunnerSession): Connection | ConnectRefusal {
    if (this.#parts.outage.strikes('connect')) return 'unreachable';
    if (runner === undefined) return 'unknown-runner';
    if (runner.session !== undefined) return 'session-exists';
    runner.session = session;
    runner.version = session.version ?? runner.version;
    runner.listenerStop = undefined;
    this.#open.add(session);
    this.#parts.changed(runner, 'online');
    // The session is granted; its first poll is refused.
    if (this.#parts.isDeprecated(session.version)) this.#engine.clock.after(0, () => session.deprecated?.());
    else if (runner.job === undefined) this.#parts.queue.offer(runner);
    return this.#connection(runner, session);
  }

  /** A version is served no more: its runners learn it at their next poll, and get no job until then. */
  deprecate(runners: readonly RunnerRecord[]): void {
    for (const runner of runners) {
      const { session } = runner;
      if (session === undefined || !this.#parts.isDeprecated(session.version)) continue;
      this.#parts.queue.withdraw(runner);
      this.#engine.clock.after(this.#random.int(0, longPollMs), () => session.deprecated?.());
    }
  }

  #breakPolls(): void {
    const down = this.#parts.outage.lasts('message');
    for (const session of this.#open) if (down || session.reachable?.() === false) session.broken?.();
  }

  /** GitHub ends it; the listener learns at the end of its long poll that its registration is gone. */
  cutOff(runner: RunnerRecord): void {
    const { session } = runner;
    this.#parts.queue.withdraw(runner);
    runner.session = undefined;
    if (session === undefined) return;
    this.#open.delete(session);
    this.#engine.clock.after(this.#random.int(0, longPollMs), () => session.revoked());
  }

  #connection(runner: RunnerRecord, session: RunnerSession): Connection {
    const stop = (how: ListenerStop['how'], afterMs: number) => {
      if (runner.session !== session || runner.listenerStop !== undefined) return;
      runner.listenerStop = { at: this.#engine.clock.now(), how };
      this.#engine.clock.after(afterMs, () => this.#lost(runner, session));
    };
    return {
      close: () => {
        this.#open.delete(session);
        const heard = !this.#parts.outage.strikes('connect');
        if (heard) stop('goodbye', this.#random.int(0, mostGoodbyeMs));
        else stop('silent', noticedAfterMs);
      },
      vanish: () => {
        this.#open.delete(session);
        stop('silent', noticedAfterMs);
      },
      run: (job) => this.#parts.queue.run(job),
    };
  }

  #lost(runner: RunnerRecord, session: RunnerSession): void {
    if (runner.session !== session) return;
    runner.session = undefined;
    runner.offlineSince = this.#engine.clock.now();
    this.#parts.queue.withdraw(runner);
    this.#parts.changed(runner, 'offline');
    this.#parts.queue.listenerStopped(runner);
  }
}
