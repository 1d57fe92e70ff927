import { endMemberActivity, startActivity } from '../groups/activities.ts';
import { cancelWait, hooksFor, openWait } from '../hooks/lifecycle-hooks.ts';
import { isInPool } from '../lifecycle-states.ts';
import type { Group, LifecycleResult, LifecycleTransition, Member } from '../model.ts';
import type { Scaler } from '../state.ts';
import { isoSeconds } from '../timing.ts';

const terminating: LifecycleTransition = 'autoscaling:EC2_INSTANCE_TERMINATING';

/**
 * Takes an instance out of the group or the pool: load balancer, termination hooks, EC2.
 * `because` continues "At <time> …". Hooks run for every termination but a forced delete (Lifecycle hook availability).
 */
export function beginTermination(
  scaler: Scaler,
  member: Member,
  because: string,
  options: { hooks?: boolean; prefix?: string } = {},
): void {
  const { group, zone, subnetId, instanceId } = member;
  const pool = isInPool(member.state);
  cancelWait(scaler, member);
  member.awaiting = undefined;
  endMemberActivity(scaler, member, 'Cancelled', 'Instance was terminated before its launch was complete');
  deregisterTargets(scaler, member);
  const cause = `${options.prefix ?? ''}At ${isoSeconds(scaler.now)} ${because}`;
  const description = `Terminating EC2 instance${pool ? ' from warm pool' : ''}: ${instanceId}`;
  member.activity = startActivity(scaler, group, { description, cause, zone, subnetId, instanceId });
  scaler.setState(member, pool ? 'Warmed:Terminating' : 'Terminating');
  if (options.hooks === false) return void endInstance(scaler, member);
  scaler.later(member, scaler.timing.step, () => runTerminationHooks(scaler, member));
  scaler.wake(group);
}

function runTerminationHooks(scaler: Scaler, member: Member): void {
  if (hooksFor(member.group, terminating).length === 0) return void endInstance(scaler, member);
  const pool = isInPool(member.state);
  scaler.setState(member, pool ? 'Warmed:Terminating:Wait' : 'Terminating:Wait');
  if (member.activity !== undefined) member.activity.status = 'MidLifecycleAction';
  const way = { origin: pool ? 'WarmPool' : 'AutoScalingGroup', destination: 'EC2' } as const;
  openWait(scaler, member, terminating, way, (result) => afterHooks(scaler, member, result));
}

/** Whether the instance lifecycle policy keeps an instance whose termination hook was abandoned. */
export const retainsOnAbandon = ({ lifecyclePolicy }: Group): boolean =>
  lifecyclePolicy?.RetentionTriggers?.TerminateHookAbandon === 'retain';

/** Either result lets the instance go, unless the group retains on ABANDON: Control instance retention with instance lifecycle policies. */
function afterHooks(scaler: Scaler, member: Member, result: LifecycleResult): void {
  const pool = isInPool(member.state);
  const retain = result === 'ABANDON' && retainsOnAbandon(member.group);
  scaler.setState(member, pool ? 'Warmed:Terminating:Proceed' : 'Terminating:Proceed');
  if (member.activity !== undefined) member.activity.status = 'InProgress';
  if (!retain) return void endInstance(scaler, member);
  scaler.later(member, scaler.timing.step, () => {
    if (instanceIsGone(scaler, member)) return finishTermination(scaler, member);
    endMemberActivity(scaler, member, 'Cancelled', 'Instance was retained because its termination hook was abandoned');
    scaler.setState(member, pool ? 'Warmed:Terminating:Retained' : 'Terminating:Retained');
    scaler.wake(member.group);
  });
}

/** Ends the EC2 instance; the member goes when EC2 says `terminated`. */
export function endInstance(scaler: Scaler, member: Member): void {
  if (instanceIsGone(scaler, member)) return void finishTermination(scaler, member);
  member.awaiting = 'terminated';
  scaler.aws.ec2.terminate(member.instanceId, 'Client.UserInitiatedShutdown: User initiated shutdown');
}

const instanceIsGone = (scaler: Scaler, member: Member) => {
  const state = scaler.aws.ec2.instances.get(member.instanceId)?.state;
  return state === undefined || state === 'terminated';
};

/** The instance is gone: the member leaves the group for good. */
export function finishTermination(scaler: Scaler, member: Member): void {
  cancelWait(scaler, member);
  scaler.setState(member, isInPool(member.state) ? 'Warmed:Terminated' : 'Terminated');
  endMemberActivity(scaler, member, 'Successful');
  scaler.forget(member);
  scaler.wake(member.group);
}

/** Before hooks run: "automatically deregisters the terminating instance from the load balancer before running lifecycle hooks". */
export function deregisterTargets(scaler: Scaler, member: Member): void {
  const elbv2 = scaler.aws.elbv2;
  if (member.inServiceAt === undefined || isInPool(member.state)) return;
  for (const arn of member.group.targetGroupArns) elbv2.deregisterTarget(arn, member.instanceId);
}
