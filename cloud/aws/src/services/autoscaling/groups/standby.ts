import { validationError } from '../errors.ts';
import { enterService } from '../launch/continue-launch.ts';
import { deregisterTargets } from '../launch/terminate.ts';
import type { LifecycleState } from '../lifecycle-states.ts';
import type { Activity, Group, Member } from '../model.ts';
import { setDesired } from '../scaling/capacity.ts';
import type { Scaler } from '../state.ts';
import { isoSeconds } from '../timing.ts';
import { endActivity, endMemberActivity, startActivity } from './activities.ts';

/** Temporarily remove instances from your Auto Scaling group: no hooks run. */
export function enterStandby(scaler: Scaler, group: Group, ids: readonly string[], decrement: boolean): Activity[] {
  const members = ids.map((id) => memberIn(group, id, ['InService']));
  const shrink = shrinkFor(scaler, group, members.length, decrement);
  return members.map((member) => {
    const cause = `At ${isoSeconds(scaler.now)} instance ${member.instanceId} was moved to standby in response to a user request${shrink}.`;
    const activity = begin(scaler, member, `Moving EC2 instance to Standby: ${member.instanceId}`, cause);
    deregisterTargets(scaler, member);
    member.replacedBecause = undefined;
    scaler.setState(member, 'EnteringStandby');
    scaler.later(member, scaler.timing.step, () => {
      scaler.setState(member, 'Standby');
      endMemberActivity(scaler, member, 'Successful');
    });
    return activity;
  });
}

/** Back into service; the desired capacity grows by as many. */
export function exitStandby(scaler: Scaler, group: Group, ids: readonly string[]): Activity[] {
  if (scaler.isSuspended(group, 'Launch'))
    throw validationError('The Launch process is suspended: instances cannot return to service.');
  const members = ids.map((id) => memberIn(group, id, ['Standby']));
  const before = group.desiredCapacity;
  if (before + members.length > group.maxSize)
    throw validationError(
      `The desired capacity ${before + members.length} would be above the maximum size ${group.maxSize}`,
    );
  setDesired(scaler, group, before + members.length, 'a user request');
  group.pendingCause = [];
  return members.map((member) => {
    const growth = `increasing the capacity from ${before} to ${group.desiredCapacity}`;
    const cause = `At ${isoSeconds(scaler.now)} instance ${member.instanceId} was moved out of standby in response to a user request, ${growth}.`;
    const activity = begin(scaler, member, `Moving EC2 instance out of Standby: ${member.instanceId}`, cause);
    activity.status = 'PreInService';
    scaler.setState(member, 'Pending');
    scaler.later(member, scaler.timing.step, () => enterService(scaler, member));
    return activity;
  });
}

/** Detach instances from your Auto Scaling group: they run on, without the group and without hooks. */
export function detach(scaler: Scaler, group: Group, ids: readonly string[], decrement: boolean): Activity[] {
  const members = ids.map((id) => memberIn(group, id, ['InService', 'Standby']));
  const serving = members.filter((member) => member.state === 'InService').length;
  const shrink = shrinkFor(scaler, group, serving, decrement);
  return members.map((member) => {
    const cause = `At ${isoSeconds(scaler.now)} instance ${member.instanceId} was detached in response to a user request${shrink}.`;
    const activity = begin(scaler, member, `Detaching EC2 instance: ${member.instanceId}`, cause);
    deregisterTargets(scaler, member);
    scaler.setState(member, 'Detaching');
    scaler.later(member, scaler.timing.step, () => {
      scaler.setState(member, 'Detached');
      endMemberActivity(scaler, member, 'Successful');
      scaler.forget(member);
      scaler.wake(group);
    });
    return activity;
  });
}

function memberIn(group: Group, id: string, states: readonly LifecycleState[]): Member {
  const member = group.members.get(id);
  if (member === undefined)
    throw validationError(`The instance ${id} is not part of Auto Scaling group ${group.name}.`);
  if (!states.includes(member.state)) throw validationError(`The instance ${id} is not in ${states.join(' or ')}.`);
  return member;
}

function begin(scaler: Scaler, member: Member, description: string, cause: string): Activity {
  const { group, zone, subnetId, instanceId } = member;
  if (member.activity !== undefined) endActivity(scaler, group, member.activity, 'Cancelled');
  member.activity = startActivity(scaler, group, { description, cause, zone, subnetId, instanceId });
  return member.activity;
}

/** Lowers the desired capacity where that was asked for; answers how the cause tells it. */
function shrinkFor(scaler: Scaler, group: Group, count: number, decrement: boolean): string {
  scaler.wake(group);
  if (!decrement) return '';
  const before = group.desiredCapacity;
  if (before - count < group.minSize)
    throw validationError(
      `Currently, desiredSize equals ${before} and minSize ${group.minSize}. Removing ${count} instance(s) without replacement will violate group's min size constraint. Either set shouldDecrementDesiredCapacity flag to false or lower group's min size.`,
    );
  setDesired(scaler, group, before - count, 'a user request');
  group.pendingCause = [];
  return `, shrinking the capacity from ${before} to ${group.desiredCapacity}`;
}
