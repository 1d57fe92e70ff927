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

/**
 * Reads sources in turn, the most overdue first: when there are more calls to make than may be made, all get older alike.
 * `now` is the time by which the age of a reading is measured.
 */
export function rota(clock: Clock, now: () => number, sources: readonly Source[]) {
  const turns = sources.map((source): Turn => ({ source, dueAt: clock.now(), readAt: undefined, problem: undefined }));

  async function take(turn: Turn): Promise<void> {
    const { source } = turn;
    const begunAt = now();
    try {
      await source.read();
      turn.readAt = begunAt;
      turn.problem = undefined;
    } catch (error) {
      turn.problem = describeError(error);
    }
    turn.dueAt = clock.now() + source.everyMs;
  }

  return {
    /** How old each part is: as old as the oldest of its sources. */
    readings(): readonly Reading[] {
      const parts = new Map<string, Turn[]>();
      for (const turn of turns) parts.set(turn.source.what, [...(parts.get(turn.source.what) ?? []), turn]);
      return [...parts].map(([what, own]) => ({
        what,
        readAt: own.some(({ readAt }) => readAt === undefined) ? undefined : Math.min(...own.map((one) => one.readAt!)),
        everyMs: Math.max(...own.map(({ source }) => source.everyMs)),
        problem: own.find(({ problem }) => problem !== undefined)?.problem,
      }));
    },
    /** Reads until `signal` is aborted; calls `onRead` after each reading. */
    async run(signal: AbortSignal, onRead: () => void): Promise<void> {
      while (turns.length > 0 && !signal.aborted) {
        const next = turns.reduce((first, turn) => (turn.dueAt < first.dueAt ? turn : first));
        const waitMs = next.dueAt - clock.now();
        if (waitMs > 0) await clock.sleep(waitMs, signal);
        await take(next);
        onRead();
      }
    },
  };
}
