import type { Group, Member } from '../model.ts';
import type { Scaler } from '../state.ts';
import { replaceMember } from './replace.ts';

/** Instances in service that are too old. Protected ones wait until they no longer are. */
const overdue = (scaler: Scaler, group: Group, lifetimeMs: number): Member[] =>
  [...group.members.values()].filter(
    (member) =>
      member.state === 'InService' &&
      member.replacedBecause === undefined &&
      !member.protectedFromScaleIn &&
      scaler.now >= member.launchedAt + lifetimeMs,
  );

/**
 * Replaces instances that reached the maximum lifetime, "one at a time, with a pause between replacements", up to ten per cent
 * of the group at once (Replace instances based on maximum instance lifetime).
 */
export function replaceOldInstances(scaler: Scaler, group: Group): void {
  if (group.maxInstanceLifetimeSeconds === undefined) return;
  const lifetimeMs = group.maxInstanceLifetimeSeconds * 1000;
  const members = [...group.members.values()];
  const settled = members.filter((member) => member.state === 'InService' && member.replacedBecause === undefined);
  const room =
    Math.max(1, Math.floor(group.desiredCapacity / 10)) - Math.max(0, group.desiredCapacity - settled.length);
  const old = overdue(scaler, group, lifetimeMs).sort((a, b) => a.launchedAt - b.launchedAt);
  if (!scaler.isSuspended(group, 'Terminate'))
    for (const member of old.slice(0, Math.max(0, room)))
      replaceMember(
        scaler,
        member,
        'an instance was taken out of service in response to reaching its maximum instance lifetime.',
      );
  wakeAtNextEnd(scaler, group, lifetimeMs);
}

/** One alarm clock per group, for the instance that is old next. */
function wakeAtNextEnd(scaler: Scaler, group: Group, lifetimeMs: number): void {
  let next = Number.POSITIVE_INFINITY;
  for (const member of group.members.values())
    if (member.state === 'InService' && member.launchedAt + lifetimeMs > scaler.now)
      next = Math.min(next, member.launchedAt + lifetimeMs);
  if (next === group.lifetimeAt) return;
  group.lifetimeTimer?.cancel();
  group.lifetimeAt = Number.isFinite(next) ? next : undefined;
  if (group.lifetimeAt !== undefined)
    group.lifetimeTimer = scaler.aws.engine.clock.after(next - scaler.now, () => scaler.wake(group, scaler.now));
}
