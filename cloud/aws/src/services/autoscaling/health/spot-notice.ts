import type { Ec2Instance } from '../../../account/neighbours.ts';
import { beginTermination } from '../launch/terminate.ts';
import type { Scaler } from '../state.ts';

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
