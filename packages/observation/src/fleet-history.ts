import type { FleetSample, FleetState, InstanceState } from './api.ts';

/** Four hours. */
const samplesKept = 240;

/** The history of a fleet, a sample a minute. */
export class FleetHistory {
  #samples: readonly FleetSample[] = [];

  get samples(): readonly FleetSample[] {
    return this.#samples;
  }

  /** Called every minute. */
  add(at: number, fleet: Omit<FleetState, 'history'>): void {
    this.#samples = [...this.#samples, sampleOf(at, fleet)].slice(-samplesKept);
  }
}

function sampleOf(
  at: number,
  { instances, queuedJobs: queued, desiredCapacity: desired, maxSize: max }: Omit<FleetState, 'history'>,
): FleetSample {
  const members = instances.filter(({ warmPool }) => !warmPool);
  const count = (is: (one: InstanceState) => boolean) => members.filter(is).length;
  const busy = count(({ runner }) => runner === 'busy');
  const draining = count(({ lifecycleState, runner }) => lifecycleState.startsWith('Terminating') && runner !== 'busy');
  const idle = count(({ lifecycleState, runner }) => lifecycleState === 'InService' && runner === 'idle');
  const booting = members.length - busy - draining - idle;
  return { at, busy, idle, booting, draining, queued, desired, max };
}
