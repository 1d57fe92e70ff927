import type { Operations } from '../../service.ts';
import type { Scaler } from '../scaler.ts';
import { activityOperations } from './activities.ts';
import { groupOperations } from './groups.ts';
import { instanceOperations } from './instances.ts';
import { lifecycleHookOperations } from './lifecycle-hooks.ts';

/** Every modelled operation of Auto Scaling. */
export const autoScalingOperations = (scaler: Scaler): Operations => ({
  ...activityOperations(scaler),
  ...groupOperations(scaler),
  ...instanceOperations(scaler),
  ...lifecycleHookOperations(scaler),
});
