import { type Clock, describeError } from '@drover/core';
import type { Reading } from '../api.ts';

/** One part of what is observed, read again and again. */
export interface Source {
  /** Several sources may be parts of the same. */
  readonly what: string;
  readonly everyMs: number;
  read(): Promise<void>;
}

interface Turn {
  readonly source: Source;
  dueAt: number;
  readAt: number | undefined;
  problem: string | undefined;
}

/** Reads sources in turn, the most overdue first: when there are more calls to make than may be made, all get older alike. */
export class Rota {
  readonly #clock: Clock;
  readonly #now: () => number;
  readonly #turns: readonly Turn[];

  /** `now` is the time by which the age of a reading is measured. */
  constructor(clock: Clock, now: () => number, sources: readonly Source[]) {
    this.#clock = clock;
    this.#now = now;
    this.#turns = sources.map((source) => ({ source, dueAt: clock.now(), readAt: undefined, problem: undefined }));
  }

  /** How old each part is: as old as the oldest of its sources. */
  get readings(): readonly Reading[] {
    const parts = new Map<string, Turn[]>();
    for (const turn of this.#turns) parts.set(turn.source.what, [...(parts.get(turn.source.what) ?? []), turn]);
    return [...parts].map(([what, turns]) => ({
      what,
      readAt: turns.some(({ readAt }) => readAt === undefined)
        ? undefined
        : Math.min(...turns.map((one) => one.readAt!)),
      everyMs: Math.max(...turns.map(({ source }) => source.everyMs)),
      problem: turns.find(({ problem }) => problem !== undefined)?.problem,
    }));
  }

  /** Reads until `signal` is aborted; calls `onRead` after each reading. */
  async run(signal: AbortSignal, onRead: () => void): Promise<void> {
    if (this.#turns.length === 0) return;
    while (!signal.aborted) {
      const next = this.#turns.reduce((first, turn) => (turn.dueAt < first.dueAt ? turn : first));
      const waitMs = next.dueAt - this.#clock.now();
      if (waitMs > 0) await this.#clock.sleep(waitMs, signal);
      await this.#read(next);
      onRead();
    }
  }

  async #read(turn: Turn): Promise<void> {
    const { source } = turn;
    const begunAt = this.#now();
    try {
      await source.read();
      turn.readAt = begunAt;
      turn.problem = undefined;
    } catch (error) {
      turn.problem = describeError(error);
    }
    turn.dueAt = this.#clock.now() + source.everyMs;
  }
}
