import { labels } from '@drover/core/names/runner-fleet';
import { allRunners, type FleetInstance, type Runner } from '@drover/runner-fleet';
import type { DroverIo } from '../io.ts';
import { type Format, json, recordTable } from '../render/table.ts';
import { type OpenFleet, openFleet } from './open-fleet.ts';

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
  // A scale set has no list of its runners; each has the name of its instance.
  if (ports.jobsMode) return matchMembers((await ports.group.read()).instances, []);
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

/** `drover fleet runners`: every runner with its instance, and every instance without a runner. */
export async function fleetRunners(io: DroverIo, options: { stack: string; format: Format }): Promise<number> {
  const members = await readMembers(await openFleet(io, options));
  const rows = members.map(({ instance, runner }) => ({
    id: runner?.id ?? null,
    name: runner?.name ?? null,
    status: runner?.status ?? null,
    busy: runner?.busy ?? null,
    instance: instance?.id ?? (runner === undefined ? null : (instanceOf(runner) ?? null)),
    lifecycleState: instance?.lifecycleState ?? null,
  }));
  io.stdout(
    options.format === 'json'
      ? json(rows)
      : recordTable(rows, 'id', 'name', 'status', 'busy', 'instance', 'lifecycle state'),
  );
  return 0;
}
