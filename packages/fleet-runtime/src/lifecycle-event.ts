import { TerminalError } from '@drover/core';

/** Why a function was started. A lifecycle event names an instance; anything that is none of these has a reason to say so. */
export type Trigger =
  | { readonly kind: 'schedule' }
  | {
      readonly kind: 'lifecycle';
      readonly instanceId: string;
      /** The instance was just made; it does not come out of the warm pool. */
      readonly freshLaunch: boolean;
    }
  | { readonly kind: 'malformed'; readonly because: string };

/** Which events a function is for. */
export interface ExpectedEvents {
  readonly groupName: string;
  /** Name of its on-demand fallback. @default it has none */
  readonly fallback?: string | undefined;
  readonly transition: 'launch' | 'terminate';
}

const names = {
  launch: { type: 'EC2 Instance-launch Lifecycle Action', transition: 'autoscaling:EC2_INSTANCE_LAUNCHING' },
  terminate: { type: 'EC2 Instance-terminate Lifecycle Action', transition: 'autoscaling:EC2_INSTANCE_TERMINATING' },
} as const;

/** Amazon EC2 Auto Scaling User Guide, "Amazon EC2 Auto Scaling event reference"; an empty object is an operator's own call. */
export function readTrigger(event: unknown, expected: ExpectedEvents): Trigger {
  if (!isObject(event)) return malformed('the event', event, 'an object');
  if (event['detail-type'] === 'Scheduled Event' || Object.keys(event).length === 0) return { kind: 'schedule' };
  const { type, transition } = names[expected.transition];
  const { detail } = event;
  if (differs(event['detail-type'], type)) return malformed('detail-type', event['detail-type'], show(type));
  if (!isObject(detail)) return malformed('detail', detail, 'an object');
  const ofFallback = expected.fallback !== undefined && detail.AutoScalingGroupName === expected.fallback;
  if (!ofFallback && differs(detail.AutoScalingGroupName, expected.groupName))
    return malformed('detail.AutoScalingGroupName', detail.AutoScalingGroupName, show(expected.groupName));
  if (differs(detail.LifecycleTransition, transition))
    return malformed('detail.LifecycleTransition', detail.LifecycleTransition, show(transition));
  const instanceId = detail.EC2InstanceId;
  if (typeof instanceId !== 'string' || !/^i-[0-9a-f]{8,17}$/.test(instanceId))
    return malformed('detail.EC2InstanceId', instanceId, 'the id of an instance');
  return { kind: 'lifecycle', instanceId, freshLaunch: detail.Origin === 'EC2' || detail.Origin === undefined };
}

/** An event is only a hint: the pass over all instances was made before this error is thrown. */
export const malformedEvent = (because: string): TerminalError =>
  new TerminalError(`the function was invoked with an event that it is not for: ${because}`, {
    remedy:
      'a pass over all instances was made instead and nothing is lost; look for the rule or the caller that sends it (the stack’s own rules send lifecycle events of this group and a schedule), or deploy the stack again',
  });

/** A member that is left out is not wrong. */
const differs = (value: unknown, expected: string) => value !== undefined && value !== expected;

const malformed = (at: string, value: unknown, expected: string): Trigger => ({
  kind: 'malformed',
  because: `${at} is ${show(value)}, not ${expected}`,
});

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const show = (value: unknown) => (value === undefined ? 'missing' : JSON.stringify(value).slice(0, 120));
