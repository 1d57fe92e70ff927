import { labels } from '@drover/core/names/runner-fleet';
import type { FleetInstance, Runner } from '@drover/runner-fleet';
import { allRunners } from '@drover/runner-fleet';
import type { OpenFleet } from './open-fleet.ts';

/** An instance and its runner, as far as each exists. */
export interface FleetMember {
  readonly instance: FleetInstance | undefined;
  readonly runner: Runner | undefined;
}

/** Every runner of the fleet and every instance, matched by the runner's label. */
export async function readMembers({
  ports,
  groupName,
}: Pick<OpenFleet, 'ports' | 'groupName'>): Promise<FleetMember[]> {
  const [group, listed] = await Promise.all([ports.group.read(), ports.runners.list()]);
  const ours = allRunners(listed).filter((runner) => runner.labels.includes(labels.installation(groupName)));
  return matchMembers(group.instances, ours);
}

export function matchMembers(instances: readonly FleetInstance[], runners: readonly Runner[]): FleetMember[] {
  const byInstance = new Map(runners.map((runner) => [instanceOf(runner), runner]));
  const known = new Set(instances.map(({ id }) => id));
  return [
    ...instances.map((instance) => ({ instance, runner: byInstance.get(instance.id) })),
    ...runners
      .filter((runner) => !known.has(instanceOf(runner) ?? ''))
      .map((runner) => ({ instance: undefined, runner })),
  ];
}

/** The instance that a runner's label names. */
export const instanceOf = ({ labels: all }: Pick<Runner, 'labels'>): string | undefined =>
  all.find((label) => label.startsWith(labels.instancePrefix))?.slice(labels.instancePrefix.length);
