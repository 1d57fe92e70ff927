import type { FleetSample, FleetState } from './api.ts';
import { phaseOfInstance, runsJob } from './phase.ts';

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
  const busy = members.filter(runsJob).length;
  const phases = members.filter((one) => !runsJob(one)).map(phaseOfInstance);
  const count = (wanted: string) => phases.filter((phase) => phase === wanted).length;
  const [idle, booting, draining] = [count('idle'), count('booting'), count('draining')];
  const away = members.length - busy - idle - booting - draining;
  return { at, busy, idle, booting, draining, away, queued, desired, max };
}
