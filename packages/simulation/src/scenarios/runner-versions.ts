import { type Random, SeededRandom } from '@drover/core';
import { DeployedFleet } from '@drover/stage/fleet';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** The fleet whose runner software is kept current. */
export const versionsInputs = {
  groupName: 'runners',
  asgMinSize: 3,
  asgMaxSize: 12,
  idleRunnersTargetCount: 2,
  warmPoolMaxSize: 0,
  /** Jobs of this scenario take up to 90 minutes: with the default of 15, a drain ends the long ones. */
  allowedDrainTime: 7_200,
};
const target = versionsInputs.idleRunnersTargetCount;

/** GitHub calls every version deprecated, from an hour of the run on. */
interface Incident {
  readonly atHour: number;
  readonly hours: number;
}

export interface VersionsOptions {
  readonly seed: number;
  readonly assembly: string;
  readonly days: number;
  /** Hours from one release to the next; undefined: there are none. */
  readonly releaseEveryHours?: number | undefined;
  readonly jobsPerDay?: number;
  readonly incident?: Incident;
}

export interface VersionsResult {
  readonly completed: number;
  /** Jobs that were lost outside of the incident. */
  readonly lost: number;
  /** The longest time in which fewer runners were ready for a job than the target says, outside of the incident. */
  readonly longestUnmetMs: number;
  /** Registered runners by version at the end. */
  readonly versions: Readonly<Record<string, number>>;
  readonly released: number;
  /** Listeners that were stopped because their version had come to its end. */
  readonly retired: number;
  readonly launches: number;
  readonly incident: IncidentResult | undefined;
}

interface IncidentResult {
  /** Minutes from the end of the incident until every runner in service was online. */
  readonly backAfterMinutes: number;
  readonly sizes: { readonly before: number; readonly after: number };
}

/** Days of a fleet with jobs and releases of the runner software, GitHub's 30-day rule enforced. */
export async function simulateVersions(options: VersionsOptions): Promise<VersionsResult> {
  const fleet = new DeployedFleet({ ...options, groupName: versionsInputs.groupName, transport: 'direct' });
  const { registry } = fleet.codeHost;
  let [launches, retired] = [0, 0];
  fleet.world.engine.journal.subscribe(({ source, name }) => {
    if (source === 'platform.runner' && name === 'registered') launches += 1;
  });
  await fleet.deploy();
  await fleet.until('every runner is online', () => online(fleet) >= versionsInputs.asgMinSize, hour);
  scheduleJobs(fleet, new SeededRandom(options.seed).fork('jobs'), options);
  const released = scheduleReleases(fleet, options);
  const unmet = new Unmet(fleet);
  const start = fleet.clock.now();
  const { incident } = options;
  let incidentResult: IncidentResult | undefined;
  let lostInIncident = 0;
  if (incident !== undefined) {
    await watch(fleet, unmet, start + incident.atHour * hour);
    const before = registry.queue.counts.lost;
    incidentResult = await playIncident(fleet, incident.hours * hour);
    lostInIncident = registry.queue.counts.lost - before;
    unmet.forget();
  }
  await watch(fleet, unmet, start + options.days * day);
  for (const { version } of registry.runners)
    if (version !== undefined && registry.releases.isRetired(version)) retired += 1;
  const { completed, lost } = registry.queue.counts;
  return {
    completed,
    lost: lost - lostInIncident,
    longestUnmetMs: unmet.longestMs,
    versions: countBy(registry.runners.map(({ version }) => version ?? 'unknown')),
    released,
    retired,
    launches,
    incident: incidentResult,
  };
}

const online = ({ codeHost }: DeployedFleet) =>
  codeHost.registry.runners.filter(({ session }) => session !== undefined).length;

const size = ({ world, groupName }: DeployedFleet) => world.observe.group(groupName)?.desiredCapacity ?? 0;

/** By day jobs come and go; the incident falls into a night, in which none do. */
function scheduleJobs({ clock, codeHost }: DeployedFleet, random: Random, { days, jobsPerDay = 60 }: VersionsOptions) {
  for (let index = 0; index < Math.round(days * jobsPerDay); index++) {
    const at = Math.floor(random.next() * Math.ceil(days)) * day + random.int(0, 12 * hour);
    const durationMs = random.chance(0.1) ? random.int(30, 90) * minute : random.int(2, 20) * minute;
    clock.after(at, () => codeHost.registry.queue.enqueue({ durationMs }));
  }
}

function scheduleReleases({ clock, codeHost }: DeployedFleet, { days, releaseEveryHours }: VersionsOptions): number {
  const count = releaseEveryHours === undefined ? 0 : Math.floor((days * 24) / releaseEveryHours);
  for (let number = 1; number <= count; number++)
    clock.after((number - 0.9) * releaseEveryHours! * hour, () =>
      codeHost.registry.releases.publish(`2.${400 + number}.0`),
    );
  return count;
}

/** How long fewer runners than the target were ready for a job. */
class Unmet {
  longestMs = 0;
  readonly #fleet: DeployedFleet;
  #since: number | undefined;

  constructor(fleet: DeployedFleet) {
    this.#fleet = fleet;
  }

  look(): void {
    const now = this.#fleet.clock.now();
    const ready = this.#fleet.codeHost.registry.runners.filter(
      ({ session, job, labels }) => session !== undefined && job === undefined && labels.includes('self-hosted'),
    );
    this.#since = ready.length >= target ? undefined : (this.#since ?? now);
    if (this.#since !== undefined) this.longestMs = Math.max(this.longestMs, now - this.#since);
  }

  forget(): void {
    this.#since = undefined;
  }
}

async function watch(fleet: DeployedFleet, unmet: Unmet, until: number): Promise<void> {
  while (fleet.clock.now() < until) {
    await fleet.drive(fleet.clock.sleep(2 * minute), 5 * minute);
    unmet.look();
  }
}

async function playIncident(fleet: DeployedFleet, forMs: number): Promise<IncidentResult> {
  const before = size(fleet);
  fleet.codeHost.registry.callAllDeprecated(forMs);
  await fleet.drive(fleet.clock.sleep(forMs), forMs + hour);
  const overAt = fleet.clock.now();
  const inService = () =>
    [...(fleet.world.observe.group(fleet.groupName)?.members.values() ?? [])].filter(
      ({ state }) => state === 'InService',
    );
  const isOnline = (id: string) => fleet.codeHost.registry.index.named(id)?.session !== undefined;
  const back = () => inService().every(({ instanceId }) => isOnline(instanceId));
  await fleet.until('every runner is back', back, 2 * hour);
  return { backAfterMinutes: (fleet.clock.now() - overAt) / minute, sizes: { before, after: size(fleet) } };
}

function countBy(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

/** Judges a run against the same seed without releases. */
export function judgeVersions(run: VersionsResult, without: VersionsResult): readonly string[] {
  const longer = (run.longestUnmetMs - without.longestUnmetMs) / minute;
  const { incident } = run;
  return [
    ...(run.lost > 0 ? [`${run.lost} jobs were lost`] : []),
    ...(run.retired > 0 ? [`${run.retired} runners have a version that gets no jobs`] : []),
    ...(longer > 15 ? [`the idle target was unmet for ${longer} minutes longer than without releases`] : []),
    ...(incident !== undefined && incident.backAfterMinutes > 15
      ? [`runners came back ${incident.backAfterMinutes} minutes after the incident`]
      : []),
    ...(incident !== undefined && Math.abs(incident.sizes.after - incident.sizes.before) > target
      ? [`the group had ${incident.sizes.before} instances before the incident and ${incident.sizes.after} after it`]
      : []),
  ];
}
