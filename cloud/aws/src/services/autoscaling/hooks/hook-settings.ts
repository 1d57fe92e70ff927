import { requireModelled } from '../../../account/modelled.ts';
import type { LifecycleHookSpecification, PutLifecycleHookType } from '../api.ts';
import { limitExceeded, validationError } from '../errors.ts';
import type { Group, LifecycleHook, LifecycleResult, LifecycleTransition } from '../model.ts';
import type { Scaler } from '../state.ts';
import { finishAction } from './lifecycle-hooks.ts';

/** Notifications to topics and queues are not modelled. */
const hookMembers = [
  'AutoScalingGroupName',
  'DefaultResult',
  'HeartbeatTimeout',
  'LifecycleHookName',
  'LifecycleTransition',
  'NotificationMetadata',
];

/** Quotas for Auto Scaling resources: lifecycle hooks per group. */
const mostHooks = 50;

/** Creates or changes a hook. What is not named keeps its value, or gets AWS's default: 3600 s, ABANDON. */
export function addHook(group: Group, request: LifecycleHookSpecification | PutLifecycleHookType): void {
  requireModelled('lifecycle hooks', request, hookMembers);
  const name = request.LifecycleHookName ?? '';
  const previous = group.hooks.get(name);
  if (!/^[A-Za-z0-9\-_/]{1,255}$/.test(name))
    throw validationError(
      `1 validation error detected: Value '${name}' at 'lifecycleHookName' failed to satisfy constraint: Member must satisfy regular expression pattern: [A-Za-z0-9\\-_\\/]+`,
    );
  if (previous === undefined && group.hooks.size >= mostHooks)
    throw limitExceeded(`You can have at most ${mostHooks} lifecycle hooks per AutoScalingGroup`);
  const hook: LifecycleHook = {
    name,
    transition: transitionOf(request.LifecycleTransition ?? previous?.transition),
    heartbeatTimeoutSeconds: heartbeatOf(request.HeartbeatTimeout ?? previous?.heartbeatTimeoutSeconds ?? 3600),
    defaultResult: resultOf(request.DefaultResult ?? previous?.defaultResult ?? 'ABANDON'),
    notificationMetadata: request.NotificationMetadata ?? previous?.notificationMetadata,
  };
  group.hooks.set(name, hook);
}

function transitionOf(value: string | undefined): LifecycleTransition {
  if (value === undefined)
    throw validationError('LifecycleTransition must be specified when creating a new lifecycle hook.');
  if (value !== 'autoscaling:EC2_INSTANCE_LAUNCHING' && value !== 'autoscaling:EC2_INSTANCE_TERMINATING')
    throw validationError(`Invalid Lifecycle Transition value: ${value}`);
  return value;
}

/** "The range is from 30 to 7200 seconds": PutLifecycleHook. */
function heartbeatOf(seconds: number): number {
  if (!(seconds >= 30 && seconds <= 7200))
    throw validationError(`Heartbeat Timeout of ${seconds} is not within the range of 30 to 7200 seconds`);
  return seconds;
}

export function resultOf(value: string | undefined): LifecycleResult {
  if (value !== 'CONTINUE' && value !== 'ABANDON')
    throw validationError(`Invalid Lifecycle Action Result value: ${value}. Valid values are: CONTINUE, ABANDON`);
  return value;
}

/** "Outstanding lifecycle actions are completed first (ABANDON for launching, CONTINUE for terminating)": DeleteLifecycleHook. */
export function deleteHook(scaler: Scaler, group: Group, name: string | undefined): void {
  const hook = group.hooks.get(name ?? '');
  if (hook === undefined) throw validationError(`No Lifecycle Hook found with name: ${name}`);
  group.hooks.delete(hook.name);
  const result = hook.transition === 'autoscaling:EC2_INSTANCE_LAUNCHING' ? 'ABANDON' : 'CONTINUE';
  for (const member of [...group.members.values()]) {
    const action = member.wait?.actions.get(hook.name);
    if (action !== undefined) finishAction(scaler, action, result, 'Lifecycle Hook Deleted');
  }
}
