import { TransientError } from '@drover/core';
import { brakeIsOn } from '../../decide/decide-brake.ts';
import type { DemandPorts } from '../../jobs-ports.ts';
import type { JobsMemory } from '../../model/jobs.ts';
import type { Memory } from '../../model/memory.ts';
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
  write(change: (jobs: JobsMemory) => JobsMemory): Promise<void>;
  /** The hosts were looked at then, and what was seen is written: it is remembered with the next write. */
  looked(at: number): void;
  /** Gives the lease back. */
  close(): Promise<void>;
}

/** One window at a time. That of a window that died is waited for if it ends before `endAt`; undefined: it does not. */
export async function takeLease(ports: DemandPorts, endAt: number): Promise<Window | undefined> {
  const { clock, memory, log } = ports;
  const before = (await memory.read()).jobs?.lease?.until ?? 0;
  if (before >= endAt) return undefined;
  if (before > clock.now()) await clock.sleep(before - clock.now());
  let jobs: JobsMemory | undefined;
  let registrationFails = false;
  let braked = false;
  const look = (state: Memory) => {
    registrationFails = state.registrationRetry !== undefined;
    braked = brakeIsOn(state.bootFailures, clock.now());
  };
  /** By its end a window knows its lease: the next one begins after that, and ends later. */
  let until = 0;
  let lookedAt: number | undefined;
  await memory.update((state) => {
    look(state);
    const held = (state.jobs?.lease?.until ?? 0) > clock.now();
    until = clock.now() + leaseMs;
    jobs = held ? undefined : { ...state.jobs, lease: { until } };
    return jobs === undefined ? state : { ...state, jobs };
  });
  if (jobs === undefined) return undefined;

  const withLook = (memory: JobsMemory) => (lookedAt === undefined ? memory : { ...memory, lookedAt });

  async function write(change: (jobs: JobsMemory) => JobsMemory): Promise<void> {
    await memory.update((state) => {
      if (state.jobs?.lease?.until !== until)
        throw new TransientError('the lease of this window was lost: another window is open');
      jobs = withLook(change(state.jobs));
      look(state);
      return { ...state, jobs };
    });
  }
  return {
    get jobs() {
      return withLook(jobs!);
    },
    get registrationFails() {
      return registrationFails;
    },
    get braked() {
      return braked;
    },
    write,
    looked: (at) => {
      lookedAt = at;
    },
    close: () =>
      write(({ lease: _, ...rest }) => rest).catch((error: unknown) =>
        log.warn('the lease stays until it ends', failureFields(error)),
      ),
  };
}
