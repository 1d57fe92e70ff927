import { arn } from '../../../account/arn.ts';
import type { Activity, Group, LifecycleAction, Place } from '../model.ts';
import type { Scaler } from '../state.ts';
import { isoSeconds } from '../timing.ts';

/** Amazon EC2 Auto Scaling event reference. */
export function emit(
  scaler: Scaler,
  group: Group,
  detailType: string,
  detail: Readonly<Record<string, unknown>>,
  instanceId?: string,
): void {
  const resources = [group.arn];
  if (instanceId !== undefined) resources.push(arn(scaler.aws, 'ec2', `instance/${instanceId}`));
  scaler.aws.events.emit({ source: 'aws.autoscaling', detailType, detail, resources });
}

/** `EC2 Instance Launch Successful` and its kin. */
export function emitActivity(scaler: Scaler, group: Group, activity: Activity): void {
  const launch = activity.description.startsWith('Launching');
  if (!launch && !activity.description.startsWith('Terminating')) return;
  const outcome = activity.status === 'Successful' ? 'Successful' : 'Unsuccessful';
  emit(
    scaler,
    group,
    `EC2 Instance ${launch ? 'Launch' : 'Terminate'} ${outcome}`,
    {
      // The event of a success still says InProgress, as in the reference's examples.
      StatusCode: activity.status === 'Successful' ? 'InProgress' : activity.status,
      Description: activity.description,
      AutoScalingGroupName: group.name,
      ActivityId: activity.id,
      Details: activity.details,
      RequestId: activity.id,
      StatusMessage: activity.statusMessage ?? '',
      EndTime: isoSeconds(activity.endTime ?? scaler.now),
      EC2InstanceId: activity.instanceId ?? '',
      StartTime: isoSeconds(activity.startTime),
      Cause: activity.cause,
    },
    activity.instanceId,
  );
}

/** The event of an opened lifecycle action. */
export function emitLifecycleAction(
  scaler: Scaler,
  action: LifecycleAction,
  way: { origin: Place; destination: Place },
): void {
  const { member, hook } = action;
  const detail = {
    LifecycleActionToken: action.token,
    AutoScalingGroupName: member.group.name,
    LifecycleHookName: hook.name,
    EC2InstanceId: member.instanceId,
    LifecycleTransition: hook.transition,
    ...(hook.notificationMetadata === undefined ? {} : { NotificationMetadata: hook.notificationMetadata }),
    // "Events that contain the Origin and Destination fields are only emitted by groups that have a warm pool."
    ...(member.group.warmPool === undefined ? {} : { Origin: way.origin, Destination: way.destination }),
  };
  const launch = hook.transition === 'autoscaling:EC2_INSTANCE_LAUNCHING';
  emit(scaler, member.group, `EC2 Instance-${launch ? 'launch' : 'terminate'} Lifecycle Action`, detail);
}
