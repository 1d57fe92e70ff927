import { type CodeHost, type Job, workerName } from '@drover/cloud-github';
import type { World } from '@drover/cloud-world';
import { defaultType, typeGroupName } from '@drover/core/names/runner-fleet';
import type {
  FleetState,
  InstanceState,
  JobState,
  PlatformState,
  RefreshState,
  TypeState,
} from '@drover/observation/api';
import { FleetHistory } from '@drover/observation/fleet-history';
import { shownJobs } from '@drover/observation/shown-jobs';
import { lossText } from '@drover/observation/story/losses';
import { typeSums } from '@drover/observation/type-sums';
import type { DeployedFleet } from '@drover/stage/fleet';
import { idleTargetAt } from '../deployment.ts';
import type { LiveInputs } from '../live-inputs.ts';
import type { Lives } from './lives.ts';
import { machineFault } from './machine-fault.ts';

/** The page's view of the fleet, read from the embedded cloud. */
export class FleetView {
  readonly #fleet: DeployedFleet;
  readonly #lives: Lives;
  readonly #inputs: LiveInputs;
  readonly #history = new FleetHistory();

  constructor(fleet: DeployedFleet, lives: Lives, inputs: LiveInputs) {
    this.#fleet = fleet;
    this.#lives = lives;
    this.#inputs = inputs;
  }

  /** Called every simulated minute. */
  sample(): void {
    this.#history.add(this.#fleet.clock.now(), this.#now());
  }

  state(): FleetState {
    return { ...this.#now(), history: this.#history.samples };
  }

  #now(): Omit<FleetState, 'history'> {
    const { world, groupName, codeHost } = this.#fleet;
    const group = this.#fleet.group();
    const { queue } = codeHost.registry;
    const { counts } = queue;
    const rules = this.#inputs.fleet;
    const types = this.#types();
    return {
      groupName,
      minSize: group?.minSize ?? 0,
      maxSize: group?.maxSize ?? 0,
      desiredCapacity: group?.desiredCapacity ?? 0,
      instances:
        types === undefined
          ? this.#instances(groupName)
          : types.flatMap((type) => this.#instances(type.groupName).map((one) => ({ ...one, type: type.name }))),
      queuedJobs: queue.waiting.length,
      completedJobs: counts.completed,
      lostJobs: counts.lost,
      jobs: shownJobs(queue.jobs).map(toJob),
      idleTarget: idleTargetAt(rules, this.#fleet.clock.now()),
      demand: rules.scalingMode === 'jobs' ? demandOf(codeHost, groupName) : undefined,
      allowedDrainSeconds: rules.allowedDrainSeconds,
      inputs: this.#inputs.state(),
      refresh: refreshOf(world, groupName),
      ...(types === undefined ? {} : { types, ...typeSums(types) }),
    };
  }

  /** Undefined: the fleet has none beside the default one. */
  #types(): readonly TypeState[] | undefined {
    const { groupName, codeHost, clock } = this.#fleet;
    const { types } = this.#inputs.fleet;
    if (types.length === 0) return undefined;
    const stateOf = (name: string, ofType: string, idleTarget: number): TypeState => {
      const { minSize = 0, maxSize = 0, desiredCapacity = 0 } = this.#fleet.group(ofType) ?? {};
      const demand = demandOf(codeHost, ofType);
      return { name, groupName: ofType, minSize, maxSize, desiredCapacity, idleTarget, demand };
    };
    return [
      stateOf(defaultType, groupName, idleTargetAt(this.#inputs.fleet, clock.now())),
      ...types.map(({ name, idleTarget }) => stateOf(name, typeGroupName(groupName, name), idleTarget)),
    ];
  }

  #instances(groupName: string): InstanceState[] {
    const { world, codeHost } = this.#fleet;
    const group = this.#fleet.group(groupName);
    const runners = new Map(codeHost.registry.runners.map((runner) => [runner.name, runner]));
    return [...(group?.members.values() ?? [])].map((member) => {
      const runner = runners.get(member.instanceId);
      const online = runner !== undefined && codeHost.registry.isOnline(runner);
      const job = runner?.job && this.#worksOn(runner.job, member.instanceId) ? runner.job : undefined;
      return {
        id: member.instanceId,
        zone: member.zone,
        lifecycleState: member.state,
        warmPool: member.state.startsWith('Warmed:'),
        spot: member.spot,
        protected: member.protectedFromScaleIn,
        healthy: member.healthy,
        runner: runner === undefined ? 'none' : online ? (job === undefined ? 'idle' : 'busy') : 'offline',
        machine: machineFault(world, member.instanceId, member.state),
        since: this.#lives.since(member.instanceId),
        job: job?.id,
        hooks: world.observe.openHooks(member.instanceId).map(({ name, expiresAt }) => ({ name, until: expiresAt })),
      };
    });
  }

  /** GitHub learns only from the end of a lease that nothing works on a job any more: the machine has its Worker, or not. */
  #worksOn({ startedAt }: Job, instanceId: string): boolean {
    const machine = this.#fleet.world.machines.get(instanceId);
    return startedAt === undefined || machine?.processes().some(({ name }) => name === workerName) === true;
  }
}

/** The Actions service's counts for the scale set, which has the group's name. */
function demandOf({ scaleSets }: CodeHost, groupName: string): TypeState['demand'] {
  const set = scaleSets.named(groupName);
  if (set === undefined) return { assigned: 0, waiting: 0 };
  const { totalAssignedJobs: assigned, totalRunningJobs: running } = scaleSets.statistics(set);
  return { assigned, waiting: Math.max(0, assigned - running) };
}

const toJob = ({ id, state, queuedAt, startedAt, endedAt, runnerName, lostBecause, unanswered }: Job): JobState => ({
  id,
  title: undefined,
  state,
  queuedAt,
  startedAt,
  endedAt,
  instance: runnerName,
  lostBecause: lostBecause === undefined ? undefined : lossText(lostBecause, unanswered),
});

/** The refresh under way, or the newest. */
export function refreshOf(world: World, groupName: string): RefreshState | undefined {
  const newest = world.observe.newestRefresh(groupName);
  return newest && { group: groupName, status: newest.status, percentageComplete: newest.percentageComplete };
}

export const platformState = (codeHost: CodeHost, faults: ReadonlySet<string>): PlatformState => ({
  down: faults.has('platform-down'),
  rateLimited: faults.has('platform-rate-limit'),
  slowNetwork: faults.has('slow-network'),
  functionsThrottled: faults.has('throttle-functions'),
  remaining: codeHost.limits.status('user ID 1', 'core').remaining,
  requests: codeHost.countedRequests,
});
