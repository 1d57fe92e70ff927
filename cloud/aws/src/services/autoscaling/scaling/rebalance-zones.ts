import { healthyZones, launchInstance, zoneTakesLaunches } from '../launch/launch.ts';
import { countBy } from '../launch/placement.ts';
import type { Group } from '../model.ts';
import { activeRefresh } from '../refresh/warmup.ts';
import type { Scaler } from '../state.ts';
import { capacityOf } from './capacity.ts';
import { decideScaleIn, type ScaleInCandidate } from './decide-scale-in.ts';

/** Whether the fullest zone has at least two instances more than the emptiest: moving one then makes the group more even. */
function isUnbalanced(zones: readonly string[], instances: readonly { readonly zone: string }[]): boolean {
  if (zones.length === 0) return false;
  const counts = countBy(instances, (instance) => instance.zone);
  const loads = zones.map((zone) => counts.get(zone) ?? 0);
  return Math.max(...loads) - Math.min(...loads) >= 2;
}

function emptiestZone(zones: readonly string[], instances: readonly { readonly zone: string }[]): string {
  const counts = countBy(instances, (instance) => instance.zone);
  return zones.reduce((least, zone) => ((counts.get(zone) ?? 0) < (counts.get(least) ?? 0) ? zone : least));
}

/**
 * AZRebalance: a group that became uneven launches an instance in the emptiest zone, then ends one of the fullest, one at a time.
 * It "launches new instances before terminating the old ones", and "can temporarily exceed the specified maximum capacity of a group
 * by a 10 percent margin (or by a margin of one instance, whichever is greater)" (Example: Distribute instances across Availability
 * Zones). Who goes is chosen by the termination policies, so that a protected instance is not; one that becomes protected while its
 * replacement boots goes all the same. Where all are protected, new ones included, the new instance is one too many and stays.
 */
export function rebalanceZones(scaler: Scaler, group: Group): void {
  const members = capacityOf(group);
  const avoidedUntil = [...group.avoidedZones.values()].filter((at) => at > scaler.now);
  if (avoidedUntil.length > 0) scaler.wake(group, Math.min(...avoidedUntil));
  if (!isSettled(scaler, group) || !isUnbalanced(healthyZones(scaler, group), members)) {
    group.unevenSince = undefined;
    return;
  }
  group.unevenSince ??= scaler.now;
  const dueAt = group.unevenSince + scaler.timing.rebalanceAfterMs;
  if (dueAt > scaler.now) return void scaler.wake(group, dueAt);
  if (!zoneTakesLaunches(scaler, group, emptiestZone(healthyZones(scaler, group), members)))
    return void scaler.wake(group);
  const [instanceId] = decideScaleIn(facts(scaler, group, members), (from) => scaler.random.pick(from));
  const member = group.members.get(instanceId ?? '');
  group.unevenSince = undefined;
  if (member === undefined) return void launchOneMore(scaler, group);
  member.replacedBecause = "an instance was taken out of service to aid in balancing the group's zones.";
  scaler.wake(group);
}

function launchOneMore(scaler: Scaler, group: Group): void {
  const most = Math.max(group.maxSize + 1, Math.floor(group.maxSize * 1.1));
  const cause = "an instance was launched to aid in balancing the group's zones.";
  if (group.newInstancesProtectedFromScaleIn && group.members.size < most)
    launchInstance(scaler, group, 'AutoScalingGroup', cause);
}

/** Nothing else is going on, and no process that it needs is suspended. */
function isSettled(scaler: Scaler, group: Group): boolean {
  const { subnetIds, desiredCapacity } = group;
  const processes = ['AZRebalance', 'Launch', 'Terminate'] as const;
  const members = [...group.members.values()];
  return (
    subnetIds.length > 1 &&
    activeRefresh(group) === undefined &&
    !processes.some((process) => scaler.isSuspended(group, process)) &&
    members.every((member) => member.replacedBecause === undefined && !member.state.startsWith('Pending')) &&
    members.filter((member) => member.state === 'InService').length === desiredCapacity
  );
}

const facts = (scaler: Scaler, group: Group, candidates: readonly ScaleInCandidate[]) => ({
  candidates: inFullest(candidates),
  count: 1,
  policies: group.terminationPolicies,
  currentTemplateId: group.source.template.id,
  onDemandTarget: undefined,
  now: scaler.now,
});

/** Only the fullest zones can give one away. */
function inFullest(candidates: readonly ScaleInCandidate[]): readonly ScaleInCandidate[] {
  const counts = countBy(candidates, (candidate) => candidate.zone);
  const most = Math.max(...counts.values());
  return candidates.filter((candidate) => counts.get(candidate.zone) === most);
}
