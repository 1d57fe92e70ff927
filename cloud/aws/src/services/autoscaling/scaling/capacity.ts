import { beginCooldown, endActivity, startActivity } from '../groups/activities.ts';
import { launchInstance } from '../launch/launch.ts';
import { onDemandTarget } from '../launch/placement.ts';
import { beginTermination } from '../launch/terminate.ts';
import { countsAsCapacity } from '../lifecycle-states.ts';
import type { Group, Member } from '../model.ts';
import type { Scaler } from '../state.ts';
import { isoSeconds } from '../timing.ts';
import { drawFromPool, hasRoomForReturn, returnToPool, stepWarmPool } from '../warm-pool/warm-pool.ts';
import { decideScaleIn } from './decide-scale-in.ts';

/** Most launches of one look; the rest follows at the next. */
const mostLaunchesAtOnce = 100;

/** Members that count towards the desired capacity. One that waits for its replacement no longer does. */
export const capacityOf = (group: Group): Member[] =>
  [...group.members.values()].filter(
    (member) => countsAsCapacity(member.state) && member.replacedBecause === undefined,
  );

/** Brings a group to its desired capacity: out, in, then the pool. */
export function stepCapacity(scaler: Scaler, group: Group): void {
  const members = capacityOf(group);
  const missing = group.desiredCapacity - members.length;
  if (missing > 0) scaleOut(scaler, group, members.length, missing);
  else if (missing < 0) scaleIn(scaler, group, members, -missing);
  else settle(scaler, group);
  stepWarmPool(scaler, group);
}

/** Nothing is to be done: what was asked for is there. */
function settle(scaler: Scaler, group: Group): void {
  group.pendingCause = [];
  beginCooldown(scaler, group);
}

function scaleOut(scaler: Scaler, group: Group, actual: number, missing: number): void {
  if (scaler.isSuspended(group, 'Launch')) return;
  if (scaler.now < group.launchNotBefore) return void scaler.wake(group, group.launchNotBefore);
  const because = 'an instance was started in response to a difference between desired and actual capacity';
  const cause = `${takeCause(group)}At ${isoSeconds(scaler.now)} ${because}, increasing the capacity from ${actual} to ${group.desiredCapacity}.`;
  let launched = drawFromPool(scaler, group, missing, cause);
  const most = Math.min(missing, mostLaunchesAtOnce);
  for (; launched < most; launched++)
    if (launchInstance(scaler, group, 'AutoScalingGroup', cause) === undefined) return;
  if (launched < missing) scaler.wake(group);
}

/** "A scale-in activity can't start while a scale-out activity is in progress": Step and simple scaling policies. */
function scaleIn(scaler: Scaler, group: Group, members: readonly Member[], surplus: number): void {
  if (scaler.isSuspended(group, 'Terminate')) return;
  if (members.some((member) => member.state !== 'InService')) return;
  const chosen = chooseForScaleIn(scaler, group, members, surplus);
  const because =
    'an instance was taken out of service in response to a difference between desired and actual capacity';
  const prefix = chosen.length === 0 ? '' : takeCause(group);
  for (const instanceId of chosen) {
    const shrinking = `shrinking the capacity from ${members.length} to ${members.length - chosen.length}.`;
    const selected = `${because}, ${shrinking}  At ${isoSeconds(scaler.now)} instance ${instanceId} was selected for termination.`;
    const member = group.members.get(instanceId)!;
    if (hasRoomForReturn(group)) returnToPool(scaler, member, `${prefix}At ${isoSeconds(scaler.now)} ${selected}`);
    else beginTermination(scaler, member, selected, { prefix });
  }
  if (chosen.length < surplus) noteProtected(scaler, group);
}

function chooseForScaleIn(scaler: Scaler, group: Group, members: readonly Member[], count: number): readonly string[] {
  const { mixed, template } = group.source;
  return decideScaleIn(
    {
      candidates: members,
      count,
      policies: group.terminationPolicies,
      currentTemplateId: template.id,
      onDemandTarget: mixed && onDemandTarget(mixed.distribution, members.length - count),
      now: scaler.now,
    },
    (from) => scaler.random.pick(from),
  );
}

/** "Could not scale to desired capacity because all remaining instances are protected": Use instance scale-in protection. */
function noteProtected(scaler: Scaler, group: Group): void {
  if (group.protectedNoticeAt === group.desiredCapacity) return;
  group.protectedNoticeAt = group.desiredCapacity;
  const description =
    'Could not scale to desired capacity because all remaining instances are protected from scale-in.';
  const activity = startActivity(scaler, group, { description, cause: takeCause(group).trimEnd() });
  endActivity(scaler, group, activity, 'Failed');
}

/** Why the capacity changed, reported once. */
function takeCause(group: Group): string {
  const cause = group.pendingCause.join('');
  group.pendingCause = [];
  return cause;
}

/** Sets the desired capacity and keeps the reason for the activities that follow. */
export function setDesired(scaler: Scaler, group: Group, desired: number, reason: string): void {
  if (desired !== group.desiredCapacity) {
    const change = `changing the desired capacity from ${group.desiredCapacity} to ${desired}.`;
    group.pendingCause.push(`At ${isoSeconds(scaler.now)} ${reason} ${change}  `);
    group.desiredCapacity = desired;
    group.protectedNoticeAt = undefined;
  }
  scaler.wake(group);
}
