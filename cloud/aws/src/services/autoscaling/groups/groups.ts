import { arn } from '../../../account/arn.ts';
import type { CreateAutoScalingGroupType, Tag, UpdateAutoScalingGroupType } from '../api.ts';
import { alreadyExists, resourceInUse, scalingActivityInProgress, validationError } from '../errors.ts';
import { addHook } from '../hooks/hook-settings.ts';
import { cancelWait } from '../hooks/lifecycle-hooks.ts';
import { beginTermination, endInstance, retainsOnAbandon } from '../launch/terminate.ts';
import type { Group, GroupSettings } from '../model.ts';
import { setDesired } from '../scaling/capacity.ts';
import type { Scaler } from '../state.ts';
import { newSettings, updatedSettings } from './settings.ts';
import { attachTargetGroup } from './target-groups.ts';

/** Creates a group with its hooks, so that they exist before the first launch. */
export function createGroup(scaler: Scaler, request: CreateAutoScalingGroupType): Group {
  const name = request.AutoScalingGroupName;
  if (name === undefined || name.length === 0 || name.length > 255 || name.includes(':'))
    throw validationError('AutoScalingGroupName must have 1 to 255 characters and no colon');
  if (scaler.groups.has(name))
    throw alreadyExists(`AutoScalingGroup by this name already exists - A group with the name ${name} already exists`);
  const settings = newSettings(scaler.aws, request);
  const group = newGroup(scaler, name, settings);
  for (const arn of request.TargetGroupARNs ?? []) attachTargetGroup(scaler, group, arn);
  setTags(group, request.Tags ?? []);
  for (const hook of request.LifecycleHookSpecificationList ?? []) addHook(group, hook);
  scaler.groups.set(name, group);
  setDesired(scaler, group, settings.desiredCapacity, 'a user request created an AutoScalingGroup');
  return group;
}

function newGroup(scaler: Scaler, name: string, settings: GroupSettings): Group {
  const resource = `autoScalingGroup:${scaler.random.uuid()}:autoScalingGroupName/${name}`;
  return {
    ...settings,
    desiredCapacity: 0,
    name,
    arn: arn(scaler.aws, 'autoscaling', resource),
    createdAt: scaler.now,
    members: new Map(),
    hooks: new Map(),
    policies: new Map(),
    suspended: new Map(),
    tags: new Map(),
    targetGroupArns: new Set(),
    enabledMetrics: new Set(),
    activities: [],
    refreshes: [],
    warmPool: undefined,
    deleting: false,
    pendingCause: [],
    wakeAt: undefined,
    wakeTimer: undefined,
    launchFailures: 0,
    launchNotBefore: 0,
    avoidedZones: new Map(),
    simpleScaling: { acting: false, cooldownMs: 0, cooldownUntil: 0 },
    activitiesUnderWay: 0,
    protectedNoticeAt: undefined,
    unevenSince: undefined,
    lifetimeTimer: undefined,
    lifetimeAt: undefined,
  };
}

/** Changes what the request names. */
export function updateGroup(scaler: Scaler, group: Group, request: UpdateAutoScalingGroupType): void {
  refuseWhileDeleting(group);
  const { desiredCapacity, ...settings } = updatedSettings(scaler.aws, group, request);
  if (group.warmPool !== undefined && settings.source.mixed !== undefined) throw spotWithWarmPool();
  Object.assign(group, settings);
  group.launchNotBefore = 0;
  const bounds = `min: ${settings.minSize}, max: ${settings.maxSize}, desired: ${desiredCapacity}`;
  setDesired(scaler, group, desiredCapacity, `a user request update of AutoScalingGroup constraints to ${bounds}`);
}

/** Limitations of warm pools: no mixed instances policy, no spot. */
export const spotWithWarmPool = () =>
  validationError(
    "You can't add a warm pool to an Auto Scaling group that has a mixed instances policy or a launch template or launch configuration that requests Spot Instances.",
  );

export function refuseWhileDeleting(group: Group): void {
  if (group.deleting) throw scalingActivityInProgress(`AutoScalingGroup ${group.name} is pending delete`);
}

/**
 * DeleteAutoScalingGroup: an empty group goes at once; a forced delete ends the instances without their hooks, and is refused
 * as long as the group retains instances whose termination hook was abandoned.
 */
export function deleteGroup(scaler: Scaler, group: Group, force: boolean): void {
  if (!force) {
    if (group.members.size > 0)
      throw resourceInUse(
        'You cannot delete an AutoScalingGroup while there are instances or pending Spot instance request(s) still in the group.',
      );
    if (group.activitiesUnderWay > 0)
      throw scalingActivityInProgress(
        'You cannot delete an AutoScalingGroup while there are scaling activities in progress for that group.',
      );
    return void removeGroup(scaler, group);
  }
  if (retainsOnAbandon(group))
    throw validationError(
      "You can't force delete this Auto Scaling group because the TerminateHookAbandon retention trigger is set to retain. Change the retention trigger to terminate and try again",
    );
  group.deleting = true;
  for (const member of [...group.members.values()]) endWithoutHooks(scaler, member);
  if (group.members.size === 0) removeGroup(scaler, group);
}

/** "This action also deletes any outstanding lifecycle actions associated with the group." */
function endWithoutHooks(scaler: Scaler, member: Parameters<typeof endInstance>[1]): void {
  cancelWait(scaler, member);
  if (member.awaiting === 'terminated') return;
  const because = 'an instance was taken out of service in response to a forced delete of the group.';
  if (member.state.includes('Terminating') && !member.state.endsWith('Retained')) endInstance(scaler, member);
  else beginTermination(scaler, member, because, { hooks: false });
}

/** Forgets a group with all that belongs to it. */
export function removeGroup(scaler: Scaler, group: Group): void {
  scaler.groups.delete(group.name);
  group.wakeTimer?.cancel();
  group.lifetimeTimer?.cancel();
  for (const policy of group.policies.values()) scaler.policiesByArn.delete(policy.arn);
}

/** Adds or replaces tags. */
function setTags(group: Group, tags: readonly Tag[]): void {
  for (const tag of tags) {
    const key = tag.Key ?? '';
    if (key.length === 0 || key.length > 128)
      throw validationError(`The tag key '${key}' must have 1 to 128 characters`);
    if (key.toLowerCase().startsWith('aws:'))
      throw validationError("Tag keys starting with 'aws:' are reserved for system use");
    group.tags.set(key, { key, value: tag.Value ?? '', propagateAtLaunch: tag.PropagateAtLaunch ?? false });
  }
}
