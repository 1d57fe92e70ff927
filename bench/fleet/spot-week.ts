/** A process that measures one week of a fleet for `spot.ts`. */
import type { Job } from '@drover/cloud-github';
import { fallbackGroupName } from '@drover/core/names/runner-fleet';
import { DeployedFleet } from '@drover/stage/fleet';
import { sameChance } from './same-chance.ts';
import { untilWindowEnds } from './window-ends.ts';

const minute = 60_000;
const hour = 60 * minute;
/** A run that was interrupted at the end of the week is run again by then. */
const tailHours = 6;

/** A run of a workflow: what its jobs take. */
export interface PlannedRun {
  readonly at: number;
  readonly jobsMs: readonly number[];
}

/** The troubles of spot instances in EC2. */
export interface SpotTrouble {
  readonly reclaimsPerDay: number;
  /** All that run then are taken back at once. */
  readonly stormsAt: readonly number[];
  /** Hours without capacity. */
  readonly emptyFrom: readonly { readonly at: number; readonly hours: number }[];
}

export interface WeekToMeasure {
  readonly assembly: string;
  readonly runs: readonly PlannedRun[];
  readonly hours: number;
  readonly trouble?: SpotTrouble | undefined;
}

export interface MeasuredWeek {
  /** Of each job's first attempt, in order of the plan; undefined: it has not begun. */
  readonly waitsMs: readonly (number | undefined)[];
  /** At how many moments, while each of these jobs waited, EC2 took back hosts without a job. */
  readonly lostLaunches: readonly number[];
  /** Of each second attempt. */
  readonly secondWaitsMs: readonly (number | undefined)[];
  /** First attempts that were lost with their instance. */
  readonly interrupted: number;
  /** Of these, those without a second attempt. */
  readonly notRunAgain: number;
  /** Attempts of jobs that were not interrupted, and third ones. */
  readonly runTwiceOtherwise: number;
  /** Second attempts that were lost. */
  readonly lostTwice: number;
  /** The longest time from a launch to the begin of a job that had waited for it. */
  readonly longestLaunchMs: number;
  readonly spotLaunches: number;
  readonly onDemandLaunches: number;
  readonly platformRequests: number;
}

const groupName = 'runners';

process.once('message', async (week: WeekToMeasure) => {
  const fleet = new DeployedFleet({ assembly: week.assembly, groupName, transport: 'direct' });
  const { clock, codeHost, world } = fleet;
  let beganAt = 0;
  // Whichever of the two groups launches.
  sameChance(fleet, { typeOf: () => '', hourOf: (at) => Math.floor((at - beganAt) / hour) });
  await fleet.deploy();
  await fleet.drive(clock.sleep(5 * minute), hour);
  await untilWindowEnds(fleet);
  beganAt = clock.now();
  const requestsBefore = codeHost.countedRequests;
  const launches = watchLaunches(fleet);
  const runs: ReturnType<typeof codeHost.runs.start>[] = [];
  for (const [index, { at, jobsMs }] of week.runs.entries())
    clock.after(at, () => {
      const jobs = jobsMs.map((durationMs, job) => ({
        name: `job-${job}`,
        labels: [groupName],
        script: '',
        uses: undefined,
        durationMs,
      }));
      runs[index] = codeHost.runs.start(`${codeHost.org}/app`, 'ci.yml', { name: 'ci', title: 'ci', jobs });
    });
  if (week.trouble !== undefined) begin(fleet, week.trouble, week.hours);
  await fleet.drive(clock.sleep(week.hours * hour), 2 * week.hours * hour);
  world.engine.faults.clear();
  await fleet.drive(clock.sleep(tailHours * hour), 2 * tailHours * hour);

  const all = runs.flatMap(({ jobs }) => jobs);
  const waitOf = ({ job: { startedAt, queuedAt } }: (typeof all)[number]) =>
    startedAt === undefined ? undefined : startedAt - queuedAt;
  const attemptsOf = runs.flatMap(({ jobs }) =>
    [...new Set(jobs.map(({ definition }) => definition))].map((definition) =>
      jobs.filter((one) => one.definition === definition),
    ),
  );
  const lost = (index: number) => attemptsOf.filter((attempts) => attempts[index]?.job.state === 'lost');
  const extra = attemptsOf.map((attempts) => attempts.length - (attempts[0]!.job.state === 'lost' ? 2 : 1));
  const servedAt = new Map(all.map(({ job }) => [job.runnerName, job.startedAt ?? Number.POSITIVE_INFINITY]));
  process.send!({
    waitsMs: attemptsOf.map(([first]) => waitOf(first!)),
    lostLaunches: attemptsOf.map(([first]) => launches.lostIn(first!.job, servedAt)),
    secondWaitsMs: attemptsOf.flatMap(([, second]) => (second === undefined ? [] : [waitOf(second)])),
    interrupted: lost(0).length,
    notRunAgain: lost(0).filter((attempts) => attempts.length === 1).length,
    runTwiceOtherwise: extra.reduce((sum, count) => sum + Math.max(0, count), 0),
    lostTwice: lost(1).length,
    ...launches.counts,
    longestLaunchMs: Math.max(0, ...all.map(({ job }) => launches.launchMs(job) ?? 0)),
    platformRequests: codeHost.countedRequests - requestsBefore,
  } satisfies MeasuredWeek);
  process.disconnect();
});

function watchLaunches({ world }: DeployedFleet) {
  const launchedAt = new Map<string, number>();
  const notices: { readonly id: string; readonly at: number }[] = [];
  const counts = { spotLaunches: 0, onDemandLaunches: 0 };
  world.observe.onSpotNotice(({ id }) => notices.push({ id, at: world.engine.clock.now() }));
  world.observe.onInstanceState(({ id, state, tags }) => {
    if (state !== 'running' || launchedAt.has(id)) return;
    launchedAt.set(id, world.engine.clock.now());
    const isFallback = tags['aws:autoscaling:groupName'] === fallbackGroupName(groupName);
    counts[isFallback ? 'onDemandLaunches' : 'spotLaunches'] += 1;
  });
  return {
    counts,
    /** Moments of its wait; those taken back at once are one. `servedAt`: when each instance got a job. */
    lostIn({ queuedAt, startedAt = Number.POSITIVE_INFINITY }: Job, servedAt: ReadonlyMap<string | undefined, number>) {
      const lost = notices.filter(
        ({ id, at }) => at >= queuedAt && at < startedAt && at < (servedAt.get(id) ?? Number.POSITIVE_INFINITY),
      );
      return new Set(lost.map(({ at }) => at)).size;
    },
    /** Undefined for a job that has not waited for its instance's launch. */
    launchMs({ runnerName = '', queuedAt, startedAt }: Job): number | undefined {
      const at = launchedAt.get(runnerName);
      return at === undefined || startedAt === undefined || at < queuedAt ? undefined : startedAt - at;
    },
  };
}

function begin(fleet: DeployedFleet, { reclaimsPerDay, stormsAt, emptyFrom }: SpotTrouble, hours: number): void {
  const { clock, world } = fleet;
  const { faults } = world.engine;
  const now = clock.now();
  // The cloud asks about each running spot instance once a minute.
  const chance = reclaimsPerDay / 1440;
  faults.add({
    service: 'machine',
    operation: 'run',
    chance,
    untilMs: now + hours * hour,
    effect: { kind: 'spot-reclaim' },
  });
  for (const at of stormsAt)
    clock.after(at, () => {
      for (const id of world.observe.group(groupName)?.members.keys() ?? [])
        if (world.machines.get(id)?.instance.spot === true) world.operate.reclaimSpot(id);
    });
  for (const { at, hours: long } of emptyFrom)
    faults.add({
      service: 'autoscaling',
      operation: 'Launch',
      // The subject of a launch begins with the group's name: that of the fallback goes on.
      subject: `${groupName} `,
      fromMs: now + at,
      untilMs: now + at + long * hour,
      effect: { kind: 'error' },
    });
}
