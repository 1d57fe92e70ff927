/** The API between the server and the page. With `phase.ts` all that both share. */

/** A fleet and a cluster as seen at one moment: `GET /api/state`, and every message of `GET /api/events`. */
export interface Observation {
  readonly clock: ClockState;
  readonly zones: readonly ZoneState[];
  readonly fleet: FleetState;
  readonly platform: PlatformState;
  readonly cluster: ClusterState;
  readonly functions: readonly FunctionState[];
  readonly alarms: readonly AlarmState[];
  /** Newest first. */
  readonly incidents: readonly Incident[];
  readonly promises: readonly PromiseState[];
  /** Newest first. */
  readonly events: readonly RecentEvent[];
  /** Parts that cannot be known of what is observed, each with the reason. Of a world nothing is unknown. */
  readonly unknown: Readonly<Partial<Record<Unknowable, string>>>;
  /** Of an account, which is read part by part: how old each part is. A world is read as a whole: none. */
  readonly readings: readonly Reading[];
  /** Of an account: what its doctors have found. */
  readonly attention?: Attention | undefined;
  /** Of an account with a fleet, once it was read. */
  readonly cost?: Cost | undefined;
  /** While an earlier course of events is replayed. */
  readonly travel?: Travel | undefined;
  /** Of a world that was branched: which course of events is seen, and to which one can return. */
  readonly courses?: { readonly current: Course; readonly others: readonly Course[] } | undefined;
}

/** A course of events: the original one, or a branch. `POST /api/courses/<id>` returns to it. */
export interface Course {
  /** 0: the original. */
  readonly id: number;
  /** The moment at which a branch left the course that was seen then. */
  readonly branchedAt: number | undefined;
  /** How far it was played before it was left. */
  readonly playedUntil: number | undefined;
  /** Of a course that was left: its incidents, without their steps. */
  readonly incidents?: readonly Incident[] | undefined;
}

/**
 * Parts that only a world knows, or that were not asked for: the fleet or the cluster at all, faults and other
 * controls, the promises, the jobs that wait, until when hooks wait.
 */
export type Unknowable = 'fleet' | 'cluster' | 'tools' | 'promises' | 'queue' | 'hooks';

/** One part of what is read of an account. */
export interface Reading {
  readonly what: string;
  /** Undefined before it was first read. */
  readonly readAt: number | undefined;
  readonly everyMs: number;
  /** Why it could not be read the last time. */
  readonly problem: string | undefined;
}

/** The findings of the doctors, the worst first; those that found all well are counted. */
export interface Attention {
  readonly well: number;
  readonly findings: readonly {
    readonly subject: string;
    /** `notice`: normal, but worth knowing. `unknown`: could not be examined. */
    readonly verdict: 'problem' | 'notice' | 'unknown';
    readonly check: string;
    readonly condition: string;
    readonly evidence: string;
    readonly fix: string | undefined;
  }[];
}

/** An estimate of the cost of the fleet's instances between two moments, by their hours. */
export interface Cost {
  readonly from: number;
  readonly to: number;
  readonly total: number;
  readonly currency: string;
  readonly instances: number;
  readonly runnerHours: number;
  readonly jobs: number;
}

/** How far a replay is. `resume`: what is seen is the last moment of the session, and nothing can be done yet. */
export interface Travel {
  readonly purpose: 'resume' | 'branch' | 'return';
  readonly percent: number;
  /** The moment that it leads to. */
  readonly to: number;
}

export interface ZoneState {
  readonly name: string;
  readonly lost: boolean;
}

export interface ClockState {
  /** Milliseconds since the epoch, on the simulated clock of a world, or as AWS reports it. */
  readonly now: number;
  /** Simulated seconds a real second. */
  readonly speed: number;
  readonly paused: boolean;
  /** The machine cannot keep up with the selected speed. */
  readonly behind: boolean;
}

export interface GroupSize {
  readonly minSize: number;
  readonly maxSize: number;
  readonly desiredCapacity: number;
}

/** Sizes, idle target and demand of a fleet with types are those of all types together. */
export interface FleetState extends GroupSize {
  readonly groupName: string;
  /** Of a fleet with types: each of them, the default type first. */
  readonly types?: readonly TypeState[] | undefined;
  readonly instances: readonly InstanceState[];
  readonly queuedJobs: number | undefined;
  /** Since the beginning of a world; of an account as far back as its logs are read. */
  readonly completedJobs: number;
  readonly lostJobs: number;
  /** Those that wait or run, and the newest that ended; oldest first. */
  readonly jobs: readonly JobState[];
  /** One sample a minute of the observed clock, oldest first, at most four hours; of an account a day, before that one in five minutes. */
  readonly history: readonly FleetSample[];
  readonly idleTarget: number;
  /** In jobs mode: jobs that the fleet has to serve, and those of them that wait. */
  readonly demand: { readonly assigned: number; readonly waiting: number } | undefined;
  readonly allowedDrainSeconds: number;
  /** Undefined where they cannot be changed from here. */
  readonly inputs?: ChangeableInputs | undefined;
  readonly refresh: RefreshState | undefined;
}

/** A type of a fleet's runners. */
export interface TypeState extends GroupSize {
  readonly name: string;
  readonly groupName: string;
  readonly idleTarget: number;
  readonly demand: NonNullable<FleetState['demand']>;
}

/** Inputs of the fleet that an update of its stack changes while it runs. */
export interface ChangeableInputs {
  readonly idleTarget: number;
  readonly maxSize: number;
  readonly drainSeconds: number;
  readonly mode: 'idle' | 'jobs';
  /** An update is under way. */
  readonly updating: boolean;
}

export interface InstanceState {
  readonly id: string;
  readonly zone: string;
  /** Of a fleet with types. */
  readonly type?: string | undefined;
  /** As Auto Scaling spells it. */
  readonly lifecycleState: string;
  readonly warmPool: boolean;
  readonly spot: boolean;
  readonly protected: boolean;
  readonly healthy: boolean;
  readonly runner: 'none' | 'offline' | 'idle' | 'busy';
  /** The fault of its machine, where one is known. An account shows none but through `healthy`. */
  readonly machine?: 'gone' | 'hung' | 'full' | 'unreachable' | undefined;
  /** Since when it is in this lifecycle state, if that is known. */
  readonly since: number | undefined;
  readonly job: number | undefined;
  /** Open hooks, each with the moment at which it times out. */
  readonly hooks: readonly { readonly name: string; readonly until: number }[];
}

export interface JobState {
  readonly id: number;
  /** Repository, workflow and job, if they are known. */
  readonly title: string | undefined;
  readonly state: 'queued' | 'dispatched' | 'running' | 'completed' | 'lost';
  readonly queuedAt: number | undefined;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  readonly instance: string | undefined;
  /** Why it was lost, in words. */
  readonly lostBecause: string | undefined;
}

export interface FleetSample {
  readonly at: number;
  readonly busy: number;
  readonly idle: number;
  readonly booting: number;
  readonly draining: number;
  /** Offline, broken or not known. */
  readonly away: number;
  readonly queued: number | undefined;
  readonly desired: number;
  readonly max: number;
}

export interface AlarmState {
  readonly name: string;
  readonly state: 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';
  readonly since: number;
  readonly meaning: string;
  /** Scaling alarms are also in ALARM in normal operation. */
  readonly scaling: boolean;
}

/** A Lambda function and how its last runs ended. */
export interface FunctionState {
  readonly name: string;
  readonly runs: number;
  readonly errors: number;
  /** Newest first. */
  readonly last: readonly { readonly at: number; readonly ok: boolean; readonly text: string }[];
}

/** A fault or an act of a user, what the system did about it, and how it ended. */
export interface Incident {
  readonly id: number;
  readonly kind: 'fault' | 'act';
  readonly title: string;
  readonly openedAt: number;
  readonly steps: readonly IncidentStep[];
  readonly verdict: {
    /** `fair`: as well as can be, for what was lost was lost by others. */
    readonly state: 'open' | 'good' | 'fair' | 'bad';
    readonly text: string;
  };
  readonly endedAt: number | undefined;
}

/** To whose account a lost job goes: by us, unless another cause is known. */
export type LostBy = 'by hardware' | 'by GitHub' | 'by the drain time' | 'by a broken host' | 'on the way' | 'by us';

export interface IncidentStep {
  readonly at: number;
  /** Steps of the same kind in the same second are one to a reader. */
  readonly kind: string;
  /** Of a lost job. */
  readonly by?: LostBy | undefined;
  readonly text: string;
  readonly bad: boolean;
  /** Its subject: a part of an address of the page, such as `instance/i-0123`. */
  readonly about: string | undefined;
}

/** A promise of the system, and whether it has been kept since the beginning. */
export interface PromiseState {
  readonly name: string;
  readonly kept: boolean;
  /** Since when it cannot be judged; what was known then is in `kept` and `figure`. */
  readonly unknownSince?: number | undefined;
  readonly figure: string;
  /** Of the first time that it was broken. */
  readonly explanation: string | undefined;
}

/** One moment in the life of an instance: `GET /api/instances/<id>` has them oldest first. */
export interface LifeEvent {
  readonly at: number;
  readonly text: string;
  readonly bad: boolean;
}

export interface RefreshState {
  readonly group: string;
  readonly status: string;
  readonly percentageComplete: number;
}

export interface PlatformState {
  readonly down: boolean;
  readonly rateLimited: boolean;
  readonly slowNetwork: boolean;
  readonly functionsThrottled: boolean;
  /** Undefined where the platform has no limit, or has not said it yet. */
  readonly remaining: number | undefined;
  /** How many were made in all, which only a world knows. */
  readonly requests: number | undefined;
}

export interface ClusterState {
  readonly name: string;
  readonly health: 'green' | 'yellow' | 'red' | 'unknown';
  /** Why it does not respond, and the way out. */
  readonly trouble?: string | undefined;
  /** Of an account whose cluster cannot be read any more: the last reading, and its moment. */
  readonly lastRead?: LastRead | undefined;
  readonly activeShards: number;
  readonly unassignedShards: number;
  readonly documents: number;
  readonly nodes: readonly NodeState[];
  readonly relocations: readonly RelocationState[];
  readonly snapshots: readonly SnapshotPolicyState[];
  readonly refreshes: readonly RefreshState[];
  readonly groups: readonly ({ readonly name: string } & GroupSize)[];
  readonly unassigned: readonly ShardState[];
}

export interface LastRead extends Pick<ClusterState, 'health' | 'activeShards' | 'unassignedShards' | 'documents'> {
  readonly at: number;
}

export interface NodeState extends Pick<InstanceState, 'zone' | 'lifecycleState' | 'machine'> {
  readonly instanceId: string;
  readonly name: string;
  readonly group: string;
  readonly role: 'master' | 'data';
  readonly electedMaster: boolean;
  /** Undefined while the cluster does not respond. */
  readonly inCluster: boolean | undefined;
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

export interface RelocationState extends Pick<ShardState, 'index' | 'number'> {
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

/** `GET /api/what-if`: what other inputs of the fleet would mean, tried on an embedded cloud of its own. */
export interface WhatIfState {
  /** Why nothing can be tried here. */
  readonly refused: string | undefined;
  /** Of the fleet that is observed. */
  readonly inputs:
    | (WhatIfInputs & {
        readonly text: string;
        /** Of a fleet with types: the inputs of each, the default type first. */
        readonly types?: Readonly<Record<string, WhatIfInputs>> | undefined;
      })
    | undefined;
  /** Newest first. */
  readonly runs: readonly WhatIfRun[];
}

/** `POST /api/what-if`: every combination of the values is replayed. The response is `202` with the run. */
export interface WhatIfRequest {
  /** Of a fleet with types. @default the default type */
  readonly type?: string | undefined;
  readonly idleTargets: readonly number[];
  readonly maxSizes: readonly number[];
  readonly modes: readonly ('idle' | 'jobs')[];
  /** `history`: a CSV or JSON of GitHub's REST API, as `drover what-if --jobs` takes it. */
  readonly jobs:
    | { readonly kind: 'week' | 'burst' }
    | { readonly kind: 'history'; readonly name: string; readonly text: string };
  /** The first hours only. */
  readonly hours?: number | undefined;
  readonly maxWaitSeconds: number;
}

/** The inputs of a fleet that a question varies. */
export type WhatIfInputs = Pick<ChangeableInputs, 'idleTarget' | 'maxSize' | 'mode'>;

/**
 * One question; `POST /api/what-if/<id>/cancel` ends it, `GET /api/what-if/<id>` has the result, `…/picture.svg` its
 * picture.
 */
export interface WhatIfRun {
  readonly id: number;
  readonly title: string;
  readonly state: 'running' | 'done' | 'failed' | 'cancelled';
  /** 0 to 100. */
  readonly percent: number;
  readonly problem?: string | undefined;
  /** Configurations that were left out, and other things to know. */
  readonly notes: readonly string[];
  /** Each configuration by its name in the report. */
  readonly configurations: Readonly<Record<string, WhatIfInputs>>;
  /** Name of the configuration that is deployed. It need not be among them. */
  readonly deployed: string;
  readonly maxWaitSeconds: number;
  /** The question itself, without the text of a history. Older results have none. */
  readonly asked?: WhatIfAsked | undefined;
  readonly report?: WhatIfReport | undefined;
}

export interface WhatIfAsked extends Omit<WhatIfRequest, 'jobs'> {
  readonly jobs: { readonly kind: WhatIfRequest['jobs']['kind']; readonly name?: string | undefined };
}

/** In seconds. */
interface Waits {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

/** The output of `drover what-if --format json`, as far as the page shows it. */
export interface WhatIfReport {
  readonly title: string;
  readonly trace: {
    readonly jobs: number;
    readonly from: string;
    readonly to: string;
    /** How long the jobs of a history really waited. */
    readonly waitSeconds: Waits | undefined;
  };
  readonly prices: { readonly currency: string; readonly region: string; readonly date: string };
  readonly hosted: { readonly runner: string; readonly minutes: number; readonly total: number } | undefined;
  /** Name of the cheapest whose p95 wait is acceptable; null if none is, undefined if no limit was given. */
  readonly cheapest: string | null | undefined;
  /** Why that is so, and what explains an order that surprises. Older results have none. */
  readonly because?: readonly string[];
  /** Names of those that no other beats in both wait and cost. */
  readonly paretoFront: readonly string[];
  readonly configurations: readonly WhatIfFigures[];
}

export interface WhatIfFigures {
  readonly name: string;
  readonly waitSeconds: Waits;
  readonly jobs: { readonly lost: number; readonly unfinished: number };
  readonly runnerHours: { readonly total: number };
  readonly peakRunners: number;
  /** Share of the runner-hours without a job. */
  readonly idleShare: number;
  readonly cost: { readonly total: number };
}

/** `POST /api/controls/<name>` with these bodies; the response is `204`, or `409` with `{ "message": … }`. */
export interface Controls {
  /** `type`: of a fleet with types; without it the default type. */
  'queue-jobs': { readonly count: number; readonly minutes: number; readonly type?: string | undefined };
  'set-desired': { readonly group: string; readonly capacity: number };
  'terminate-instance': { readonly instance: string };
  'break-instance': { readonly instance: string };
  'reclaim-spot': { readonly instance: string };
  'platform-down': { readonly on: boolean };
  'platform-rate-limit': { readonly on: boolean };
  'start-refresh': { readonly group: string };
  'cancel-refresh': { readonly group: string };
  'kill-node': { readonly instance: string };
  'hang-instance': { readonly instance: string };
  'fill-disk': { readonly instance: string };
  'cut-off': { readonly instance: string; readonly on: boolean };
  'slow-network': { readonly on: boolean };
  'throttle-functions': { readonly on: boolean };
  'lose-zone': { readonly zone: string; readonly lost: boolean };
  'change-inputs': Partial<Omit<ChangeableInputs, 'updating'>>;
  clock: { readonly paused?: boolean; readonly speed?: number };
}

export type ControlName = keyof Controls;
