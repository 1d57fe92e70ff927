import { endMemberActivity, startActivity } from '../groups/activities.ts';
import { hooksFor, openWait } from '../hooks/lifecycle-hooks.ts';
import { continueLaunch } from '../launch/continue-launch.ts';
import { launchInstance } from '../launch/launch.ts';
import { countBy } from '../launch/placement.ts';
import { beginTermination, deregisterTargets } from '../launch/terminate.ts';
import { countsAsCapacity, isInPool, isLeaving, isPooled } from '../lifecycle-states.ts';
import type { Group, LifecycleTransition, Member } from '../model.ts';
import type { Scaler } from '../state.ts';
import { isoSeconds } from '../timing.ts';
import { enterPool } from './enter-pool.ts';

const terminating: LifecycleTransition = 'autoscaling:EC2_INSTANCE_TERMINATING';

/** In the pool or on the way into it. */
export const poolMembers = (group: Group): Member[] =>
  [...group.members.values()].filter((member) => isInPool(member.state) && !isLeaving(member.state));

/** How many instances the pool should hold now. */
export const poolDesired = (group: Group): number =>
  group.warmPool === undefined || group.warmPool.deleting
    ? 0
    : warmPoolSize({
        minSize: group.warmPool.minSize,
        preparedCapacity: group.warmPool.maxGroupPreparedCapacity ?? group.maxSize,
        desiredCapacity: group.desiredCapacity,
      });

/** Launches into the pool what is missing, ends what is too much. */
export function stepWarmPool(scaler: Scaler, group: Group): void {
  if (group.warmPool === undefined) return;
  const members = poolMembers(group);
  const missing = poolDesired(group) - members.length;
  if (missing > 0) fillPool(scaler, group, missing);
  if (missing < 0 && !scaler.isSuspended(group, 'Terminate')) shrinkPool(scaler, members, -missing);
  if (group.warmPool.deleting && ![...group.members.values()].some((member) => isInPool(member.state)))
    group.warmPool = undefined;
}

function fillPool(scaler: Scaler, group: Group, missing: number): void {
  if (scaler.isSuspended(group, 'Launch') || scaler.now < group.launchNotBefore) return;
  const because = 'an instance was started in response to a difference between desired and actual capacity';
  for (let i = 0; i < missing; i++) {
    const cause = `At ${isoSeconds(scaler.now)} ${because} of the warm pool.`;
    if (launchInstance(scaler, group, 'WarmPool', cause) === undefined) return;
  }
}

function shrinkPool(scaler: Scaler, members: readonly Member[], surplus: number): void {
  const settled = members.filter((member) => isPooled(member.state));
  const because =
    'an instance was taken out of the warm pool in response to a difference between desired and actual capacity.';
  for (const member of settled.slice(0, surplus)) beginTermination(scaler, member, because);
}

/** Takes ready instances out of the pool into the group, emptiest zones first; returns how many there were. */
export function drawFromPool(scaler: Scaler, group: Group, wanted: number, cause: string): number {
  const ready = [...group.members.values()].filter((member) => isPooled(member.state) && member.healthy);
  const serving = [...group.members.values()].filter((member) => countsAsCapacity(member.state));
  const perZone = countBy(serving, (member) => member.zone);
  let drawn = 0;
  for (; drawn < wanted && ready.length > 0; drawn++) {
    const load = (member: Member) => perZone.get(member.zone) ?? 0;
    const next = ready.reduce((best, member) => (load(member) < load(best) ? member : best));
    ready.splice(ready.indexOf(next), 1);
    perZone.set(next.zone, load(next) + 1);
    leavePool(scaler, next, cause);
  }
  return drawn;
}

/** A warm start: the instance wakes and the launch hooks run again (Use lifecycle hooks with a warm pool). */
function leavePool(scaler: Scaler, member: Member, cause: string): void {
  const { group, zone, subnetId, instanceId } = member;
  const description = `Launching a new EC2 instance from warm pool: ${instanceId}`;
  member.activity = startActivity(scaler, group, { description, cause, zone, subnetId, instanceId });
  member.awaiting = 'running';
  scaler.setState(member, 'Pending');
  if (scaler.aws.ec2.instances.get(instanceId)?.state === 'stopped') scaler.aws.ec2.start(instanceId);
  else scaler.later(member, scaler.timing.step, () => continueLaunch(scaler, member));
}

/** Scale-in with a reuse policy: termination hooks, then back into the pool (Instance reuse policy). */
export function returnToPool(scaler: Scaler, member: Member, cause: string): void {
  const { group, zone, subnetId, instanceId } = member;
  deregisterTargets(scaler, member);
  const description = `Returning EC2 instance to warm pool: ${instanceId}`;
  member.activity = startActivity(scaler, group, { description, cause, zone, subnetId, instanceId });
  member.inServiceAt = undefined;
  member.protectedFromScaleIn = false;
  scaler.setState(member, 'Warmed:Pending');
  scaler.later(member, scaler.timing.step, () => runReturnHooks(scaler, member));
}

function runReturnHooks(scaler: Scaler, member: Member): void {
  if (hooksFor(member.group, terminating).length === 0) return void enterPool(scaler, member);
  scaler.setState(member, 'Warmed:Pending:Wait');
  const way = { origin: 'AutoScalingGroup', destination: 'WarmPool' } as const;
  openWait(scaler, member, terminating, way, (result) => {
    scaler.setState(member, 'Warmed:Pending:Proceed');
    scaler.later(member, scaler.timing.step, () => {
      if (result === 'CONTINUE') return enterPool(scaler, member);
      if (member.group.lifecyclePolicy?.RetentionTriggers?.TerminateHookAbandon !== 'retain')
        return beginTermination(scaler, member, 'an instance was not returned to the warm pool.', { hooks: false });
      endMemberActivity(scaler, member, 'Cancelled', 'Instance was retained because its hook was abandoned');
      scaler.setState(member, 'Warmed:Pending:Retained');
      scaler.wake(member.group);
    });
  });
}

/** Whether an instance that leaves the group goes to the pool instead of its end. */
export const hasRoomForReturn = (group: Group): boolean =>
  group.warmPool !== undefined &&
  !group.warmPool.deleting &&
  group.warmPool.reuseOnScaleIn &&
  poolMembers(group).length < poolDesired(group);

/**
 * How many instances a warm pool holds: what the prepared capacity leaves beside the group's desired capacity,
 * and never fewer than its minimum size (Warm pool size; metric WarmPoolDesiredCapacity).
 */
export function warmPoolSize(facts: {
  readonly minSize: number;
  /** MaxGroupPreparedCapacity, which counts group plus pool; the group's maximum size where it is not set. */
  readonly preparedCapacity: number;
  readonly desiredCapacity: number;
}): number {
  return Math.max(facts.minSize, facts.preparedCapacity - facts.desiredCapacity, 0);
}
