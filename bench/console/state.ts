import type { FleetSample, InstanceState, NodeState, Observation } from '../../packages/observation/src/api.ts';

const zones = ['eu-west-1a', 'eu-west-1b', 'eu-west-1c'];
const minute = 60_000;
const begun = Date.UTC(2026, 5, 1);

export interface Size {
  readonly instances: number;
  readonly shards: number;
  readonly dataNodes: number;
}

/** A state of that size. From one round to the next a tenth of what is shown changes. */
export function consoleState(size: Size, round: number): Observation {
  const now = begun + round * minute;
  const crowded = size.instances > 0;
  const instances = Array.from({ length: size.instances }, (_, index) => instanceState(index, round, now));
  return {
    clock: { now, speed: 60, paused: false, behind: false },
    zones: zones.map((name) => ({ name, lost: false })),
    fleet: {
      groupName: 'runners',
      minSize: 0,
      maxSize: 200,
      desiredCapacity: size.instances,
      instances,
      queuedJobs: round,
      completedJobs: round,
      lostJobs: 0,
      jobs: [],
      history: crowded ? Array.from({ length: 240 }, (_, index) => sample(now - (239 - index) * minute, round)) : [],
      idleTarget: 2,
      demand: undefined,
      allowedDrainSeconds: 900,
      refresh: undefined,
    },
    platform: {
      down: false,
      rateLimited: false,
      slowNetwork: false,
      functionsThrottled: false,
      remaining: 5_000 - round,
      requests: round,
    },
    cluster: {
      name: 'search',
      health: 'green',
      activeShards: size.shards,
      unassignedShards: 0,
      documents: round,
      nodes: Array.from({ length: size.dataNodes }, (_, index) => node(index, size.shards / size.dataNodes, round)),
      relocations: [],
      snapshots: [],
      refreshes: [],
      groups: [],
      unassigned: [],
    },
    functions: [],
    alarms: [],
    incidents: [],
    promises: [],
    events: [],
    unknown: {},
    readings: [],
  };
}

function instanceState(index: number, round: number, now: number): InstanceState {
  const changes = (index + round) % 10 === 0;
  return {
    id: `i-${String(index).padStart(17, '0')}`,
    zone: zones[index % 3]!,
    lifecycleState: changes ? 'Terminating:Wait' : 'InService',
    warmPool: false,
    spot: index % 2 === 0,
    protected: changes,
    healthy: true,
    runner: changes ? 'busy' : 'idle',
    since: now - 5 * minute,
    job: changes ? index : undefined,
    hooks: changes ? [{ name: 'deregistration', until: now + 15 * minute }] : [],
  };
}

const sample = (at: number, round: number): FleetSample => ({
  at,
  idle: (at / minute) % 20,
  busy: (at / minute + round) % 200,
  queued: (at / minute) % 7,
  booting: 3,
  draining: 2,
  away: 0,
  desired: 200,
  max: 200,
});

function node(index: number, shards: number, round: number): NodeState {
  return {
    instanceId: `i-${String(index).padStart(17, '0')}`,
    name: `ip-10-0-0-${index}`,
    zone: zones[index % 3]!,
    group: 'search-data',
    role: 'data',
    electedMaster: false,
    lifecycleState: 'InService',
    inCluster: true,
    shards: Array.from({ length: shards }, (_, number) => ({
      index: `index-${index % 5}`,
      number,
      primary: number % 2 === 0,
      state: (number + round) % 10 === 0 ? 'RELOCATING' : 'STARTED',
    })),
    drain: undefined,
  };
}
