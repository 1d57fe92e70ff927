import type { Group, Member, Refresh } from '../model.ts';
import type { Scaler } from '../state.ts';

/** The refresh that is under way, if there is one. */
export function activeRefresh(group: Group): Refresh | undefined {
  const last = group.refreshes.at(-1);
  return last?.endTime === undefined ? last : undefined;
}

/** A refresh's own warmup, else the group's default, else, in a refresh, the health check grace period (RefreshPreferences). */
function replacementWarmupMs(group: Group): number {
  const refresh = activeRefresh(group);
  const own = refresh?.preferences.InstanceWarmup ?? group.defaultInstanceWarmupSeconds;
  return 1000 * (own ?? (refresh === undefined ? 0 : group.healthCheckGracePeriodSeconds));
}

/** In service long enough to stand for another; if not yet, the group is looked after again when it is. */
export function isWarm(scaler: Scaler, member: Member): boolean {
  if (member.state !== 'InService' || !member.healthy) return false;
  const readyAt = (member.inServiceAt ?? 0) + replacementWarmupMs(member.group);
  if (readyAt > scaler.now) scaler.wake(member.group, readyAt);
  return readyAt <= scaler.now;
}
