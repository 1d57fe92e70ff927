/** The API between the local server and the page. The only file that both share. */

/** `GET /api/state`, and every message of `GET /api/events`. */
export interface LocalState {
  readonly clock: ClockState;
  readonly fleet: FleetState;
  readonly platform: PlatformState;
  readonly cluster: ClusterState;
  /** Newest first, at most a hundred. */
  readonly events: readonly RecentEvent[];
}

export interface ClockState {
  /** Milliseconds since the epoch, on the simulated clock. */
  readonly now: number;
  /** Simulated seconds a real second. */
  readonly speed: number;
  readonly paused: boolean;
  /** The machine cannot keep up with the selected speed. */
  readonly behind: boolean;
}

export interface FleetState {
  readonly groupName: string;
  readonly minSize: number;
  readonly maxSize: number;
  readonly desiredCapacity: number;
  readonly instances: readonly InstanceState[];
  readonly queuedJobs: number;
  readonly runningJobs: number;
  readonly completedJobs: number;
  readonly lostJobs: number;
  /** One sample a simulated minute, oldest first, at most four hours. */
  readonly history: readonly FleetSample[];
  readonly idleTarget: number;
  readonly alarms: readonly AlarmState[];
  readonly refresh: RefreshState | undefined;
}

export interface InstanceState {
  readonly id: string;
  readonly zone: string;
  /** As Auto Scaling spells it. */
  readonly lifecycleState: string;
  readonly warmPool: boolean;
  readonly spot: boolean;
  readonly protected: boolean;
  readonly healthy: boolean;
  readonly runner: 'none' | 'offline' | 'idle' | 'busy';
  /** Open hooks, each with the moment at which it times out. */
  readonly hooks: readonly { readonly name: string; readonly until: number }[];
}

export interface FleetSample {
  readonly at: number;
  readonly idle: number;
  readonly busy: number;
  readonly queued: number;
  readonly capacity: number;
}

export interface AlarmState {
  readonly name: string;
  readonly state: 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';
  /** Scaling alarms are also in ALARM in normal operation. */
  readonly scaling: boolean;
}

export interface RefreshState {
  readonly group: string;
  readonly status: string;
  readonly percentageComplete: number;
}

export interface PlatformState {
  readonly down: boolean;
  readonly rateLimited: boolean;
  readonly remaining: number;
  readonly requests: number;
}

export interface ClusterState {
  readonly name: string;
  readonly health: 'green' | 'yellow' | 'red' | 'unknown';
  readonly activeShards: number;
  readonly unassignedShards: number;
  readonly documents: number;
  readonly nodes: readonly NodeState[];
  readonly relocations: readonly RelocationState[];
  readonly snapshots: readonly SnapshotPolicyState[];
  readonly refreshes: readonly RefreshState[];
  readonly groups: readonly {
    readonly name: string;
    readonly desiredCapacity: number;
    readonly minSize: number;
    readonly maxSize: number;
  }[];
  readonly lostZones: readonly string[];
}

export interface NodeState {
  readonly instanceId: string;
  readonly name: string;
  readonly zone: string;
  readonly group: string;
  readonly role: 'master' | 'data';
  readonly electedMaster: boolean;
  readonly lifecycleState: string;
  readonly inCluster: boolean;
  readonly shards: readonly ShardState[];
  /** While the node is being drained: how many shards were there at first, and how long the rest takes, once some have moved. */
  readonly drain:
    | {
        readonly shardsLeft: number;
        readonly shardsAtStart: number;
        readonly status: string;
        readonly secondsLeft: number | undefined;
      }
    | undefined;
}

export interface ShardState {
  readonly index: string;
  readonly number: number;
  readonly primary: boolean;
  readonly state: 'STARTED' | 'INITIALIZING' | 'RELOCATING';
}

export interface RelocationState {
  readonly index: string;
  readonly number: number;
  readonly from: string;
  readonly to: string;
  /** 0 to 100. */
  readonly percent: number;
}

export interface SnapshotPolicyState {
  readonly policy: string;
  readonly keeps: number;
  /** Moments of the snapshots that exist, oldest first. */
  readonly snapshots: readonly { readonly at: number; readonly name: string; readonly state: string }[];
  readonly nextAt: number | undefined;
  readonly lastFailure: string | undefined;
}

export interface RecentEvent {
  readonly at: number;
  readonly source: string;
  readonly text: string;
  readonly kind: 'info' | 'change' | 'trouble';
}

/** `POST /api/controls/<name>` with these bodies; the response is `204`, or `409` with `{ "message": … }`. */
export interface Controls {
  'queue-jobs': { readonly count: number; readonly minutes: number };
  'set-desired': { readonly group: string; readonly capacity: number };
  'terminate-instance': { readonly instance: string };
  'break-instance': { readonly instance: string };
  'reclaim-spot': { readonly instance: string };
  'platform-down': { readonly on: boolean };
  'platform-rate-limit': { readonly on: boolean };
  'start-refresh': { readonly group: string };
  'cancel-refresh': { readonly group: string };
  'kill-node': { readonly instance: string };
  'lose-zone': { readonly zone: string; readonly lost: boolean };
  clock: { readonly paused?: boolean; readonly speed?: number };
}

export type ControlName = keyof Controls;
