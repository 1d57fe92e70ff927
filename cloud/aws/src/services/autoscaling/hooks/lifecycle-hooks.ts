import { validationError } from '../errors.ts';
import { emitLifecycleAction } from '../groups/events.ts';
import type {
  Group,
  LifecycleAction,
  LifecycleHook,
  LifecycleResult,
  LifecycleTransition,
  Member,
  Place,
  Wait,
} from '../model.ts';
import type { Scaler } from '../state.ts';

const longestWaitMs = 172_800_000;

/** "48 hours or 100 times the heartbeat timeout, whichever is smaller": Amazon EC2 Auto Scaling lifecycle hooks. */
export const globalTimeoutMs = (heartbeatTimeoutSeconds: number): number =>
  Math.min(longestWaitMs, heartbeatTimeoutSeconds * 1000 * 100);

/** The hooks of a group for one transition. */
export const hooksFor = (group: Group, transition: LifecycleTransition): LifecycleHook[] =>
  [...group.hooks.values()].filter((hook) => hook.transition === transition);

/** Opens one action per hook; `done` is called once, when all have continued or one was abandoned. */
export function openWait(
  scaler: Scaler,
  member: Member,
  transition: LifecycleTransition,
  way: { origin: Place; destination: Place },
  done: Wait['done'],
): void {
  const wait: Wait = { transition, actions: new Map(), done };
  member.wait = wait;
  for (const hook of hooksFor(member.group, transition)) {
    const action = newAction(scaler, member, hook);
    wait.actions.set(hook.name, action);
    scaler.actions.set(action.token, action);
    arm(scaler, action);
    emitLifecycleAction(scaler, action, way);
  }
}

function newAction(scaler: Scaler, member: Member, hook: LifecycleHook): LifecycleAction {
  const startedAt = scaler.now;
  return {
    token: scaler.random.uuid(),
    hook,
    member,
    startedAt,
    expiresAt: startedAt + hook.heartbeatTimeoutSeconds * 1000,
    globalExpiresAt: startedAt + globalTimeoutMs(hook.heartbeatTimeoutSeconds),
    result: undefined,
    timer: undefined,
  };
}

/** One timer per action: when it fires early because a heartbeat came, it is set again for the rest. */
function arm(scaler: Scaler, action: LifecycleAction): void {
  action.timer = scaler.aws.engine.clock.after(action.expiresAt - scaler.now, () => {
    if (action.expiresAt > scaler.now) arm(scaler, action);
    else finishAction(scaler, action, action.hook.defaultResult, 'Heartbeat Timeout');
  });
}

/** "This extends the timeout by the length of time defined using PutLifecycleHook", from now, within the global timeout. */
export function recordHeartbeat(scaler: Scaler, action: LifecycleAction): void {
  const extended = scaler.now + action.hook.heartbeatTimeoutSeconds * 1000;
  action.expiresAt = Math.min(extended, action.globalExpiresAt);
}

/** One action ends. An abandoned one ends the whole wait, the others wait for the rest. */
export function finishAction(scaler: Scaler, action: LifecycleAction, result: LifecycleResult, why: string): void {
  const { wait } = action.member;
  if (wait === undefined || action.result !== undefined) return;
  action.result = result;
  close(scaler, action);
  const open = [...wait.actions.values()].some((other) => other.result === undefined);
  if (open && result === 'CONTINUE') return;
  cancelWait(scaler, action.member);
  wait.done(result, `Lifecycle Action with token ${action.token} was abandoned: ${why}`);
}

/** Closes every open action of a member without a result. */
export function cancelWait(scaler: Scaler, member: Member): void {
  for (const action of member.wait?.actions.values() ?? []) close(scaler, action);
  member.wait = undefined;
}

function close(scaler: Scaler, action: LifecycleAction): void {
  action.timer?.cancel();
  action.timer = undefined;
  scaler.actions.delete(action.token);
}

/** The open action that a request names by token, or by instance and hook. */
export function findAction(
  scaler: Scaler,
  request: {
    readonly LifecycleHookName?: string | undefined;
    readonly AutoScalingGroupName?: string | undefined;
    readonly LifecycleActionToken?: string | undefined;
    readonly InstanceId?: string | undefined;
  },
): LifecycleAction {
  const group = scaler.group(request.AutoScalingGroupName);
  const { LifecycleActionToken: token, InstanceId: instanceId, LifecycleHookName: hookName } = request;
  const action =
    token === undefined
      ? group.members.get(instanceId ?? '')?.wait?.actions.get(hookName ?? '')
      : scaler.actions.get(token);
  const matches =
    action !== undefined &&
    action.result === undefined &&
    action.member.group === group &&
    action.hook.name === hookName &&
    (instanceId === undefined || action.member.instanceId === instanceId);
  if (matches) return action;
  throw validationError(
    token === undefined
      ? `No active Lifecycle Action found with instance ID ${instanceId}`
      : `No active Lifecycle Action found with token ${token}`,
  );
}
