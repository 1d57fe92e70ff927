import type { AutoScalingGroup } from './api.ts';
import { hasRequirements } from './groups/instance-requirements.ts';
import { globalTimeoutMs } from './hooks/lifecycle-hooks.ts';
import { isInPool } from './lifecycle-states.ts';
import type { Activity, Group, LifecycleHook, Member } from './model.ts';
import { poolMembers } from './warm-pool/warm-pool.ts';

/** A group as DescribeAutoScalingGroups shows it; the pool's instances are shown by DescribeWarmPool. */
export function groupShape(group: Group, members: Iterable<Member> = group.members.values()): AutoScalingGroup {
  const { template, mixed } = group.source;
  return {
    AutoScalingGroupName: group.name,
    AutoScalingGroupARN: group.arn,
    ...(mixed === undefined
      ? { LaunchTemplate: templateShape(template) }
      : { MixedInstancesPolicy: mixedShape(group) }),
    MinSize: group.minSize,
    MaxSize: group.maxSize,
    DesiredCapacity: group.desiredCapacity,
    DefaultCooldown: group.defaultCooldownSeconds,
    AvailabilityZones: [...group.zones],
    LoadBalancerNames: [],
    TargetGroupARNs: [...group.targetGroupArns],
    HealthCheckType: group.healthCheckType,
    HealthCheckGracePeriod: group.healthCheckGracePeriodSeconds,
    Instances: [...members].filter((member) => !isInPool(member.state)).map(memberShape),
    CreatedTime: new Date(group.createdAt),
    SuspendedProcesses: [...group.suspended].map(([ProcessName, SuspensionReason]) => ({
      ProcessName,
      SuspensionReason,
    })),
    VPCZoneIdentifier: group.subnetIds.join(','),
    EnabledMetrics: [...group.enabledMetrics].map((Metric) => ({ Metric, Granularity: '1Minute' })),
    ...(group.deleting ? { Status: 'Delete in progress' } : {}),
    Tags: tagShapes(group),
    TerminationPolicies: [...group.terminationPolicies],
    NewInstancesProtectedFromScaleIn: group.newInstancesProtectedFromScaleIn,
    ServiceLinkedRoleARN: group.serviceLinkedRoleArn,
    CapacityRebalance: group.capacityRebalance,
    TrafficSources: [],
    ...optional('MaxInstanceLifetime', group.maxInstanceLifetimeSeconds),
    ...optional('DefaultInstanceWarmup', group.defaultInstanceWarmupSeconds),
    ...optional('InstanceMaintenancePolicy', group.maintenancePolicy),
    ...optional('InstanceLifecyclePolicy', group.lifecyclePolicy),
    ...optional('Context', group.context),
    ...optional('DesiredCapacityType', group.desiredCapacityType),
    ...optional('WarmPoolConfiguration', warmPoolShape(group)),
    ...(group.warmPool === undefined ? {} : { WarmPoolSize: poolMembers(group).length }),
  };
}

const optional = <K extends string, V>(key: K, value: V | undefined): { [key in K]?: V } =>
  value === undefined ? {} : ({ [key]: value } as { [key in K]?: V });

const tagShapes = (group: Group) =>
  [...group.tags.values()].map(({ key, value, propagateAtLaunch }) => ({
    ResourceId: group.name,
    ResourceType: 'auto-scaling-group',
    Key: key,
    Value: value,
    PropagateAtLaunch: propagateAtLaunch,
  }));

const templateShape = (template: { id: string; name: string; version: string }) => ({
  LaunchTemplateId: template.id,
  LaunchTemplateName: template.name,
  Version: template.version,
});

function mixedShape(group: Group) {
  const { template, mixed } = group.source;
  return {
    LaunchTemplate: {
      LaunchTemplateSpecification: templateShape(template),
      Overrides: [...(mixed?.overrides ?? [])],
    },
    InstancesDistribution: {
      OnDemandAllocationStrategy: mixed !== undefined && hasRequirements(mixed.policy) ? 'lowest-price' : 'prioritized',
      OnDemandBaseCapacity: 0,
      OnDemandPercentageAboveBaseCapacity: 100,
      SpotAllocationStrategy: 'lowest-price',
      // Only lowest-price divides its Spot capacity over pools. (API Reference, InstancesDistribution.)
      ...((mixed?.distribution.SpotAllocationStrategy ?? 'lowest-price') === 'lowest-price'
        ? { SpotInstancePools: 2 }
        : {}),
      ...mixed?.distribution,
    },
  };
}

export function warmPoolShape(group: Group) {
  const pool = group.warmPool;
  if (pool === undefined) return undefined;
  return {
    MinSize: pool.minSize,
    PoolState: pool.poolState,
    ...optional('MaxGroupPreparedCapacity', pool.maxGroupPreparedCapacity),
    InstanceReusePolicy: { ReuseOnScaleIn: pool.reuseOnScaleIn },
    ...(pool.deleting ? { Status: 'PendingDelete' as const } : {}),
  };
}

export const memberShape = (member: Member) => ({
  InstanceId: member.instanceId,
  InstanceType: member.instanceType,
  AvailabilityZone: member.zone,
  LifecycleState: member.state,
  HealthStatus: member.healthy ? 'Healthy' : 'Unhealthy',
  LaunchTemplate: templateShape(member.template),
  ProtectedFromScaleIn: member.protectedFromScaleIn,
});

/** DescribeAutoScalingInstances writes the health status in capitals. */
export const memberDetailsShape = (member: Member) => ({
  ...memberShape(member),
  AutoScalingGroupName: member.group.name,
  HealthStatus: member.healthy ? 'HEALTHY' : 'UNHEALTHY',
});

export const hookShape = (group: Group, hook: LifecycleHook) => ({
  LifecycleHookName: hook.name,
  AutoScalingGroupName: group.name,
  LifecycleTransition: hook.transition,
  HeartbeatTimeout: hook.heartbeatTimeoutSeconds,
  GlobalTimeout: globalTimeoutMs(hook.heartbeatTimeoutSeconds) / 1000,
  DefaultResult: hook.defaultResult,
  ...optional('NotificationMetadata', hook.notificationMetadata),
});

const progress: Readonly<Record<Activity['status'], number>> = {
  InProgress: 50,
  PreInService: 20,
  MidLifecycleAction: 60,
  Successful: 100,
  Failed: 100,
  Cancelled: 100,
};

export const activityShape = (activity: Activity) => ({
  ActivityId: activity.id,
  AutoScalingGroupName: activity.groupName,
  AutoScalingGroupARN: activity.groupArn,
  Description: activity.description,
  Cause: activity.cause,
  StartTime: new Date(activity.startTime),
  ...(activity.endTime === undefined ? {} : { EndTime: new Date(activity.endTime) }),
  StatusCode: activity.status,
  ...optional('StatusMessage', activity.statusMessage),
  Progress: progress[activity.status],
  Details: detailsText(activity.details),
});

const detailsTexts = new WeakMap<Activity['details'], string>();

/** Written once: an activity's details never change, and every poll shows a hundred of them. */
function detailsText(details: Activity['details']): string {
  let text = detailsTexts.get(details);
  if (text === undefined) {
    text = JSON.stringify(details);
    detailsTexts.set(details, text);
  }
  return text;
}
