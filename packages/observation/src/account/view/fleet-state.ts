import { defaultType, tags } from '@drover/core/names/runner-fleet';
import { instanceOf } from '@drover/operator/fleet/members';
import type { OpenFleet } from '@drover/operator/fleet/open-fleet';
import { allRunners, idleTarget, type JobsMemory } from '@drover/runner-fleet';
import type { FleetState, InstanceState, JobState, TypeState } from '../../api.ts';
import { shownJobs } from '../../shown-jobs.ts';
import { lossText } from '../../story/losses.ts';
import { typeSums } from '../../type-sums.ts';
import type { GroupActivity } from '../gather/activities.ts';
import type { KnownJob } from '../gather/jobs.ts';
import type { AccountFacts } from './facts.ts';

type Fleet = Omit<FleetState, 'history'>;

/** Shown instead of a fleet when none was named. */
export const noFleet: Fleet = {
  groupName: '',
  minSize: 0,
  maxSize: 0,
  desiredCapacity: 0,
  instances: [],
  queuedJobs: undefined,
  completedJobs: 0,
  lostJobs: 0,
  jobs: [],
  idleTarget: 0,
  demand: undefined,
  allowedDrainSeconds: 0,
  refresh: undefined,
};

/** The page's view of a fleet, from AWS, its agents' logs and the platform. */
export function fleetState(facts: AccountFacts, fleet: OpenFleet, now: number): Fleet {
  const { groupName, config, scaling } = fleet;
  const { groups, platform } = facts;
  const group = groups.group(groupName);
  const jobs = jobStates(facts, fleet, now);
  const instances = instanceStates(facts, fleet, jobs);
  const target = idleTarget(scaling.idleTarget, scaling.idleTargetSchedules, now);
  const types = fleet.types.length === 0 ? undefined : typeStates(facts, fleet, target);
  const sums = types && typeSums(types);
  const demand = sums?.demand ?? (config.scalingMode === 'jobs' ? demandOf(platform?.jobs()) : undefined);
  return {
    groupName,
    minSize: group?.MinSize ?? 0,
    maxSize: group?.MaxSize ?? 0,
    desiredCapacity: group?.DesiredCapacity ?? 0,
    instances,
    queuedJobs: demand?.waiting,
    completedJobs: jobs.filter(({ state }) => state === 'completed').length,
    lostJobs: jobs.filter(({ state }) => state === 'lost').length,
    jobs: shownJobs(jobs),
    idleTarget: target,
    demand,
    allowedDrainSeconds: config.allowedDrainTimeMs / 1_000,
    refresh: groups.refresh(groupName),
    ...(types === undefined ? {} : { types, ...sums }),
  };
}

/** Each type by its group, whose tags have its idle target, and by what the windows remember of its jobs. */
const typeStates = ({ groups, platform }: AccountFacts, fleet: OpenFleet, idleTarget: number): TypeState[] =>
  fleet.groups.map(({ type: name, groupName }) => {
    const group = groups.group(groupName);
    const tagged = group?.Tags?.find(({ Key }) => Key === tags.idleTarget)?.Value;
    return {
      name,
      groupName,
      minSize: group?.MinSize ?? 0,
      maxSize: group?.MaxSize ?? 0,
      desiredCapacity: group?.DesiredCapacity ?? 0,
      idleTarget: name === defaultType ? idleTarget : Number(tagged ?? 0),
      demand: demandOf(platform?.jobsOf(name)),
    };
  });

/** Notes of the windows about the hosts and jobs of all types. */
function notesOf({ platform }: AccountFacts, { groups }: OpenFleet): Pick<JobsMemory, 'hosts' | 'jobs'> {
  const memories = groups.map(({ type }) => platform?.jobsOf(type));
  const hosts = memories.flatMap((memory) => (memory?.hosts === undefined ? [] : [memory.hosts]));
  return {
    jobs: Object.assign({}, ...memories.map((memory) => memory?.jobs)),
    ...(hosts.length === 0 ? {} : { hosts: Object.assign({}, ...hosts) }),
  };
}

function demandOf(memory: JobsMemory | undefined): TypeState['demand'] {
  const { assigned = 0, running = 0 } = memory?.statistics ?? {};
  return { assigned, waiting: Math.max(0, assigned - running) };
}

function instanceStates(facts: AccountFacts, fleet: OpenFleet, jobs: readonly JobState[]): InstanceState[] {
  const running = new Map(jobs.filter(({ state }) => state === 'running').map((job) => [job.instance, job.id]));
  const runnerOf = runnerStates(facts, fleet, new Set(running.keys()));
  const since = sinceOf(facts.activities.all());
  const members = fleet.groups.flatMap(({ type, groupName }) =>
    facts.groups.instances(groupName).map((member) => ({ ...member, type })),
  );
  return members.map((member) => {
    const id = member.InstanceId ?? '';
    const lifecycleState = member.LifecycleState ?? '';
    return {
      id,
      zone: member.AvailabilityZone ?? '',
      ...(fleet.types.length === 0 ? {} : { type: member.type }),
      lifecycleState,
      warmPool: lifecycleState.startsWith('Warmed:'),
      spot: facts.groups.machine(id)?.spot ?? false,
      protected: member.ProtectedFromScaleIn === true,
      healthy: member.HealthStatus !== 'Unhealthy',
      runner: runnerOf(id),
      since: since.get(id),
      job: running.get(id),
      // No API shows until when a hook waits.
      hooks: [],
    };
  });
}

/** The platform's `busy` lags by up to a minute and may be wrong for minutes: an event of the agent says more. */
function runnerStates(
  facts: AccountFacts,
  fleet: OpenFleet,
  running: ReadonlySet<string | undefined>,
): (instanceId: string) => InstanceState['runner'] {
  const { hosts } = notesOf(facts, fleet);
  if (hosts !== undefined)
    return (id) => {
      const is = running.has(id) ? 'busy' : hosts[id]?.is;
      return is === 'busy' || is === 'idle'
        ? is
        : is === undefined || is === 'booting' || is === 'starting'
          ? 'none'
          : 'offline';
    };
  const list = facts.platform?.runners();
  const runners = new Map((list === undefined ? [] : allRunners(list)).map((runner) => [instanceOf(runner), runner]));
  return (id) => {
    const runner = runners.get(id);
    if (runner === undefined) return 'none';
    if (runner.status === 'offline') return 'offline';
    return runner.busy || running.has(id) ? 'busy' : 'idle';
  };
}

/** Since when an instance is where it is, by its newest activity: a launch that has ended brought it into service. */
function sinceOf(activities: readonly GroupActivity[]): ReadonlyMap<string, number> {
  const since = new Map<string, number>();
  for (const { instance, kind, startedAt, endedAt } of activities)
    if (instance !== undefined) since.set(instance, kind === 'termination' ? startedAt : (endedAt ?? startedAt));
  return since;
}

/** An agent sends the end of its job before its instance goes: if nothing has come in this time, nothing will. */
const saidNothingMs = 120_000;

function jobStates(facts: AccountFacts, fleet: OpenFleet, now: number): JobState[] {
  const noted = Object.values(notesOf(facts, fleet).jobs ?? {});
  const notes = new Map(noted.map((note) => [note.runnerName, note]));
  const goneAt = goneInstances(facts, fleet);
  return (facts.jobs?.all() ?? []).map((job) => {
    const gone = job.endedAt === undefined ? goneAt(job) : undefined;
    const abandoned = job.result === 'Abandoned';
    const lost = abandoned || (gone !== undefined && now - gone > saidNothingMs);
    const queuedAt = fleet.ports.jobsMode ? notes.get(job.instance)?.queuedAt : undefined;
    return {
      id: job.id,
      title: job.title,
      state: lost ? 'lost' : job.endedAt === undefined ? 'running' : 'completed',
      queuedAt,
      startedAt: job.startedAt,
      endedAt: job.endedAt ?? (lost ? gone : undefined),
      instance: job.instance,
      lostBecause: lost ? lossText(abandoned ? 'abandoned' : 'never-reported') : undefined,
    };
  });
}

/**
 * When the instance of a job was gone; undefined while it is there, or nothing has been read yet. Of a large fleet not
 * all activities of the day are read: an absent one that they do not mention went before the oldest of them.
 */
function goneInstances({ groups, activities }: AccountFacts, fleet: OpenFleet) {
  const names = fleet.groups.map(({ groupName }) => groupName);
  const there = new Set(names.flatMap((name) => groups.instances(name)).map(({ InstanceId }) => InstanceId));
  const read = names.every((name) => groups.group(name) !== undefined);
  const ofGroup = activities.all().filter(({ group }) => names.includes(group));
  const oldest = ofGroup[0]?.startedAt ?? Number.NEGATIVE_INFINITY;
  const terminations = new Map(
    ofGroup.filter(({ kind }) => kind === 'termination').map(({ instance, endedAt }) => [instance, endedAt]),
  );
  return ({ instance, startedAt = oldest }: KnownJob) => {
    if (!read || there.has(instance)) return undefined;
    if (terminations.has(instance)) return terminations.get(instance);
    return startedAt < oldest ? oldest : undefined;
  };
}
