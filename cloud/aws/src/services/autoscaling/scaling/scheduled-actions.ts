import { arn } from '../../../account/arn.ts';
import type { PutScheduledUpdateGroupActionType } from '../api.ts';
import { alreadyExists, limitExceeded, validationError } from '../errors.ts';
import type { Group, ScheduledActionRecord } from '../model.ts';
import type { Scaler } from '../state.ts';
import { setDesired } from './capacity.ts';
import { nextOccurrence, parseCron } from './cron.ts';

/** Quotas for Auto Scaling resources: scheduled actions per group. */
const mostActions = 125;

/** Creates or replaces a scheduled action and sets its alarm clock. */
export function putScheduledAction(scaler: Scaler, group: Group, request: PutScheduledUpdateGroupActionType): void {
  const name = request.ScheduledActionName ?? '';
  const previous = group.scheduledActions.get(name);
  if (previous === undefined && group.scheduledActions.size >= mostActions)
    throw limitExceeded(`You can have at most ${mostActions} scheduled actions per AutoScalingGroup`);
  const action = newAction(scaler, group, name, request, previous?.arn);
  for (const other of group.scheduledActions.values())
    if (other.name !== name && other.nextAt === action.nextAt)
      throw alreadyExists('The scheduled action conflicts with another action that is scheduled for the same time.');
  previous?.timer?.cancel();
  group.scheduledActions.set(name, action);
  arm(scaler, group, action);
}

function newAction(
  scaler: Scaler,
  group: Group,
  name: string,
  request: PutScheduledUpdateGroupActionType,
  existingArn: string | undefined,
): ScheduledActionRecord {
  const startTime = (request.StartTime ?? request.Time)?.getTime();
  checkRequest(scaler, request, startTime);
  const from = Math.max(scaler.now, (startTime ?? 0) - 1);
  const nextAt = request.Recurrence === undefined ? startTime : nextOccurrence(parseCron(request.Recurrence), from);
  const resource = `scheduledUpdateGroupAction:${scaler.random.uuid()}:autoScalingGroupName/${group.name}:scheduledActionName/${name}`;
  return {
    name,
    arn: existingArn ?? arn(scaler.aws, 'autoscaling', resource),
    startTime: startTime ?? nextAt,
    endTime: request.EndTime?.getTime(),
    recurrence: request.Recurrence,
    minSize: request.MinSize,
    maxSize: request.MaxSize,
    desiredCapacity: request.DesiredCapacity,
    timeZone: request.TimeZone,
    nextAt,
    timer: undefined,
  };
}

function checkRequest(scaler: Scaler, request: PutScheduledUpdateGroupActionType, startTime: number | undefined): void {
  const { MinSize, MaxSize, DesiredCapacity, Recurrence, TimeZone } = request;
  if (MinSize === undefined && MaxSize === undefined && DesiredCapacity === undefined)
    throw validationError('At least one of the following must be specified: minSize, maxSize, desiredCapacity');
  if (startTime === undefined && Recurrence === undefined)
    throw validationError('At least one of the following must be specified: startTime, recurrence');
  if (Recurrence === undefined && startTime! < scaler.now) throw validationError(`Given start time is in the past`);
  if (TimeZone !== undefined && !['UTC', 'Etc/UTC', 'Etc/GMT'].includes(TimeZone))
    throw validationError(
      `the embedded cloud does not model scheduled actions in the time zone ${TimeZone}: use Etc/UTC`,
    );
}

function arm(scaler: Scaler, group: Group, action: ScheduledActionRecord): void {
  if (action.nextAt === undefined) return;
  action.timer = scaler.aws.engine.clock.after(action.nextAt - scaler.now, () => run(scaler, group, action));
}

/** Runs once, or again and again until its end; a run while ScheduledActions is suspended is lost. */
function run(scaler: Scaler, group: Group, action: ScheduledActionRecord): void {
  if (!scaler.isSuspended(group, 'ScheduledActions') && !group.deleting) apply(scaler, group, action);
  const next = action.recurrence === undefined ? undefined : nextOccurrence(parseCron(action.recurrence), scaler.now);
  const over = next === undefined || (action.endTime !== undefined && next > action.endTime);
  if (over) return void group.scheduledActions.delete(action.name);
  action.nextAt = next;
  arm(scaler, group, action);
}

function apply(scaler: Scaler, group: Group, action: ScheduledActionRecord): void {
  group.minSize = action.minSize ?? Math.min(group.minSize, action.maxSize ?? group.minSize);
  group.maxSize = Math.max(action.maxSize ?? group.maxSize, group.minSize);
  const wanted = action.desiredCapacity ?? group.desiredCapacity;
  const desired = Math.min(Math.max(wanted, group.minSize), group.maxSize);
  const bounds = `min: ${group.minSize}, max: ${group.maxSize}, desired: ${desired}`;
  setDesired(scaler, group, desired, `a scheduled action update of AutoScalingGroup constraints to ${bounds}`);
}

export function deleteScheduledAction(group: Group, name: string | undefined): void {
  const action = group.scheduledActions.get(name ?? '');
  if (action === undefined) throw validationError('Scheduled action name not found');
  action.timer?.cancel();
  group.scheduledActions.delete(action.name);
}
