import { labels } from '@drover/core/names/runner-fleet';
import { allRunners, type FleetInstance, type JobsMemory, type Runner } from '@drover/runner-fleet';
import { type DroverIo, serviceNow } from '../io.ts';
import { duration, type Format, json, recordTable } from '../render/table.ts';
import { type OpenFleet, openFleet } from './open-fleet.ts';

/** An instance and its runner, as far as each exists. */
export interface FleetMember {
  readonly instance: FleetInstance | undefined;
  readonly runner: Runner | undefined;
  /** Jobs mode: what the last window of the demand knew of it. */
  readonly host?: NonNullable<JobsMemory['hosts']>[string] | undefined;
}

export const isBusy = ({ runner, host }: FleetMember): boolean => runner?.busy === true || host?.is === 'busy';

/** Every runner of the fleet and every instance, matched by the runner's label. */
export async function readMembers({
  ports,
  groupName,
}: Pick<OpenFleet, 'ports' | 'groupName'>): Promise<FleetMember[]> {
  if (ports.jobsMode) {
    // A scale set has no list of its runners; each has the name of its instance.
    const [{ instances }, { jobs }] = await Promise.all([ports.group.read(), ports.memory.read()]);
    return instances.map((instance) => ({ instance, runner: undefined, host: jobs?.hosts?.[instance.id] }));
  }
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
export async function fleetRunners(
  io: DroverIo,
  options: { stack: string; type?: string; format: Format },
): Promise<number> {
  const fleet = await openFleet(io, options);
  const [rows, columns] = fleet.ports.jobsMode
    ? [await hostRows(fleet, serviceNow(io)), ['name', 'state', 'for', 'repository', 'job', 'lifecycle state']]
    : [runnerRows(await readMembers(fleet)), ['id', 'name', 'status', 'busy', 'instance', 'lifecycle state']];
  io.stdout(options.format === 'json' ? json(rows) : recordTable(rows, ...columns));
  return 0;
}

const runnerRows = (members: readonly FleetMember[]) =>
  members.map(({ instance, runner }) => ({
    id: runner?.id ?? null,
    name: runner?.name ?? null,
    status: runner?.status ?? null,
    busy: runner?.busy ?? null,
    instance: instance?.id ?? (runner === undefined ? null : (instanceOf(runner) ?? null)),
    lifecycleState: instance?.lifecycleState ?? null,
  }));

/** Jobs mode: what each host does, for how long, and its job. */
async function hostRows({ ports }: OpenFleet, now: number) {
  const [{ instances }, { jobs: { hosts = {}, jobs = {} } = {} }] = await Promise.all([
    ports.group.read(),
    ports.memory.read(),
  ]);
  const states = new Map(instances.map(({ id, lifecycleState }) => [id, lifecycleState]));
  const running = new Map(
    Object.values(jobs).flatMap((job) => (job.completedAt === undefined ? [[job.runnerName, job] as const] : [])),
  );
  return [...new Set([...states.keys(), ...Object.keys(hosts)])].map((name) => {
    const [host, job] = [hosts[name], running.get(name)];
    return {
      name,
      state: host?.is ?? null,
      for: host === undefined ? null : duration(now - host.since),
      repository: job?.repository ?? null,
      job: job?.name ?? null,
      lifecycleState: states.get(name) ?? null,
    };
  });
}
