import type { Instance } from '@drover/cloud-machines';

/** An EC2 instance. */
export interface InstanceView extends Instance {
  readonly securityGroupIds: readonly string[];
}

/** Something that the security groups of an instance let in. */
export interface IngressView {
  /** `tcp`, `udp`, or `-1` for everything. */
  readonly protocol: string;
  readonly fromPort: number | undefined;
  readonly toPort: number | undefined;
  /** Ranges, or the addresses of the instances of a group. */
  readonly sources: readonly string[];
}

/** A disk of an instance, as its kernel sees it. */
export interface DiskView {
  readonly device: string;
  readonly sizeGiB: number;
}

/** An instance of an Auto Scaling group. */
export interface MemberView {
  readonly instanceId: string;
  readonly group: { readonly name: string };
  readonly zone: string;
  readonly spot: boolean;
  /** The launch template's version that it was launched with, as a number. */
  readonly template: { readonly version: string };
  /** Lifecycle state, e.g. `Pending:Wait`. */
  readonly state: string;
  readonly healthy: boolean;
  readonly protectedFromScaleIn: boolean;
  /** The activity under way: its launch, or its termination. */
  readonly activity: ActivityView | undefined;
}

/** A scaling activity. */
export interface ActivityView {
  readonly cause: string;
  readonly description: string;
  readonly startTime: number;
  readonly endTime: number | undefined;
  readonly status: string;
  readonly statusMessage: string | undefined;
  readonly details: Readonly<Record<string, string>>;
  readonly instanceId: string | undefined;
  /** ARN of who asked for it, if a request for this instance began it. */
  readonly by?: string;
}

/** An Auto Scaling group. */
export interface GroupView {
  readonly name: string;
  readonly minSize: number;
  readonly maxSize: number;
  readonly desiredCapacity: number;
  /** The zones in which it may launch. */
  readonly zones: readonly string[];
  /** By instance id, the warm pool included. */
  readonly members: ReadonlyMap<string, MemberView>;
  /** Oldest first. */
  readonly activities: readonly ActivityView[];
  /** Suspended processes, as AWS names them. */
  readonly suspended: { has(process: 'Launch'): boolean };
  readonly warmPool: { readonly minSize: number } | undefined;
  readonly tags: ReadonlyMap<string, { readonly value: string }>;
  /** Launch template of new instances. */
  readonly source: { readonly template: { readonly version: string } };
}

/** An instance refresh. */
export interface RefreshView {
  readonly startTime: number;
  readonly status: string;
  readonly endTime: number | undefined;
  readonly percentageComplete: number;
}

/** A lifecycle hook that an instance waits for. */
export interface OpenHookView {
  readonly name: string;
  readonly expiresAt: number;
}

/** A function as it is configured. */
export interface FunctionView {
  readonly timeoutSeconds: number;
  readonly reservedConcurrency: number | undefined;
  readonly environment: Readonly<Record<string, string>>;
  readonly subnetIds: readonly string[];
  readonly logGroup: string;
}

/** Identity of a metric: namespace, name and all its dimensions. */
interface MetricView {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
}

export interface AlarmView {
  readonly name: string;
  readonly state: 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';
  /** Undefined for a composite alarm. */
  readonly threshold: number | undefined;
  readonly description: string | undefined;
}

/** A permission that a principal other than the root of the account needed. */
export interface AuthorizationView {
  /** The role whose session asked, if it was one. */
  readonly roleArn: string | undefined;
  readonly action: string;
  /** AWS's message when it was refused. */
  readonly refusal: string | undefined;
}

/**
 * Everything that can be read of a world from outside, past all faults and without an API call: for checkers, consoles
 * and tests. Views are live: a view that is kept shows the state of the moment in which it is read. Nothing can be
 * changed through them.
 */
export interface Observation {
  group(name: string): GroupView | undefined;
  groups(): readonly GroupView[];
  /** Of all groups. */
  members(): readonly MemberView[];
  member(instanceId: string): MemberView | undefined;
  /** Hooks that have not been completed for this instance. */
  openHooks(instanceId: string): readonly OpenHookView[];
  /** The refresh under way, or the newest. */
  newestRefresh(groupName: string): RefreshView | undefined;
  /** The instance's target state, as the metadata service shows it. */
  targetLifecycleState(instanceId: string): string | undefined;
  /** The volumes that are attached to an instance, by the device of the attachment. */
  disks(instanceId: string): readonly DiskView[];
  /** Also those that were terminated a short while ago. */
  instances(): readonly InstanceView[];
  instance(instanceId: string): InstanceView | undefined;
  ingressOf(instanceId: string): readonly IngressView[];
  onInstanceState(listener: (instance: Instance) => void): void;
  /** The two minutes' notice of a spot instance. */
  onSpotNotice(listener: (instance: Instance) => void): void;
  alarms(): readonly AlarmView[];
  functionNames(): readonly string[];
  functionState(name: string): FunctionView | undefined;
  /** Status of an instance's agent in Systems Manager; undefined if none has registered. */
  agentStatus(instanceId: string): string | undefined;
  /** The lowest value of a metric in each minute of a stretch of time that has one, oldest first. */
  lowestValues(metric: MetricView, fromMs: number, toMs: number): readonly number[];
  /** The newest events of a log group back to the first that is older, oldest first. */
  logEventsSince(
    logGroup: string,
    sinceMs: number,
  ): readonly { readonly timestamp: number; readonly message: string }[];
  /** Messages of a log group, oldest first. */
  logLines(logGroup: string): readonly string[];
  /** The names of all secrets that can be read. */
  secretNames(): readonly string[];
  /** The current value of a secret. */
  secretValue(secretId: string): string;
  object(bucket: string, key: string): Uint8Array | undefined;
  /** Every permission that is asked for from now on. One call may need several, so the journal of calls does not name them. */
  onAuthorization(listener: (asked: AuthorizationView) => void): void;
}
