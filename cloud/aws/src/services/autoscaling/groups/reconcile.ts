import { checkHealth, replaceUnhealthy } from '../health/health.ts';
import { replaceOldInstances } from '../health/lifetime.ts';
import { endReplaced } from '../health/replace.ts';
import type { Group } from '../model.ts';
import { stepRefresh } from '../refresh/refresh.ts';
import { stepCapacity } from '../scaling/capacity.ts';
import { rebalanceZones } from '../scaling/rebalance-zones.ts';
import type { Scaler } from '../state.ts';
import { removeGroup } from './groups.ts';

/** One look at a group: everything that is due is done, in this order. Called when something happened, never by the clock alone. */
export function reconcileGroup(scaler: Scaler, group: Group): void {
  if (group.deleting) return void finishDelete(scaler, group);
  checkHealth(scaler, group);
  replaceUnhealthy(scaler, group);
  replaceOldInstances(scaler, group);
  stepRefresh(scaler, group);
  stepCapacity(scaler, group);
  endReplaced(scaler, group);
  rebalanceZones(scaler, group);
}

/** A group that is being deleted goes with its last instance. */
function finishDelete(scaler: Scaler, group: Group): void {
  if (group.members.size === 0) removeGroup(scaler, group);
}
