import type { CodeHost } from '@drover/cloud-github';
import type { World } from '@drover/cloud-world';
import type {
  AlarmState,
  FleetSample,
  FleetState,
  InstanceState,
  PlatformState,
  RefreshState,
} from '@drover/console/api';
import { alarmName, functionName, functionSuffixes, scalingAlarms } from '@drover/core/names/runner-fleet';

const samplesKept = 240;

/** What the page shows of the fleet, read from the embedded cloud. */
export class FleetView {
  readonly #world: World;
  readonly #codeHost: CodeHost;
  readonly #groupName: string;
  readonly #history: FleetSample[] = [];

  constructor(world: World, codeHost: CodeHost, groupName: string) {
    this.#world = world;
    this.#codeHost = codeHost;
    this.#groupName = groupName;
  }

  /** Called every simulated minute. */
  sample(): void {
    const { instances, queuedJobs } = this.#now();
    const count = (runner: InstanceState['runner']) => instances.filter((one) => one.runner === runner).length;
    const capacity = instances.filter(({ warmPool }) => !warmPool).length;
    const at = this.#world.engine.clock.now();
    this.#history.push({ at, idle: count('idle'), busy: count('busy'), queued: queuedJobs, capacity });
    if (this.#history.length > samplesKept) this.#history.shift();
  }

  state(): FleetState {
    return { ...this.#now(), history: this.#history };
  }

  #now(): Omit<FleetState, 'history'> {
    const group = this.#world.observe.group(this.#groupName);
    const { queue, runners } = this.#codeHost.registry;
    const { counts } = queue;
    return {
      groupName: this.#groupName,
      minSize: group?.minSize ?? 0,
      maxSize: group?.maxSize ?? 0,
      desiredCapacity: group?.desiredCapacity ?? 0,
      instances: this.#instances(),
      queuedJobs: queue.waiting.length,
      runningJobs: runners.filter(({ job }) => job !== undefined).length,
      completedJobs: counts.completed,
      lostJobs: counts.lost,
      idleTarget: this.#idleTarget(),
      alarms: this.#alarms(),
      refresh: refreshOf(this.#world, this.#groupName),
    };
  }

  #instances(): InstanceState[] {
    const group = this.#world.observe.group(this.#groupName);
    const runners = new Map(this.#codeHost.registry.runners.map((runner) => [runner.name, runner]));
    return [...(group?.members.values() ?? [])].map((member) => {
      const runner = runners.get(member.instanceId);
      const online = runner !== undefined && this.#codeHost.registry.isOnline(runner);
      const busy = runner?.job !== undefined;
      return {
        id: member.instanceId,
        zone: member.zone,
        lifecycleState: member.state,
        warmPool: member.state.startsWith('Warmed:'),
        spot: member.spot,
        protected: member.protectedFromScaleIn,
        healthy: member.healthy,
        runner: runner === undefined ? 'none' : online ? (busy ? 'busy' : 'idle') : 'offline',
        hooks: this.#world.observe
          .openHooks(member.instanceId)
          .map(({ name, expiresAt }) => ({ name, until: expiresAt })),
      };
    });
  }

  /** Below it the alarm goes off that lets the group grow. */
  #idleTarget(): number {
    const name = alarmName.idleLow(this.#groupName);
    return this.#world.observe.alarms().find((alarm) => alarm.name === name)?.threshold ?? 0;
  }

  #alarms(): AlarmState[] {
    const scaling = scalingAlarms(this.#groupName);
    return this.#world.observe
      .alarms()
      .filter(({ name }) => isOurs(name, this.#groupName))
      .map(({ name, state }) => ({ name, state, scaling: scaling.includes(name) }));
  }
}

function isOurs(name: string, groupName: string): boolean {
  return (
    name.endsWith(`-${groupName}`) ||
    functionSuffixes.some((suffix) => name.endsWith(`-${functionName(groupName, suffix)}`))
  );
}

/** The refresh under way, or the newest. */
export function refreshOf(world: World, groupName: string): RefreshState | undefined {
  const newest = world.observe.newestRefresh(groupName);
  return newest && { group: groupName, status: newest.status, percentageComplete: newest.percentageComplete };
}

export const platformState = (codeHost: CodeHost, faults: { down: boolean; rateLimited: boolean }): PlatformState => ({
  ...faults,
  remaining: codeHost.limits.status('user ID 1', 'core').remaining,
  requests: codeHost.countedRequests,
});
