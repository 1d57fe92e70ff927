import type { Timer } from '@drover/core';
import type {
  InstanceLifecyclePolicy,
  InstanceMaintenancePolicy,
  InstancesDistribution,
  LaunchTemplateOverrides,
  MixedInstancesPolicy,
  RefreshPreferences,
  StepAdjustment,
} from './api.ts';
import type { LifecycleState, PooledState } from './lifecycle-states.ts';

export type LifecycleTransition = 'autoscaling:EC2_INSTANCE_LAUNCHING' | 'autoscaling:EC2_INSTANCE_TERMINATING';
export type LifecycleResult = 'CONTINUE' | 'ABANDON';

/** Where an instance comes from and goes to, in lifecycle events of groups with a warm pool. */
export type Place = 'EC2' | 'AutoScalingGroup' | 'WarmPool';

export interface LifecycleHook {
  readonly name: string;
  readonly transition: LifecycleTransition;
  readonly heartbeatTimeoutSeconds: number;
  readonly defaultResult: LifecycleResult;
  readonly notificationMetadata: string | undefined;
}

/** One hook's open wait on one instance. */
export interface LifecycleAction {
  readonly token: string;
  readonly hook: LifecycleHook;
  readonly member: Member;
  readonly startedAt: number;
  expiresAt: number;
  readonly globalExpiresAt: number;
  result: LifecycleResult | undefined;
  timer: Timer | undefined;
}

/** All hooks of one transition of one instance. */
export interface Wait {
  readonly transition: LifecycleTransition;
  readonly actions: Map<string, LifecycleAction>;
  readonly done: (result: LifecycleResult, why: string) => void;
}

export interface TemplateReference {
  readonly id: string;
  readonly name: string;
  /** As given: a number, `$Latest` or `$Default`. */
  readonly version: string;
}

/** The launch configuration of a group. */
export interface LaunchSource {
  readonly template: TemplateReference;
  /** Set when the group has a mixed instances policy. */
  readonly mixed:
    | {
        readonly overrides: readonly LaunchTemplateOverrides[];
        readonly distribution: InstancesDistribution;
        readonly policy: MixedInstancesPolicy;
      }
    | undefined;
}

interface GroupTag {
  readonly key: string;
  readonly value: string;
  readonly propagateAtLaunch: boolean;
}

export interface WarmPool {
  minSize: number;
  /** Undefined: the group's maximum size. */
  maxGroupPreparedCapacity: number | undefined;
  poolState: 'Stopped' | 'Running' | 'Hibernated';
  reuseOnScaleIn: boolean;
  deleting: boolean;
}

export type ProcessName =
  | 'Launch'
  | 'Terminate'
  | 'AddToLoadBalancer'
  | 'AlarmNotification'
  | 'AZRebalance'
  | 'HealthCheck'
  | 'InstanceRefresh'
  | 'ReplaceUnhealthy'
  | 'ScheduledActions';

export type ActivityStatus =
  | 'InProgress'
  | 'PreInService'
  | 'MidLifecycleAction'
  | 'Successful'
  | 'Failed'
  | 'Cancelled';

export interface Activity {
  readonly id: string;
  readonly groupName: string;
  readonly groupArn: string;
  description: string;
  readonly cause: string;
  readonly startTime: number;
  endTime: number | undefined;
  status: ActivityStatus;
  statusMessage: string | undefined;
  readonly details: Record<string, string>;
  instanceId: string | undefined;
  /** The caller whose request began it, which no response shows; undefined when the service itself did. */
  by?: string;
}

/** An instance of a group. */
export interface Member {
  readonly instanceId: string;
  readonly group: Group;
  readonly zone: string;
  readonly subnetId: string;
  readonly instanceType: string;
  readonly imageId: string;
  readonly spot: boolean;
  /** With the version's number. */
  readonly template: TemplateReference;
  readonly launchedAt: number;
  state: LifecycleState;
  healthy: boolean;
  /** The latest result of its load balancer's health check. */
  targetHealthy: boolean;
  /** How it became unhealthy, for the activity's cause. */
  unhealthyBecause: string;
  protectedFromScaleIn: boolean;
  inServiceAt: number | undefined;
  /** The state before its present transition. */
  origin: Place;
  /** The activity under way. */
  activity: Activity | undefined;
  wait: Wait | undefined;
  /** The state of the EC2 instance that the next step waits for. */
  awaiting: 'running' | 'stopped' | 'terminated' | undefined;
  /** Counts state changes, so that a late timer knows that it is late. */
  epoch: number;
  /** Set while this one waits for its replacement to serve, and why it goes then. Such a member is no capacity any more. */
  replacedBecause: string | undefined;
}

export interface ScalingPolicyRecord {
  readonly name: string;
  readonly arn: string;
  readonly groupName: string;
  readonly type: 'StepScaling' | 'SimpleScaling';
  readonly adjustmentType: 'ChangeInCapacity' | 'ExactCapacity' | 'PercentChangeInCapacity';
  readonly scalingAdjustment: number | undefined;
  readonly steps: readonly StepAdjustment[];
  readonly minAdjustmentMagnitude: number | undefined;
  readonly cooldownSeconds: number | undefined;
  readonly warmupSeconds: number | undefined;
  readonly enabled: boolean;
}

/** The cooldown that keeps simple scaling policies from acting again. */
interface SimpleScaling {
  /** One has acted and its activities have not all ended. */
  acting: boolean;
  /** The cooldown that begins when they have. */
  cooldownMs: number;
  cooldownUntil: number;
}

export type RefreshStatus = 'Pending' | 'InProgress' | 'Successful' | 'Failed' | 'Cancelling' | 'Cancelled';

/** One instance refresh. */
export interface Refresh {
  readonly id: string;
  readonly preferences: RefreshPreferences;
  /** The launch configuration, if a desired one was given. */
  readonly source: LaunchSource | undefined;
  readonly startTime: number;
  endTime: number | undefined;
  status: RefreshStatus;
  statusReason: string | undefined;
  /** Instances that are to be replaced and have not begun to go. */
  readonly remaining: Set<string>;
  /** How many there were to replace at the start. */
  readonly total: number;
  /** When it last made progress, for the hour after which it gives up. */
  progressAt: number;
  /** The work that was left then. */
  progressLeft: number;
  /** Something was launching when it was last looked at: that is no standstill. */
  launching: boolean;
  /** How far it was when it ended. */
  progress: { readonly percentage: number; readonly left: number } | undefined;
  readonly onEnd: ((refresh: Refresh) => void)[];
}

/** The settings of a group, as created and updated. */
export interface GroupSettings {
  minSize: number;
  maxSize: number;
  desiredCapacity: number;
  source: LaunchSource;
  /** In the order given. */
  subnetIds: readonly string[];
  zones: readonly string[];
  defaultCooldownSeconds: number;
  defaultInstanceWarmupSeconds: number | undefined;
  healthCheckType: string;
  healthCheckGracePeriodSeconds: number;
  terminationPolicies: readonly string[];
  newInstancesProtectedFromScaleIn: boolean;
  capacityRebalance: boolean;
  maxInstanceLifetimeSeconds: number | undefined;
  maintenancePolicy: InstanceMaintenancePolicy | undefined;
  lifecyclePolicy: InstanceLifecyclePolicy | undefined;
  serviceLinkedRoleArn: string;
  context: string | undefined;
  desiredCapacityType: string | undefined;
}

export interface Group extends GroupSettings {
  readonly name: string;
  readonly arn: string;
  readonly createdAt: number;
  readonly members: Map<string, Member>;
  readonly hooks: Map<string, LifecycleHook>;
  readonly policies: Map<string, ScalingPolicyRecord>;
  readonly suspended: Map<ProcessName, string>;
  readonly tags: Map<string, GroupTag>;
  readonly targetGroupArns: Set<string>;
  readonly enabledMetrics: Set<string>;
  /** Oldest first. */
  readonly activities: Activity[];
  /** Newest last. */
  readonly refreshes: Refresh[];
  warmPool: WarmPool | undefined;
  /** `Delete in progress` from the delete request until the last instance is gone. */
  deleting: boolean;
  /** Why the desired capacity changed, until an activity reports it. */
  pendingCause: string[];
  wakeAt: number | undefined;
  wakeTimer: Timer | undefined;
  launchFailures: number;
  launchNotBefore: number;
  /** Zones in which a launch failed for want of capacity, and until when they are left out. */
  readonly avoidedZones: Map<string, number>;
  readonly simpleScaling: SimpleScaling;
  /** How many activities have not ended. */
  activitiesUnderWay: number;
  /** The capacity for which it was last said that everything else is protected. */
  protectedNoticeAt: number | undefined;
  /** Since when its zones are uneven. */
  unevenSince: number | undefined;
  lifetimeTimer: Timer | undefined;
  lifetimeAt: number | undefined;
}

export const poolTarget = (group: Group): PooledState => `Warmed:${group.warmPool?.poolState ?? 'Stopped'}`;
