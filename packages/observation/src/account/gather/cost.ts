import { dayMs } from '@drover/core';
import { costOfFleet, defaultVolumeGib } from '@drover/operator/fleet/cost';
import type { OpenFleet } from '@drover/operator/fleet/open-fleet';
import type { Cost } from '../../api.ts';
import type { Source } from '../rota.ts';

/** It reads every activity that Auto Scaling still has. */
const everyMs = 900_000;

/** The cost of the fleet since this time yesterday, as `drover fleet cost` estimates it. */
export function costReading(fleet: OpenFleet, now: () => number) {
  let read: Cost | undefined;
  const source: Source = {
    what: 'cost since yesterday',
    everyMs,
    read: async () => {
      const to = now();
      const from = to - dayMs;
      const options = { since: () => from, volumeGib: defaultVolumeGib };
      const { cost, currency, instances, hours, jobs } = await costOfFleet(fleet, to, options);
      const runnerHours = hours.onDemand + hours.spot;
      read = { from, to, total: cost.total, currency, instances, runnerHours, jobs: jobs.ended };
    },
  };
  return { sources: [source], latest: () => read };
}
