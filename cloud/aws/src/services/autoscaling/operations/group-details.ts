import type { Operations } from '../../../account/service.ts';
import { validationError } from '../errors.ts';
import type { ProcessName } from '../model.ts';
import type { Scaler } from '../state.ts';
import { change } from './permissions.ts';

interface Named {
  readonly AutoScalingGroupName: string | undefined;
}
type ProcessesInput = Named & { readonly ScalingProcesses?: readonly string[] };

const processNames: readonly ProcessName[] = [
  'Launch',
  'Terminate',
  'AddToLoadBalancer',
  'AlarmNotification',
  'AZRebalance',
  'HealthCheck',
  'InstanceRefresh',
  'ReplaceUnhealthy',
  'ScheduledActions',
];

/** Suspended processes. */
export const groupDetailOperations = (scaler: Scaler): Operations => ({
  SuspendProcesses: change(scaler, 'SuspendProcesses', (group, input: ProcessesInput) => {
    for (const name of processesOf(input))
      group.suspended.set(name, `User suspended at ${new Date(scaler.now).toISOString().slice(0, 19)}Z`);
  }),

  ResumeProcesses: change(scaler, 'ResumeProcesses', (group, input: ProcessesInput) => {
    for (const name of processesOf(input)) group.suspended.delete(name);
    scaler.wake(group);
  }),
});

/** All processes when none is named. */
function processesOf(input: ProcessesInput): readonly ProcessName[] {
  const names = input.ScalingProcesses ?? [];
  const unknown = names.find((name) => !(processNames as readonly string[]).includes(name));
  if (unknown !== undefined)
    throw validationError(`Scaling process name ${unknown} is not valid. Valid names are: ${processNames.join(', ')}`);
  return names.length === 0 ? processNames : (names as readonly ProcessName[]);
}
