import { isOlderVersion, labels } from '@drover/core/names/runner-fleet';
import type { FleetInstance, GroupFacts, Runner } from '../model/fleet.ts';
import type { FleetRelease } from '../model/release.ts';

/** What the sweep knows of the runners' versions. */
export interface RolloutFacts {
  readonly group: GroupFacts;
  readonly release: FleetRelease | undefined;
  /** The fleet's runners by instance. */
  readonly runners: ReadonlyMap<string, Runner>;
  /** The version that an instance's host reported, for platforms that do not tell it. */
  reportedVersion(instanceId: string): string | undefined;
}

/** One step of replacing an instance whose runner software is old. */
export interface RolloutStep {
  readonly instance: FleetInstance;
  readonly runner: Runner;
  /** `take-labels`: it gets no further job. `replace`: it has none and can get none. */
  readonly step: 'take-labels' | 'replace';
}

/** Of a fleet so many leave at a time: one in twenty, and at least one. A sweep later the next ones can follow. */
const share = 20;
/** From then on busy runners lose their labels too: they finish their jobs and take no other. */
const hurryMs = 10 * 24 * 3_600_000;

/** A runner without any label but its fleet's own gets no job: it leaves. */
export const isRetiring = (runner: Runner): boolean => runner.labels.every(labels.isOwn);

/**
 * Which instances take the next step on the way to the newest release. No new ones begin while any are on their way, or the
 * group launches or terminates: so idle runners that are missing are replaced before others go. Pure.
 */
export function decideRollout(facts: RolloutFacts, now: number): readonly RolloutStep[] {
  const inService = facts.group.instances.flatMap((instance) => {
    const runner = facts.runners.get(instance.id);
    return instance.lifecycleState === 'InService' && instance.healthy && runner !== undefined
      ? [{ instance, runner }]
      : [];
  });
  const leaving = inService.filter(({ runner }) => isRetiring(runner));
  if (leaving.length > 0) return leaving.map((each) => ({ ...each, step: 'replace' }));
  const settled = facts.group.instances.every(({ lifecycleState }) => !/^(Pending|Terminating)/.test(lifecycleState));
  const { release } = facts;
  if (release === undefined || !settled) return [];
  const versionOf = (runner: Runner, id: string) => runner.version ?? facts.reportedVersion(id) ?? release.version;
  const hurry = (version: string) => (release.ends[version] ?? Number.POSITIVE_INFINITY) - now < hurryMs;
  const outdated = inService.filter(({ runner, instance }) => {
    const version = versionOf(runner, instance.id);
    return isOlderVersion(version, release.version) && runner.status === 'online' && (!runner.busy || hurry(version));
  });
  const idleFirst = outdated.toSorted((a, b) => Number(a.runner.busy) - Number(b.runner.busy));
  return idleFirst.slice(0, Math.ceil(inService.length / share)).map((each) => ({ ...each, step: 'take-labels' }));
}
