import { type Clock, type Random, SeededRandom, type Timer, VirtualClock } from '@drover/core';
import { Faults } from './faults.ts';
import { Journal } from './journal.ts';

/** The base of every part of the embedded cloud: time, chance, faults and the record of what happened. */
export interface Engine {
  readonly clock: Clock;
  readonly random: Random;
  readonly journal: Journal;
  readonly faults: Faults;
}

export interface EngineOptions {
  /** @default a virtual clock */
  readonly clock?: Clock;
  /** @default 1 */
  readonly seed?: string | number;
  /** How many journal entries are kept. */
  readonly journalLimit?: number;
}

export function createEngine(options: EngineOptions = {}): Engine {
  const clock = options.clock ?? new VirtualClock();
  const random = new SeededRandom(options.seed ?? 1);
  const journal = new Journal(clock, options.journalLimit);
  return { clock, random, journal, faults: new Faults(clock, random.fork('faults'), journal) };
}

/** Runs `act` every `periodMs`, first after one period, until cancelled. */
export function every(clock: Clock, periodMs: number, act: () => void): Timer {
  let timer = clock.after(periodMs, tick);
  function tick() {
    timer = clock.after(periodMs, tick);
    act();
  }
  return { cancel: () => timer.cancel() };
}
