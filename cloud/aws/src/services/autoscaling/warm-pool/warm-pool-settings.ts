import { AwsError } from '../../../account/errors.ts';
import { violations } from '../../../account/limits.ts';
import type { PutWarmPoolType } from '../api.ts';
import { resourceInUse, validationError } from '../errors.ts';
import { refuseWhileDeleting, spotWithWarmPool } from '../groups/groups.ts';
import { beginTermination } from '../launch/terminate.ts';
import { isInPool, isLeaving, isPooled } from '../lifecycle-states.ts';
import type { Group, WarmPool } from '../model.ts';
import { activeRefresh } from '../refresh/warmup.ts';
import type { Scaler } from '../state.ts';

/** Creates or changes the warm pool of a group. */
export function putWarmPool(scaler: Scaler, group: Group, request: PutWarmPoolType): void {
  const [beyond] = violations('autoscaling', 'PutWarmPool', request);
  if (beyond !== undefined)
    throw validationError(
      `Value '${beyond.value}' at '${beyond.path}' failed to satisfy constraint: ${beyond.constraint}`,
    );
  refuseWhileDeleting(group);
  refuseDuringRefresh(group);
  refuseSpot(scaler, group);
  const previous = group.warmPool;
  if (previous?.deleting) throw resourceInUse(`The warm pool of AutoScalingGroup ${group.name} is being deleted`);
  const prepared = request.MaxGroupPreparedCapacity;
  const pool: WarmPool = {
    minSize: request.MinSize ?? 0,
    maxGroupPreparedCapacity:
      prepared === undefined ? previous?.maxGroupPreparedCapacity : prepared === -1 ? undefined : prepared,
    poolState: request.PoolState ?? previous?.poolState ?? 'Stopped',
    reuseOnScaleIn: request.InstanceReusePolicy?.ReuseOnScaleIn ?? previous?.reuseOnScaleIn ?? false,
    deleting: false,
  };
  if (pool.minSize < 0) throw validationError('MinSize must be greater than or equal to 0');
  if (prepared !== undefined && prepared < -1)
    throw validationError('MaxGroupPreparedCapacity must be greater than or equal to -1');
  group.warmPool = pool;
  scaler.wake(group);
}

/** "The request failed because an active instance refresh already exists": PutWarmPool. */
function refuseDuringRefresh(group: Group): void {
  if (activeRefresh(group) === undefined) return;
  const message = 'An Instance Refresh is in progress and blocks changes of the warm pool.';
  throw new AwsError('InstanceRefreshInProgress', message, 400);
}

function refuseSpot(scaler: Scaler, group: Group): void {
  const { mixed, template } = group.source;
  const { spot } = scaler.aws.ec2.launchTemplate({ id: template.id }, template.version);
  if (mixed !== undefined || spot) throw spotWithWarmPool();
}

/** With instances in it only by force; they are terminated, the pool goes with the last. */
export function deleteWarmPool(scaler: Scaler, group: Group, force: boolean): void {
  const pool = group.warmPool;
  if (pool === undefined) throw validationError(`No warm pool found for AutoScalingGroup ${group.name}`);
  const members = [...group.members.values()].filter((member) => isInPool(member.state));
  if (members.length > 0 && !force)
    throw resourceInUse('You cannot delete a warm pool while there are instances in it. Use ForceDelete.');
  pool.deleting = true;
  const because = 'an instance was taken out of the warm pool in response to its deletion.';
  for (const member of members)
    if (!isLeaving(member.state) || isPooled(member.state)) beginTermination(scaler, member, because, { hooks: false });
  scaler.wake(group);
}
