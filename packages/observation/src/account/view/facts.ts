import type { FleetSample, Reading } from '../../api.ts';
import type { SearchNodes } from '../../search-readings.ts';
import { activityReadings } from '../gather/activities.ts';
import { alarmReadings } from '../gather/alarms.ts';
import { costReading } from '../gather/cost.ts';
import { doctorReadings } from '../gather/doctor.ts';
import { functionReadings } from '../gather/function-runs.ts';
import { groupReadings } from '../gather/groups.ts';
import { jobReadings } from '../gather/jobs.ts';
import { pastReadings } from '../gather/past-samples.ts';
import { platformReadings } from '../gather/platform.ts';
import { searchSource } from '../gather/search.ts';
import type { Watched } from '../stacks.ts';

/** Facts about an account besides the latest readings. */
export interface Surroundings {
  readonly now: number;
  readonly history: readonly FleetSample[];
  readonly readings: readonly Reading[];
  readonly nodes: SearchNodes | undefined;
}

const minute = 60_000;
/** How far back activities, alarms and job events are read. */
const lookBackMs = 24 * 60 * minute;
/** A minute's schedule gives thousands of runs a day: fewer are read. */
const runsLookBackMs = 60 * minute;

/** All that has been read of an account. */
export type AccountFacts = ReturnType<typeof factsOf>;

export function factsOf(watched: Watched, clock: () => number) {
  const now = clock();
  const { aws, fleet, cluster } = watched;
  const ofFleet = fleet?.groups.map(({ groupName }) => groupName) ?? [];
  const groups = [...ofFleet, ...(cluster === undefined ? [] : cluster.groups.all)];
  const since = now - lookBackMs;
  return {
    watched,
    groups: groupReadings(aws, groups),
    activities: activityReadings(aws, groups, since),
    alarms: alarmReadings(aws, watched.alarms, since),
    functions: functionReadings(aws, watched.functions, now - runsLookBackMs),
    jobs: fleet && jobReadings(fleet, since),
    platform: fleet && platformReadings(fleet),
    search: cluster && searchSource(cluster),
    doctor: doctorReadings(watched, clock),
    cost: fleet && costReading(fleet, clock),
    past: fleet && pastReadings(fleet, clock),
  };
}
