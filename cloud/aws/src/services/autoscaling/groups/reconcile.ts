import { tendCapacity } from './capacity.ts';
import { removeGroup } from './groups.ts';
import { checkHealth, replaceUnhealthy } from './health.ts';
import { replaceOldInstances } from './lifetime.ts';
import type { Group } from './model.ts';
import { rebalanceZones } from './rebalance-zones.ts';
import { tendRefresh } from './refresh.ts';
import { endReplaced } from './replace.ts';
import type { Scaler } from './scaler.ts';

/** One look at a group: everything that is due is done, in this order. Called when something happened, never by the clock alone. */
export function lookAfter(scaler: Scaler, group: Group): void {
  if (group.deleting) return void finishDelete(scaler, group);
  checkHealth(scaler, group);
  replaceUnhealthy(scaler, group);
  replaceOldInstances(scaler, group);
  tendRefresh(scaler, group);
  tendCapacity(scaler, group);
  endReplaced(scaler, group);
  rebalanceZones(scaler, group);
}

/** A group that is being deleted goes with its last instance. */
function finishDelete(scaler: Scaler, group: Group): void {
  if (group.members.size === 0) removeGroup(scaler, group);
}
