/** A process that measures one day of a fleet for `types.ts`. */
import { functionName, typeGroupName } from '@drover/core/names/runner-fleet';
import { DeployedFleet } from '@drover/stage/fleet';
import { sameChance } from './same-chance.ts';
import { untilWindowEnds } from './window-ends.ts';

const minute = 60_000;
const hour = 60 * minute;

export interface PlannedJob {
  /** Undefined: of the default type. */
  readonly type?: string | undefined;
  readonly at: number;
  readonly durationMs: number;
}

/** Trouble of three types: one whose session another program holds for an hour, one without capacity for two, one that is removed. */
export interface Troubles {
  readonly held: string;
  readonly empty: string;
  readonly removed: string;
  /** Without the type that is removed. */
  readonly assembly: string;
}

export interface DayToMeasure {
  readonly assembly: string;
  readonly types: readonly string[];
  /** The type whose chance the default one has. */
  readonly standsFor?: string | undefined;
  readonly jobs: readonly PlannedJob[];
  readonly hours: number;
  readonly troubles?: Troubles | undefined;
}

export interface MeasuredDay {
  /** In order of the plan; undefined: the job has not begun. */
  readonly waitsMs: readonly (number | undefined)[];
  /** Counted requests to GitHub in each hour. */
  readonly requests: readonly number[];
  /** Functions that watch the demand. */
  readonly demandFunctions: number;
}

const groupName = 'runners';

process.once('message', async (day: DayToMeasure) => {
  const fleet = new DeployedFleet({ assembly: day.assembly, groupName, types: day.types, transport: 'direct' });
  let beganAt = 0;
  sameChance(fleet, {
    typeOf: (group) => (group === groupName ? (day.standsFor ?? 'default') : group.slice(groupName.length + 1)),
    hourOf: (at) => Math.floor((at - beganAt) / hour),
  });
  await fleet.deploy();
  // The day begins where a window of the demand ends, however long the deployment took.
  await fleet.drive(fleet.clock.sleep(5 * minute), hour);
  await untilWindowEnds(fleet);
  beganAt = fleet.clock.now();
  const { queue } = fleet.codeHost.registry;
  const waitsMs: (number | undefined)[] = day.jobs.map(() => undefined);
  const indexOf = new Map<number, number>();
  queue.onEnded(({ id, startedAt, queuedAt }) => {
    const index = indexOf.get(id);
    if (index !== undefined && startedAt !== undefined) waitsMs[index] = startedAt - queuedAt;
  });
  for (const [index, { type, at, durationMs }] of day.jobs.entries())
    fleet.clock.after(at, () => {
      const runsOn = [type === undefined ? groupName : typeGroupName(groupName, type)];
      indexOf.set(queue.enqueue({ durationMs, runsOn }).id, index);
    });
  const requests: number[] = [];
  for (let passed = 0; passed < day.hours; passed++) {
    const before = { counted: fleet.codeHost.countedRequests, at: fleet.clock.now() };
    if (day.troubles !== undefined) await begin(fleet, day.troubles, passed / day.hours);
    await fleet.drive(fleet.clock.sleep(hour), 2 * hour);
    // A deployment makes an hour longer.
    const elapsedHours = (fleet.clock.now() - before.at) / hour;
    requests.push((fleet.codeHost.countedRequests - before.counted) / elapsedHours);
  }
  const demand = [groupName, ...day.types.map((type) => typeGroupName(groupName, type))].map((name) =>
    functionName(name, 'demand'),
  );
  const functions = fleet.world.observe.functionNames();
  const demandFunctions = demand.filter((name) => functions.includes(name)).length;
  process.send!({ waitsMs, requests, demandFunctions } satisfies MeasuredDay);
  process.disconnect();
});

/** `at`: the share of the day that is over. */
async function begin(fleet: DeployedFleet, troubles: Troubles, at: number): Promise<void> {
  const { scaleSets } = fleet.codeHost;
  const now = fleet.clock.now();
  if (at === 1 / 6) {
    const set = scaleSets.named(typeGroupName(groupName, troubles.held))!;
    scaleSets.evict(set);
    scaleSets.openSession(set, 'somebody');
    fleet.clock.after(hour, () => scaleSets.evict(set));
  }
  if (at === 1 / 3)
    fleet.world.engine.faults.add({
      service: 'autoscaling',
      operation: 'Launch',
      subject: `${typeGroupName(groupName, troubles.empty)} `,
      fromMs: now,
      untilMs: now + 2 * hour,
      effect: { kind: 'error' },
    });
  if (at === 1 / 2) await fleet.update(troubles.assembly);
}
