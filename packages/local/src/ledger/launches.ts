import type { Beginner } from './who-began.ts';

/** A launch into the group, and what became of it. */
export interface Launch {
  readonly instanceId: string;
  readonly at: number;
  /** When it came into service. */
  readonly servedAt?: number | undefined;
  /** When its termination began, and by whom. */
  readonly endedAt?: number | undefined;
  readonly begunBy?: Beginner | undefined;
  /** A fault struck it: its machine, a call of its agent, the platform while it booted. */
  readonly struck: boolean;
}

const minute = 60_000;
/** This many launches for one cause without a success are no accident. */
const mostInARow = 3;
/** Grace for launches that had been decided when the third failed. */
const decidedMs = 2 * minute;
/** With the brake on an instance that fails keeps its place for half an hour. */
const brakedMs = 30 * minute;
/** By then the alarm of three failures is on. */
const alarmMs = 15 * minute;
/** Failures longer ago are another story. */
const forgottenMs = 60 * minute;

/** Of the launches since the last success those that we ended before they served, oldest first. Pure. */
function failuresInARow(launches: readonly Launch[]): readonly (Launch & { readonly endedAt: number })[] {
  const lastServed = Math.max(Number.NEGATIVE_INFINITY, ...launches.flatMap(({ servedAt }) => servedAt ?? []));
  return launches
    .filter((launch): launch is Launch & { endedAt: number } => launch.endedAt !== undefined)
    .filter(({ servedAt, endedAt, begunBy, struck }) => {
      return servedAt === undefined && endedAt > lastServed && begunBy === 'us' && !struck;
    })
    .toSorted((a, b) => a.endedAt - b.endedAt);
}

/** Violations by launches that fail one after the other: without a brake, or without an alarm. Pure. */
export function accountLoops(
  launches: readonly Launch[],
  { desired, alarmOn, now }: { readonly desired: number; readonly alarmOn: boolean; readonly now: number },
): string | undefined {
  const failed = failuresInARow(launches);
  const third = failed[mostInARow - 1];
  const last = failed.at(-1);
  if (third === undefined || last === undefined || now - last.endedAt > forgottenMs) return undefined;
  if (now - third.endedAt > alarmMs && !alarmOn) return `${failed.length} launches in a row failed, and no alarm is on`;
  const from = Math.max(third.endedAt + decidedMs, now - brakedMs);
  const more = launches.filter(({ at }) => at > from).length;
  if (more <= Math.max(1, desired)) return undefined;
  return `${failed.length} launches in a row failed, and ${more} more were made within ${brakedMs / minute} minutes for ${desired} instances`;
}

/** Facts while the platform is away. */
interface AwayFacts {
  readonly mode: 'jobs' | 'idle';
  readonly since: number;
  /** Into the group, from the warm pool too. */
  readonly launches: readonly Launch[];
  /** Instances that left since then for which AWS or a person wants another, and those that were missing when it began. */
  readonly owed: number;
  /** Instances that are there or come. */
  readonly serving: number;
  /** Instances that the fleet keeps in any case: its minimum, its idle target. */
  readonly floor: number;
}

/** News from before the outage is still acted on: at once by the windows of the demand, later by metric and alarm. */
const newsMs = { jobs: minute, idle: 3 * minute };

/** Number of useless launches since the platform is away. Pure. */
export function launchesWhileAway({ mode, since, launches, owed, serving, floor }: AwayFacts): number {
  const made = launches.filter(({ at }) => at > since + newsMs[mode]).length;
  return Math.max(0, Math.min(made - owed, serving - floor));
}
