import type { Activity, ActivityStatus, Group, Member } from '../model.ts';
import type { Scaler } from '../state.ts';
import { emitActivity } from './events.ts';

/** "You have a record of scaling activities that dates back 6 weeks": Verify a scaling activity. */
const keptMs = 42 * 86_400_000;

/** Begins an activity in a group. */
export function startActivity(
  scaler: Scaler,
  group: Group,
  activity: { description: string; cause: string; zone?: string; subnetId?: string; instanceId?: string },
): Activity {
  const { description, cause, zone, subnetId, instanceId } = activity;
  const started: Activity = {
    id: scaler.random.uuid(),
    groupName: group.name,
    groupArn: group.arn,
    description,
    cause,
    startTime: scaler.now,
    endTime: undefined,
    status: 'InProgress',
    statusMessage: undefined,
    details: {
      ...(subnetId === undefined ? {} : { 'Subnet ID': subnetId }),
      ...(zone === undefined ? {} : { 'Availability Zone': zone }),
    },
    instanceId,
  };
  group.activities.push(started);
  group.activitiesUnderWay += 1;
  dropOld(group, scaler.now - keptMs);
  return started;
}

function dropOld(group: Group, before: number): void {
  let old = 0;
  while (old < group.activities.length && group.activities[old]!.startTime < before) old += 1;
  if (old > 0) group.activities.splice(0, old);
}

/** Ends an activity once; sends launches and terminations to EventBridge. */
export function endActivity(
  scaler: Scaler,
  group: Group,
  activity: Activity,
  status: Extract<ActivityStatus, 'Successful' | 'Failed' | 'Cancelled'>,
  statusMessage?: string,
): void {
  if (activity.endTime !== undefined) return;
  activity.status = status;
  activity.endTime = scaler.now;
  if (statusMessage !== undefined) {
    activity.statusMessage = statusMessage;
    activity.description += `.  Status Reason: ${statusMessage}`;
  }
  emitActivity(scaler, group, activity);
  group.activitiesUnderWay -= 1;
  beginCooldown(scaler, group);
}

/** Ends the activity that a member is in, if there is one. */
export function endMemberActivity(
  scaler: Scaler,
  member: Member,
  status: Extract<ActivityStatus, 'Successful' | 'Failed' | 'Cancelled'>,
  statusMessage?: string,
): void {
  if (member.activity === undefined) return;
  endActivity(scaler, member.group, member.activity, status, statusMessage);
  member.activity = undefined;
}

/** "The cooldown period … takes effect starting when the last instance launches": Scaling cooldowns. */
export function beginCooldown(scaler: Scaler, group: Group): void {
  const { simpleScaling } = group;
  if (!simpleScaling.acting || group.activitiesUnderWay > 0) return;
  simpleScaling.acting = false;
  simpleScaling.cooldownUntil = scaler.now + simpleScaling.cooldownMs;
}
