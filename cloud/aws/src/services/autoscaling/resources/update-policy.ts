import { AwsError } from '../../../account/errors.ts';
import type { ResourceUpdate } from '../../../account/service.ts';
import type { RefreshPreferences } from '../api.ts';
import { validationError } from '../errors.ts';
import type { Group, Refresh } from '../model.ts';
import { startRefresh } from '../refresh/refresh.ts';
import { activeRefresh } from '../refresh/warmup.ts';
import type { Scaler } from '../state.ts';
import { waitFor } from './wait-for.ts';

/** Longer than any hook: the refresh itself gives up after an hour without progress. */
const refreshLimitMs = 15 * 86_400_000;

/**
 * Carries out CloudFormation's policy for instances after a change of the launch configuration: UpdatePolicy attribute.
 */
export async function applyUpdatePolicy(scaler: Scaler, group: Group, request: ResourceUpdate): Promise<void> {
  const policy = request.updatePolicy ?? {};
  if (!launchesSomethingNew(request)) return;
  const preferences = preferencesOf(group, policy);
  if (preferences === undefined) return;
  await refreshAndWait(scaler, group, preferences, request);
}

/** Other changes are made in place and leave the instances alone. */
function launchesSomethingNew(request: ResourceUpdate): boolean {
  const picture = (properties: ResourceUpdate['properties']) =>
    JSON.stringify([properties.LaunchTemplate, properties.MixedInstancesPolicy, properties.VPCZoneIdentifier]);
  return picture(request.properties) !== picture(request.previousProperties);
}

function preferencesOf(group: Group, policy: ResourceUpdate['properties']): RefreshPreferences | undefined {
  if (policy.AutoScalingInstanceRefresh !== undefined)
    return refreshPreferences(group, policy.AutoScalingInstanceRefresh);
  return policy.AutoScalingRollingUpdate === undefined
    ? undefined
    : rollingPreferences(group, policy.AutoScalingRollingUpdate);
}

/** CloudFormation's own defaults: 100 to 110 % unless the group has a maintenance policy, matching instances are skipped. */
function refreshPreferences(group: Group, policy: ResourceUpdate['properties']): RefreshPreferences {
  if ((policy.Strategy ?? 'Rolling') !== 'Rolling')
    throw validationError(`the embedded cloud does not model the instance refresh strategy ${policy.Strategy}`);
  const given = (policy.Preferences ?? {}) as RefreshPreferences;
  const { MinHealthyPercentage = 100, MaxHealthyPercentage = 110 } = group.maintenancePolicy ?? {};
  return { MinHealthyPercentage, MaxHealthyPercentage, SkipMatching: true, ...given };
}

/**
 * AutoScalingRollingUpdate by the means of a refresh: batches of MaxBatchSize, never fewer than MinInstancesInService.
 * Unlike a refresh it does not care for scale-in protection.
 */
function rollingPreferences(group: Group, policy: ResourceUpdate['properties']): RefreshPreferences {
  if (policy.WaitOnResourceSignals === true)
    throw validationError('the embedded cloud does not model WaitOnResourceSignals of AutoScalingRollingUpdate');
  // "MinInstancesInService must be less than the MaxSize of the Auto Scaling group": UpdatePolicy attribute.
  if (Number(policy.MinInstancesInService ?? 0) >= group.maxSize)
    throw validationError(`MinInstancesInService must be less than the autoscaling group's MaxSize`);
  const desired = Math.max(1, group.desiredCapacity);
  const missing = Math.min(Number(policy.MaxBatchSize ?? 1), desired - Number(policy.MinInstancesInService ?? 0));
  return {
    MinHealthyPercentage: Math.max(0, Math.floor((100 * (desired - Math.max(0, missing))) / desired)),
    InstanceWarmup: seconds(policy.PauseTime),
    SkipMatching: true,
    ScaleInProtectedInstances: 'Refresh',
  };
}

/** `PT5M30S` in seconds. */
function seconds(duration: string | undefined): number {
  const match = /^PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?$/.exec(duration ?? 'PT0S');
  if (match === null) throw validationError(`PauseTime ${duration} is not a duration like PT5M`);
  const [hours, minutes, rest] = match.slice(1).map((part) => Number(part ?? 0));
  return hours! * 3600 + minutes! * 60 + rest!;
}

async function refreshAndWait(
  scaler: Scaler,
  group: Group,
  preferences: RefreshPreferences,
  request: ResourceUpdate,
): Promise<void> {
  const options = { limitMs: refreshLimitMs, signal: request.signal };
  await waitFor(scaler, group, () => activeRefresh(group) === undefined, options);
  const refresh: Refresh = startRefresh(scaler, group, {
    AutoScalingGroupName: group.name,
    Preferences: preferences,
  });
  await waitFor(scaler, group, () => refresh.endTime !== undefined, options);
  if (refresh.status === 'Failed' || refresh.status === 'Cancelled')
    throw new AwsError(
      'NotStabilized',
      `Instance refresh ${refresh.id} ${refresh.status}: ${refresh.statusReason}`,
      400,
    );
}
