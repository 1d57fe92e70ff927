import { AwsError } from '../../../account/errors.ts';
import { endMemberActivity } from '../groups/activities.ts';
import type { PooledState } from '../lifecycle-states.ts';
import type { Member } from '../model.ts';
import type { Scaler } from '../state.ts';

/** Launch hooks are over: the instance is stopped, hibernated, or kept running. */
export function enterPool(scaler: Scaler, member: Member): void {
  const { poolState } = member.group.warmPool ?? { poolState: 'Stopped' };
  if (poolState === 'Running') return void settleInPool(scaler, member, 'Warmed:Running');
  try {
    member.awaiting = 'stopped';
    scaler.aws.ec2.stop(member.instanceId, { hibernate: poolState === 'Hibernated' });
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    stayAwake(scaler, member, error.message);
  }
}

/** The EC2 instance has stopped. */
export function settleStopped(scaler: Scaler, member: Member): void {
  const hibernated = scaler.aws.ec2.instances.get(member.instanceId)?.hibernated === true;
  settleInPool(scaler, member, hibernated ? 'Warmed:Hibernated' : 'Warmed:Stopped');
}

/** It could not be hibernated: the activity failed and the instance is seen running in the pool. */
export function stayAwake(scaler: Scaler, member: Member, why: string): void {
  endMemberActivity(scaler, member, 'Failed', `Instance could not be hibernated: ${why}`);
  settleInPool(scaler, member, 'Warmed:Running');
}

function settleInPool(scaler: Scaler, member: Member, state: PooledState): void {
  member.awaiting = undefined;
  member.origin = 'WarmPool';
  scaler.setState(member, state);
  endMemberActivity(scaler, member, 'Successful');
  scaler.wake(member.group);
}
