import { endMemberActivity } from '../groups/activities.ts';
import { hooksFor, openWait } from '../hooks/lifecycle-hooks.ts';
import { isInPool } from '../lifecycle-states.ts';
import type { LifecycleTransition, Member } from '../model.ts';
import type { Scaler } from '../state.ts';
import { enterPool } from '../warm-pool/enter-pool.ts';
import { beginTermination } from './terminate.ts';

const launching: LifecycleTransition = 'autoscaling:EC2_INSTANCE_LAUNCHING';

/** The EC2 instance of a pending member runs: launch hooks, or on at once. */
export function continueLaunch(scaler: Scaler, member: Member): void {
  member.awaiting = undefined;
  const pool = isInPool(member.state);
  const proceed = () => (pool ? enterPool(scaler, member) : enterService(scaler, member));
  if (hooksFor(member.group, launching).length === 0) return void proceed();
  scaler.setState(member, pool ? 'Warmed:Pending:Wait' : 'Pending:Wait');
  if (member.activity !== undefined) member.activity.status = 'MidLifecycleAction';
  const way = { origin: member.origin, destination: pool ? 'WarmPool' : 'AutoScalingGroup' } as const;
  openWait(scaler, member, launching, way, (result, why) => {
    if (result === 'ABANDON') return abandonLaunch(scaler, member, why);
    scaler.setState(member, pool ? 'Warmed:Pending:Proceed' : 'Pending:Proceed');
    if (member.activity !== undefined) member.activity.status = 'InProgress';
    scaler.later(member, scaler.timing.step, proceed);
  });
}

/** "ABANDON … Amazon EC2 Auto Scaling can terminate and replace the instance": Add lifecycle hooks. */
function abandonLaunch(scaler: Scaler, member: Member, why: string): void {
  endMemberActivity(scaler, member, 'Cancelled', `Instance failed to complete user's Lifecycle Action: ${why}`);
  beginTermination(scaler, member, 'an instance was taken out of service in response to a launch failure.');
}

/** The instance is attached: load balancer, protection and health checks begin. */
function enterService(scaler: Scaler, member: Member): void {
  const { group } = member;
  if (!scaler.isSuspended(group, 'AddToLoadBalancer')) registerTargets(scaler, member);
  member.inServiceAt = scaler.now;
  member.protectedFromScaleIn = group.newInstancesProtectedFromScaleIn;
  scaler.setState(member, 'InService');
  endMemberActivity(scaler, member, 'Successful');
  scaler.wake(group);
}

function registerTargets(scaler: Scaler, member: Member): void {
  const elbv2 = scaler.aws.elbv2;
  for (const arn of member.group.targetGroupArns) elbv2.registerTarget(arn, member.instanceId);
}
