import type { Operations } from '../../../account/service.ts';
import { validationError } from '../errors.ts';
import { markUnhealthy } from '../health/health.ts';
import { beginTermination } from '../launch/terminate.ts';
import { isInPool, isLeaving, isRetained } from '../lifecycle-states.ts';
import type { Activity, Group, Member } from '../model.ts';
import { activityShape } from '../responses.ts';
import { setDesired } from '../scaling/capacity.ts';
import type { Scaler } from '../state.ts';
import { change, onGroup } from './permissions.ts';

interface ProtectionInput {
  readonly AutoScalingGroupName: string | undefined;
  readonly InstanceIds?: readonly string[];
  readonly ProtectedFromScaleIn?: boolean;
}

interface TerminateInput {
  readonly InstanceId?: string;
  readonly ShouldDecrementDesiredCapacity?: boolean;
}

interface HealthInput {
  readonly InstanceId?: string;
  readonly HealthStatus?: string;
  readonly ShouldRespectGracePeriod?: boolean;
}

/** Operations on single instances of a group. */
export const instanceOperations = (scaler: Scaler): Operations => ({
  SetInstanceProtection: change(scaler, 'SetInstanceProtection', (group, input: ProtectionInput) => {
    const members = (input.InstanceIds ?? []).map((id) => protectable(group, id));
    for (const member of members) member.protectedFromScaleIn = input.ProtectedFromScaleIn ?? false;
    group.protectedNoticeAt = undefined;
    scaler.wake(group);
  }),
  TerminateInstanceInAutoScalingGroup: {
    permissions: (input: TerminateInput) => {
      const group = scaler.members.get(input.InstanceId ?? '')?.group;
      return onGroup(scaler, 'TerminateInstanceInAutoScalingGroup', group?.name ?? '*');
    },
    run: (input: TerminateInput, { principal }) => {
      const activity = terminateMember(scaler, input);
      activity.by ??= principal.arn;
      return { Activity: activityShape(activity) };
    },
  },
  SetInstanceHealth: {
    permissions: (input: HealthInput) =>
      onGroup(scaler, 'SetInstanceHealth', scaler.members.get(input.InstanceId ?? '')?.group.name ?? '*'),
    run: (input: HealthInput) => {
      setHealth(scaler, input);
      return {};
    },
  },
});

/** Refused outside InService (and Standby, which is not modelled): SetInstanceProtection. */
function protectable(group: Group, instanceId: string): Member {
  const member = group.members.get(instanceId);
  if (member === undefined)
    throw validationError(`The instance ${instanceId} is not part of Auto Scaling group ${group.name}.`);
  if (member.state !== 'InService')
    throw validationError(`The instance ${instanceId} is not in InService or EnteringStandby or Standby.`);
  return member;
}

/** Ends an instance, protected or not; the group replaces it unless the desired capacity shrinks. Also releases a retained one. */
function terminateMember(scaler: Scaler, input: TerminateInput): Activity {
  const member = memberOf(scaler, input.InstanceId);
  const { group } = member;
  const decrement = input.ShouldDecrementDesiredCapacity ?? false;
  if (isRetained(member.state)) {
    beginTermination(scaler, member, 'an instance was taken out of service in response to a user request.', {
      hooks: false,
    });
    return member.activity!;
  }
  if (isInPool(member.state))
    throw validationError(
      `The instance ${member.instanceId} is in a warm pool. This operation cannot be called on it.`,
    );
  if (isLeaving(member.state)) {
    if (member.activity !== undefined) return member.activity;
    throw validationError(`The instance ${member.instanceId} is not in a state from which it can be terminated.`);
  }
  if (decrement && group.desiredCapacity - 1 < group.minSize)
    throw validationError(
      `Currently, desiredSize equals minSize (${group.minSize}). Terminating instance without replacement will violate group's min size constraint. Either set shouldDecrementDesiredCapacity flag to false or lower group's min size.`,
    );
  const before = group.desiredCapacity;
  if (decrement) setDesired(scaler, group, before - 1, 'a user request');
  if (decrement) group.pendingCause = [];
  const shrinking = decrement ? `, shrinking the capacity from ${before} to ${group.desiredCapacity}` : '';
  beginTermination(
    scaler,
    member,
    `instance ${member.instanceId} was taken out of service in response to a user request${shrinking}.`,
  );
  return member.activity!;
}

function memberOf(scaler: Scaler, instanceId: string | undefined): Member {
  const member = scaler.members.get(instanceId ?? '');
  if (member === undefined)
    throw validationError(`Instance Id not found - No managed instance found for instance ID ${instanceId}`);
  return member;
}

/** A custom health check; within the grace period it is ignored unless the caller says otherwise. */
function setHealth(scaler: Scaler, input: HealthInput): void {
  const member = memberOf(scaler, input.InstanceId);
  const status = input.HealthStatus;
  if (status !== 'Healthy' && status !== 'Unhealthy')
    throw validationError(`HealthStatus must be Healthy or Unhealthy, not ${status}`);
  if (isLeaving(member.state))
    throw validationError(`Instance ${member.instanceId} is already terminating: its health cannot be set.`);
  if (status === 'Healthy') {
    member.healthy = true;
    return;
  }
  const graceUntil = (member.inServiceAt ?? scaler.now) + member.group.healthCheckGracePeriodSeconds * 1000;
  if ((input.ShouldRespectGracePeriod ?? true) && scaler.now < graceUntil) return;
  markUnhealthy(scaler, member, 'an instance was taken out of service in response to a user health-check.');
}
