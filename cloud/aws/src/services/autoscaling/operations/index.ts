import type { Operations } from '../../../account/service.ts';
import type { Scaler } from '../state.ts';
import { activityOperations } from './activities.ts';
import { groupDetailOperations } from './group-details.ts';
import { groupOperations } from './groups.ts';
import { instanceOperations } from './instances.ts';
import { lifecycleHookOperations } from './lifecycle-hooks.ts';
import { policyOperations } from './policies.ts';
import { refreshOperations } from './refreshes.ts';
import { warmPoolOperations } from './warm-pools.ts';

/** Every modelled operation of Auto Scaling. */
export const autoScalingOperations = (scaler: Scaler): Operations => ({
  ...activityOperations(scaler),
  ...groupDetailOperations(scaler),
  ...groupOperations(scaler),
  ...instanceOperations(scaler),
  ...lifecycleHookOperations(scaler),
  ...policyOperations(scaler),
  ...refreshOperations(scaler),
  ...warmPoolOperations(scaler),
});
