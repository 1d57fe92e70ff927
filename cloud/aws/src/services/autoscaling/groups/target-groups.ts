import { validationError } from '../errors.ts';
import type { Group } from '../model.ts';
import type { Scaler } from '../state.ts';

/** Attaches a target group: instances in service are registered with it. */
export function attachTargetGroup(scaler: Scaler, group: Group, targetGroupArn: string): void {
  if (!scaler.aws.elbv2.hasTargetGroup(targetGroupArn))
    throw validationError('Provided Target Groups may not be valid. Please ensure they exist and try again.');
  group.targetGroupArns.add(targetGroupArn);
  for (const member of group.members.values())
    if (member.state === 'InService') scaler.aws.elbv2.registerTarget(targetGroupArn, member.instanceId);
}

export function detachTargetGroup(scaler: Scaler, group: Group, targetGroupArn: string): void {
  if (!group.targetGroupArns.delete(targetGroupArn))
    throw validationError('Trying to remove Target Groups that are not part of the group');
  for (const member of group.members.values())
    if (member.state === 'InService') scaler.aws.elbv2.deregisterTarget(targetGroupArn, member.instanceId);
}
