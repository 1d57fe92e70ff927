import type {
  ResourceProperties,
  ResourceProvider,
  ResourceRequest,
  ResourceUpdate,
} from '../../../account/service.ts';
import type { LifecycleHookSpecification, Tag } from '../api.ts';
import { createGroup, deleteGroup, updateGroup } from '../groups/groups.ts';
import type { GroupMetrics } from '../groups/metrics.ts';
import { attachTargetGroup, detachTargetGroup } from '../groups/target-groups.ts';
import { addHook, deleteHook } from '../hooks/hook-settings.ts';
import { retainsOnAbandon } from '../launch/terminate.ts';
import type { Group } from '../model.ts';
import type { Scaler } from '../state.ts';
import { groupRequest } from './group-request.ts';
import { applyUpdatePolicy } from './update-policy.ts';
import { waitFor } from './wait-for.ts';

/** AWS::AutoScaling::AutoScalingGroup. Ref is the name; complete when the desired capacity is in service. */
export const groupProvider = (scaler: Scaler, metrics: GroupMetrics): ResourceProvider => ({
  create: async (request) => {
    const { properties } = request;
    const name = properties.AutoScalingGroupName ?? request.generateName(255);
    const group = createGroup(scaler, {
      ...groupRequest(properties, name),
      LifecycleHookSpecificationList: hooksOf(properties),
    });
    putTags(group, properties);
    putMetrics(metrics, group, properties);
    await stabilize(scaler, group, request);
    return stateOf(group);
  },
  update: async (request) => {
    const group = scaler.group(request.physicalId);
    updateGroup(scaler, group, groupRequest(withoutUnmodifiedSizes(request), group.name));
    putTags(group, request.properties);
    putMetrics(metrics, group, request.properties);
    putHooks(scaler, group, request.properties, request.previousProperties);
    putTargetGroups(scaler, group, request.properties.TargetGroupARNs ?? []);
    await applyUpdatePolicy(scaler, group, request);
    return stateOf(group);
  },
  delete: async (request) => {
    const group = scaler.groups.get(request.physicalId);
    if (group === undefined) return;
    await emptyAndDelete(scaler, group, request.signal);
  },
});

/** Keeps sizes that schedules and alarms have set, if the policy says so and the template has not changed them. */
function withoutUnmodifiedSizes({ properties, previousProperties, updatePolicy }: ResourceUpdate): ResourceProperties {
  if (updatePolicy?.AutoScalingScheduledAction?.IgnoreUnmodifiedGroupSizeProperties !== true) return properties;
  const sizes = ['MinSize', 'MaxSize', 'DesiredCapacity'];
  return Object.fromEntries(
    Object.entries(properties).filter(([name, value]) => !(sizes.includes(name) && value === previousProperties[name])),
  );
}

/**
 * "Group did not stabilize": a group that never gets its instances fails the stack, and goes with it. That they are launched is
 * enough: whether they boot, and what their launch hooks wait for, CloudFormation learns by a creation policy only.
 */
async function stabilize(scaler: Scaler, group: Group, request: ResourceRequest): Promise<void> {
  const limitMs = scaler.timing.stabilizationLimitMs;
  if (limitMs === 0) return;
  const launched = () => [...group.members.values()].filter(({ state }) => /^(Pending:|InService)/.test(state)).length;
  try {
    await waitFor(scaler, group, () => launched() >= group.desiredCapacity, { limitMs, signal: request.signal });
  } catch (error) {
    // A group that cannot be emptied stays; the stack has to report why it was not created.
    if (retainsOnAbandon(group)) await emptyAndDelete(scaler, group).catch(() => {});
    else deleteGroup(scaler, group, true);
    throw error;
  }
}

/** The instances go first, with their hooks; then the group, without force: a group that retains instances refuses that. */
async function emptyAndDelete(scaler: Scaler, group: Group, signal?: AbortSignal): Promise<void> {
  updateGroup(scaler, group, { AutoScalingGroupName: group.name, MinSize: 0, MaxSize: 0, DesiredCapacity: 0 });
  const isEmpty = () => group.members.size === 0 && group.activitiesUnderWay === 0;
  await waitFor(scaler, group, isEmpty, { limitMs: scaler.timing.deletionLimitMs, signal });
  // An operator may have deleted it in the meantime.
  if (scaler.groups.has(group.name)) deleteGroup(scaler, group, false);
}

const stateOf = (group: Group) => ({ physicalId: group.name, attributes: { AutoScalingGroupARN: group.arn } });

const hooksOf = (properties: ResourceProperties) =>
  (properties.LifecycleHookSpecificationList ?? []) as LifecycleHookSpecification[];

/** CloudFormation may set tags that begin with `aws:`; a user may not. */
function putTags(group: Group, properties: ResourceProperties): void {
  group.tags.clear();
  for (const tag of (properties.Tags ?? []) as readonly Tag[]) {
    const propagateAtLaunch = tag.PropagateAtLaunch ?? false;
    group.tags.set(tag.Key ?? '', { key: tag.Key ?? '', value: tag.Value ?? '', propagateAtLaunch });
  }
}

function putMetrics(metrics: GroupMetrics, group: Group, properties: ResourceProperties): void {
  metrics.disable(group, undefined);
  for (const { Metrics, Granularity } of properties.MetricsCollection ?? [])
    metrics.enable(group, Metrics, Granularity);
}

/** Hooks written in the group; those of separate resources are left alone. */
function putHooks(scaler: Scaler, group: Group, properties: ResourceProperties, previous: ResourceProperties): void {
  const kept = new Set(hooksOf(properties).map((hook) => hook.LifecycleHookName));
  for (const hook of hooksOf(previous))
    if (!kept.has(hook.LifecycleHookName) && group.hooks.has(hook.LifecycleHookName ?? ''))
      deleteHook(scaler, group, hook.LifecycleHookName);
  for (const hook of hooksOf(properties)) addHook(group, hook);
}

function putTargetGroups(scaler: Scaler, group: Group, wanted: readonly string[]): void {
  for (const arn of [...group.targetGroupArns]) if (!wanted.includes(arn)) detachTargetGroup(scaler, group, arn);
  for (const arn of wanted) if (!group.targetGroupArns.has(arn)) attachTargetGroup(scaler, group, arn);
}
