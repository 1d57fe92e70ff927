import { isDeepStrictEqual } from 'node:util';
import { type Clock, type Logger, TransientError } from '@drover/core';
import { brakeIsOn } from '../../decide/decide-brake.ts';
import { settleRest } from '../../decide/types/decide-rest.ts';
import type { JobsMemory } from '../../model/jobs.ts';
import type { Memory, TypeSignal, TypeSignals } from '../../model/memory.ts';
import type { FleetMemory } from '../../ports.ts';
import { failureFields } from '../failure-fields.ts';

/** Longer than the function may run: who holds a lease that has not ended may still act. */
export const leaseMs = 70_000;

/** The memory of jobs mode while its lease is held. */
export interface Window {
  /** As this window last read or wrote it. */
  readonly jobs: JobsMemory;
  /** Registrations failed lately, and are tried again. */
  readonly registrationFails: boolean;
  readonly braked: boolean;
  /** Neither host nor job, at the end of the window. */
  quiet: boolean;
  write(change: (jobs: JobsMemory) => JobsMemory): Promise<void>;
  /** Writes a change, unless it changes nothing. */
  remember(change: Partial<JobsMemory>): Promise<void>;
  /** The hosts were looked at then, and what was seen is written: it is remembered with the next write. */
  looked(at: number): void;
  /** There is a message: from now on the notes of the jobs are needed, which a resting memory lacks. */
  wake(): Promise<void>;
}

/** The window that holds the fleet's lease. */
export interface LeasedWindow extends Window {
  /** By its end a window knows its lease: the next one begins after that, and ends later. */
  readonly until: number;
  /** News of the types from the windows before. */
  readonly types: TypeSignals | undefined;
  /** Gives the lease back, and writes the news of the types. */
  close(types?: TypeSignals): Promise<void>;
}

interface LeasePorts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly memory: FleetMemory;
}

/** One window at a time. That of a window that died is waited for if it ends before `endAt`; undefined: it does not. */
export async function takeLease(ports: LeasePorts, endAt: number): Promise<LeasedWindow | undefined> {
  const { clock, memory } = ports;
  const before = (await memory.read()).jobs?.lease?.until ?? 0;
  if (before >= endAt) return undefined;
  if (before > clock.now()) await clock.sleep(before - clock.now());
  let until = 0;
  let taken: Memory | undefined;
  await memory.update((state) => {
    const held = (state.jobs?.lease?.until ?? 0) > clock.now();
    until = clock.now() + leaseMs;
    taken = held ? undefined : { ...state, jobs: { ...state.jobs, lease: { until } } };
    return taken ?? state;
  });
  if (taken === undefined) return undefined;

  return new Leased(ports, taken, until);
}

/** Reads and writes the notes of an open window. */
abstract class Notes implements Window {
  protected readonly clock: Clock;
  readonly #memory: FleetMemory;
  #jobs: JobsMemory;
  registrationFails = false;
  braked = false;
  quiet = false;

  constructor(ports: Pick<LeasePorts, 'clock' | 'memory'>, opened: Memory) {
    this.clock = ports.clock;
    this.#memory = ports.memory;
    this.#jobs = opened.jobs ?? {};
    this.#look(opened);
  }

  get jobs(): JobsMemory {
    return this.seen(this.#jobs);
  }

  write(change: (jobs: JobsMemory) => JobsMemory): Promise<void> {
    return this.writeAll((state) => ({ ...state, jobs: change(this.seen(state.jobs ?? {})) }));
  }

  async remember(change: Partial<JobsMemory>): Promise<void> {
    const { jobs } = this;
    if (!isDeepStrictEqual({ ...jobs, ...change }, jobs)) await this.write((known) => ({ ...known, ...change }));
  }

  async wake(): Promise<void> {}

  abstract looked(at: number): void;
  /** Another window has written since. */
  protected abstract isLost(jobs: JobsMemory | undefined): boolean;
  /** Notes of the memory as this window knows them, and as it writes them. */
  protected abstract seen(jobs: JobsMemory): JobsMemory;
  protected abstract kept(jobs: JobsMemory): JobsMemory;

  protected async writeAll(change: (state: Memory) => Memory): Promise<void> {
    await this.#memory.update((state) => {
      if (this.isLost(state.jobs))
        throw new TransientError('the lease of this window was lost: another window is open');
      const next = change(state);
      this.#jobs = this.kept(next.jobs ?? {});
      this.#look(state);
      return { ...next, jobs: this.#jobs };
    });
  }

  #look(state: Memory): void {
    this.registrationFails = state.registrationRetry !== undefined;
    this.braked = brakeIsOn(state.bootFailures, this.clock.now());
  }
}

class Leased extends Notes implements LeasedWindow {
  readonly until: number;
  readonly types: TypeSignals | undefined;
  readonly #log: Logger;
  #lookedAt: number | undefined;
  #statisticsAt: number | undefined;

  constructor(ports: LeasePorts, taken: Memory, until: number) {
    super(ports, taken);
    this.#log = ports.log;
    this.until = until;
    this.types = taken.types;
  }

  looked(at: number): void {
    this.#lookedAt = at;
  }

  /** That the numbers were confirmed, and are the same, is written with the next write: when the lease is given back at the latest. */
  override async remember({ statisticsAt, ...change }: Partial<JobsMemory>): Promise<void> {
    this.#statisticsAt = statisticsAt ?? this.#statisticsAt;
    await super.remember(change);
  }

  close(types?: TypeSignals): Promise<void> {
    return this.writeAll(({ jobs: { lease: _, ...jobs } = {}, types: before, ...state }) => ({
      ...state,
      jobs,
      ...withTypes(types === undefined ? before : settleRest(types, before, this.clock.now())),
    })).catch((error: unknown) => this.#log.warn('the lease stays until it ends', failureFields(error)));
  }

  protected isLost(jobs: JobsMemory | undefined): boolean {
    return jobs?.lease?.until !== this.until;
  }

  protected seen(jobs: JobsMemory): JobsMemory {
    return withSignal(jobs, { lookedAt: this.#lookedAt, statisticsAt: this.#statisticsAt });
  }

  protected kept(jobs: JobsMemory): JobsMemory {
    return this.seen(jobs);
  }
}

/** A fleet without types has no record of them. */
const withTypes = (types: TypeSignals | undefined) =>
  types === undefined || Object.keys(types).length === 0 ? {} : { types };

/** The window of a type below the fleet's lease. */
export interface TypeWindow extends Window {
  /** The news that is written when the lease is given back. */
  readonly signal: TypeSignal;
  /** The memory as this window found it, if the type was quiet at its end. */
  readonly resting: Memory | undefined;
}

/**
 * Opens the memory of a type. A window that learns nothing new of it writes nothing. The end of its lease is the number of a window: it is
 * written with each change, and a window whose number is lower has lost its lease.
 */
export const openTypeWindow = async (
  ports: Pick<LeasePorts, 'clock' | 'memory'>,
  until: number,
  signal: TypeSignal,
): Promise<TypeWindow> => new OfType(ports, await ports.memory.read(), until, signal);

class OfType extends Notes implements TypeWindow {
  readonly #until: number;
  readonly #opened: Memory;
  signal: TypeSignal;

  constructor(ports: Pick<LeasePorts, 'clock' | 'memory'>, opened: Memory, until: number, signal: TypeSignal) {
    super(ports, opened);
    this.#until = until;
    this.#opened = opened;
    this.signal = signal;
  }

  get resting(): Memory | undefined {
    const { jobs: { jobs: _, ...jobs } = {}, ...state } = this.#opened;
    return this.quiet ? { ...state, jobs } : undefined;
  }

  override async wake(): Promise<void> {
    if (this.signal.resting === undefined) return;
    this.signal = { ...this.signal, resting: undefined };
    await this.write((jobs) => jobs);
  }

  looked(lookedAt: number): void {
    this.signal = { ...this.signal, lookedAt };
  }

  override async remember({ statisticsAt, ...change }: Partial<JobsMemory>): Promise<void> {
    if (statisticsAt !== undefined) this.signal = { ...this.signal, statisticsAt };
    await super.remember(change);
  }

  protected isLost(jobs: JobsMemory | undefined): boolean {
    return (jobs?.lease?.until ?? 0) > this.#until;
  }

  protected seen(jobs: JobsMemory): JobsMemory {
    return withSignal(jobs, this.signal);
  }

  protected kept(jobs: JobsMemory): JobsMemory {
    return { ...this.seen(jobs), lease: { until: this.#until } };
  }
}

/** When windows last had news. */
type News = { readonly [key in 'statisticsAt' | 'lookedAt']?: number | undefined };

/** The memory of a type's jobs, with the news that came after it was written. */
export function withSignal(jobs: JobsMemory = {}, signal: News | undefined): JobsMemory {
  const later = (key: 'statisticsAt' | 'lookedAt') => {
    const at = Math.max(jobs[key] ?? 0, signal?.[key] ?? 0);
    return at === 0 ? {} : { [key]: at };
  };
  return { ...jobs, ...later('statisticsAt'), ...later('lookedAt') };
}
