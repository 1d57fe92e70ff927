import type { ActivityReadings } from '../gather/activities.ts';
import type { AlarmReadings } from '../gather/alarms.ts';
import type { FunctionReadings } from '../gather/function-runs.ts';
import type { GroupReadings } from '../gather/groups.ts';
import type { JobReadings } from '../gather/jobs.ts';
import type { PlatformReadings } from '../gather/platform.ts';
import type { SearchSource } from '../gather/search.ts';
import type { Watched } from '../stacks.ts';

/** All that has been read of an account. */
export interface AccountFacts {
  readonly watched: Watched;
  readonly groups: GroupReadings;
  readonly activities: ActivityReadings;
  readonly alarms: AlarmReadings;
  readonly functions: FunctionReadings;
  readonly jobs: JobReadings | undefined;
  readonly platform: PlatformReadings | undefined;
  readonly search: SearchSource | undefined;
}
