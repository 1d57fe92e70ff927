import type { Ec2Instance } from '../../../account/neighbours.ts';
import { endMemberActivity } from '../groups/activities.ts';
import { continueLaunch } from '../launch/continue-launch.ts';
import { beginTermination, finishTermination } from '../launch/terminate.ts';
import { isLeaving, isPooled } from '../lifecycle-states.ts';
import type { Group, Member } from '../model.ts';
import type { Scaler } from '../state.ts';
import { settleStopped, stayAwake } from '../warm-pool/enter-pool.ts';
import { replaceMember } from './replace.ts';

const stopped =
  'an instance was taken out of service in response to an EC2 health check indicating it has been terminated or stopped.';
const impaired = 'an instance was taken out of service in response to an EC2 instance status checks failure.';

const unhealthyTarget = 'an instance was taken out of service in response to an ELB system health check failure.';

/** EC2 says that an instance changed its state: what was waited for goes on, what was not is a health problem. */
export function onInstanceState(scaler: Scaler, instance: Ec2Instance): void {
  const member = scaler.members.get(instance.id);
  if (member === undefined) return;
  if (instance.state === 'running') onRunning(scaler, member);
  else if (instance.state === 'stopped' && member.awaiting === 'stopped') settleStopped(scaler, member);
  else if (instance.state === 'terminated' && member.awaiting === 'terminated') finishTermination(scaler, member);
  else if (instance.state !== 'pending' && isUnexpected(member, instance))
    scaler.later(member, scaler.timing.healthDetection, () => onVanished(scaler, member, instance));
}

function onRunning(scaler: Scaler, member: Member): void {
  if (member.awaiting === 'running') continueLaunch(scaler, member);
  else if (member.awaiting === 'stopped') stayAwake(scaler, member, 'the operating system kept running');
}

/** A stop that was asked for, or the end of one that leaves, is no problem. */
function isUnexpected(member: Member, instance: Ec2Instance): boolean {
  if (isLeaving(member.state)) return false;
  const stops = instance.state === 'stopping' || instance.state === 'stopped';
  return !(stops && (member.awaiting === 'stopped' || isPooled(member.state)));
}

/** Health checks work on instances in service; one that vanishes before has failed to launch. */
function onVanished(scaler: Scaler, member: Member, instance: Ec2Instance): void {
  if (instance.state === 'running') return;
  if (member.state === 'InService' || isPooled(member.state)) return void markUnhealthy(scaler, member, stopped);
  const reason = instance.stateReason ?? 'unknown';
  endMemberActivity(
    scaler,
    member,
    'Cancelled',
    `Instance became unhealthy while waiting for instance to be in InService state. Termination Reason: ${reason}`,
  );
  beginTermination(scaler, member, stopped);
}

/** A failed status check counts after some patience, and once the grace period is over: Health checks for instances. */
export function onImpaired(scaler: Scaler, instance: Ec2Instance): void {
  const member = scaler.members.get(instance.id);
  if (member === undefined || member.state !== 'InService') return;
  const untilMs = (member.inServiceAt ?? 0) + member.group.healthCheckGracePeriodSeconds * 1000;
  const graceMs = Math.max(0, untilMs - scaler.now);
  const [least, most] = scaler.timing.impairedPatience;
  scaler.later(member, [graceMs + least, graceMs + most], () => {
    const still = scaler.aws.ec2.instances.get(instance.id)?.impaired === true;
    if (still && !scaler.isSuspended(member.group, 'HealthCheck')) markUnhealthy(scaler, member, impaired);
  });
}

/** A load balancer's verdict counts where the group's health check type has `ELB`, once the grace period is over. */
export function onTargetHealth(scaler: Scaler, instanceId: string, healthy: boolean): void {
  const member = scaler.members.get(instanceId);
  if (member === undefined || member.state !== 'InService' || !member.group.healthCheckType.includes('ELB')) return;
  member.targetHealthy = healthy;
  if (healthy) return;
  const untilMs = (member.inServiceAt ?? 0) + member.group.healthCheckGracePeriodSeconds * 1000;
  const graceMs = Math.max(0, untilMs - scaler.now);
  scaler.later(member, [graceMs, graceMs], () => {
    const suspended = scaler.isSuspended(member.group, 'HealthCheck');
    if (!member.targetHealthy && !suspended) markUnhealthy(scaler, member, unhealthyTarget);
  });
}

/** Marked unhealthy once; "its health status can't be changed back" by checks, only by SetInstanceHealth before it is replaced. */
export function markUnhealthy(scaler: Scaler, member: Member, because: string): void {
  if (because === stopped && scaler.isSuspended(member.group, 'HealthCheck')) return;
  member.healthy = false;
  member.unhealthyBecause = because;
  scaler.wake(member.group);
}

/** Handles again what an event did not lead to, because the process was suspended or the member was in transition. */
export function checkHealth(scaler: Scaler, group: Group): void {
  if (scaler.isSuspended(group, 'HealthCheck')) return;
  for (const member of group.members.values()) {
    if (!member.healthy || (member.state !== 'InService' && !isPooled(member.state))) continue;
    const problem = healthProblem(scaler, member);
    if (problem === undefined) continue;
    if (problem.dueAt > scaler.now) scaler.wake(group, problem.dueAt);
    else markUnhealthy(scaler, member, problem.because);
  }
}

/** The problem of the EC2 instance, and the time by which it counts. */
function healthProblem(scaler: Scaler, member: Member): { dueAt: number; because: string } | undefined {
  const instance = scaler.aws.ec2.instances.get(member.instanceId);
  const { healthDetection, impairedPatience } = scaler.timing;
  if (instance === undefined) return { dueAt: scaler.now, because: stopped };
  const ends = instance.state === 'terminated' || instance.state === 'shutting-down';
  const runs = instance.state === 'running' || instance.state === 'pending';
  if (ends || (member.state === 'InService' && !runs))
    return { dueAt: instance.stateChangedAt + healthDetection[1], because: stopped };
  if (!instance.impaired || member.state !== 'InService') return undefined;
  const graceUntil = (member.inServiceAt ?? 0) + member.group.healthCheckGracePeriodSeconds * 1000;
  return { dueAt: Math.max(instance.impairedAt, graceUntil) + impairedPatience[1], because: impaired };
}

/** Replaces what is unhealthy, protected or not: protection is against scale-in only. */
export function replaceUnhealthy(scaler: Scaler, group: Group): void {
  if (scaler.isSuspended(group, 'ReplaceUnhealthy') || scaler.isSuspended(group, 'Terminate')) return;
  for (const member of [...group.members.values()]) {
    if (member.healthy || member.replacedBecause !== undefined) continue;
    if (member.state === 'InService' || isPooled(member.state)) replaceMember(scaler, member, member.unhealthyBecause);
  }
}

/**
 * "In cases where an instance receives a final two-minute interruption notice, Amazon EC2 Auto Scaling calls the termination
 * lifecycle hook and attempts to launch a replacement immediately", with Capacity Rebalancing. Without it the group acts when
 * the instance is gone and its health check fails.
 */
export function onSpotNotice(scaler: Scaler, instance: Ec2Instance): void {
  const member = scaler.members.get(instance.id);
  if (member === undefined || !member.group.capacityRebalance || member.state !== 'InService') return;
  const because = 'an instance was taken out of service in response to an EC2 Spot Instance interruption notice.';
  scaler.later(member, scaler.timing.reaction, () => beginTermination(scaler, member, because));
}
