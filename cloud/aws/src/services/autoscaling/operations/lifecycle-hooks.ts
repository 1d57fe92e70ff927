import type { Operations } from '../../../account/service.ts';
import type { CompleteLifecycleActionType, PutLifecycleHookType, RecordLifecycleActionHeartbeatType } from '../api.ts';
import { addHook, resultOf } from '../hooks/hook-settings.ts';
import { findAction, finishAction, recordHeartbeat } from '../hooks/lifecycle-hooks.ts';
import { hookShape } from '../responses.ts';
import type { Scaler } from '../state.ts';
import { change, onGroup, read } from './permissions.ts';

interface HooksInput {
  readonly AutoScalingGroupName: string | undefined;
  readonly LifecycleHookNames?: readonly string[] | undefined;
}

/** Lifecycle hooks and the actions that they open. */
export const lifecycleHookOperations = (scaler: Scaler): Operations => ({
  PutLifecycleHook: change(scaler, 'PutLifecycleHook', (group, input: PutLifecycleHookType) => {
    addHook(group, input);
  }),
  DescribeLifecycleHooks: read('DescribeLifecycleHooks', (input: HooksInput) => {
    const group = scaler.group(input.AutoScalingGroupName);
    const names = input.LifecycleHookNames ?? [];
    const hooks = [...group.hooks.values()].filter((hook) => names.length === 0 || names.includes(hook.name));
    return { LifecycleHooks: hooks.map((hook) => hookShape(group, hook)) };
  }),
  CompleteLifecycleAction: {
    permissions: (input: CompleteLifecycleActionType) =>
      onGroup(scaler, 'CompleteLifecycleAction', input.AutoScalingGroupName),
    run: (input: CompleteLifecycleActionType) => {
      const result = resultOf(input.LifecycleActionResult);
      finishAction(scaler, findAction(scaler, input), result, `Lifecycle Action Completed with ${result} Result`);
      return {};
    },
  },
  RecordLifecycleActionHeartbeat: {
    permissions: (input: RecordLifecycleActionHeartbeatType) =>
      onGroup(scaler, 'RecordLifecycleActionHeartbeat', input.AutoScalingGroupName),
    run: (input: RecordLifecycleActionHeartbeatType) => {
      recordHeartbeat(scaler, findAction(scaler, input));
      return {};
    },
  },
});
