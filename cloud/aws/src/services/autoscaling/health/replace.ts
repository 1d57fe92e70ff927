import type { Ec2Instance } from '../../../account/neighbours.ts';
import { beginTermination } from '../launch/terminate.ts';
import { isInPool } from '../lifecycle-states.ts';
import type { Group, Member } from '../model.ts';
import { isWarm } from '../refresh/warmup.ts';
import { capacityOf } from '../scaling/capacity.ts';
import type { Scaler } from '../state.ts';

/**
 * Takes an instance out and lets another take its place. With a maintenance policy of at least 100 % healthy the new one
 * serves first (Instance maintenance policies: launch before terminating); else the old one goes at once.
 */
export function replaceMember(scaler: Scaler, member: Member, because: string): void {
  const { group } = member;
  const runs = scaler.aws.ec2.instances.get(member.instanceId)?.state === 'running';
  if (!runs || isInPool(member.state) || !launchesFirst(group)) return void beginTermination(scaler, member, because);
  if (member.healthy && waitingForReplacement(group).filter(isHealthy).length >= allowedSurplus(group)) return;
  member.replacedBecause = because;
  scaler.wake(group);
}

/**
 * With Capacity Rebalancing the group "waits until the new instance passes its health check before it proceeds with terminating the
 * previous instance", and may exceed its maximum meanwhile (Use Capacity Rebalancing to handle Amazon EC2 Spot interruptions). Whether
 * the instance works, or is protected from scale-in, is not asked.
 */
export function onRebalanceRecommendation(scaler: Scaler, instance: Ec2Instance): void {
  const member = scaler.members.get(instance.id);
  if (member === undefined || !member.group.capacityRebalance || member.state !== 'InService') return;
  member.replacedBecause ??=
    'an instance was taken out of service in response to an EC2 instance rebalance recommendation.';
  scaler.wake(member.group);
}

const launchesFirst = (group: Group): boolean => (group.maintenancePolicy?.MinHealthyPercentage ?? -1) >= 100;

const isHealthy = (member: Member): boolean => member.healthy;

/**
 * How many instances above the desired capacity the policy allows, at least one. Its maximum is of those "that can be in service and
 * healthy, or pending" (InstanceMaintenancePolicy), so unhealthy ones take no room.
 */
const allowedSurplus = (group: Group): number => {
  const percentage = group.maintenancePolicy?.MaxHealthyPercentage ?? 100;
  return Math.max(1, Math.floor((group.desiredCapacity * (percentage - 100)) / 100));
};

const waitingForReplacement = (group: Group): Member[] =>
  [...group.members.values()].filter((member) => member.replacedBecause !== undefined && member.state === 'InService');

/** Ends those whose replacements serve, unhealthy ones first: only healthy ones count towards the minimum. */
export function endReplaced(scaler: Scaler, group: Group): void {
  const waiting = waitingForReplacement(group).sort((a, b) => Number(a.healthy) - Number(b.healthy));
  if (waiting.length === 0 || scaler.isSuspended(group, 'Terminate')) return;
  const serving = capacityOf(group).filter((member) => member.state === 'InService' && isWarm(scaler, member)).length;
  const spare = serving + waiting.length - group.desiredCapacity;
  for (const member of waiting.slice(0, Math.max(0, spare)))
    beginTermination(scaler, member, member.replacedBecause ?? '');
}
