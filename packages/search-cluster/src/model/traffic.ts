import { restartDelayMs } from './shutdown.ts';

/**
 * A node that restarts in place asks on a tag of its own instance to get no requests meanwhile. The function that watches the
 * cluster deregisters its targets and responds on another tag: no node may change targets.
 */
export interface TrafficNote {
  /** When it asked first. */
  readonly since: number;
  /** When it asked last. */
  readonly askedAt: number;
}

/** The response to what a node asked at this time. */
export interface TrafficReply {
  readonly askedAt: number;
  /** When the last request has ended; undefined: the node stays a target, since no other one is healthy. */
  readonly awayAt: number | undefined;
}

/** The knowledge of a node about its own requests. */
export interface TrafficFacts {
  readonly note: TrafficNote | undefined;
  readonly reply: TrafficReply | undefined;
}

/** A target group of one of the cluster's groups, and its targets. */
export interface TargetGroup {
  readonly groupName: string;
  readonly arn: string;
  readonly targets: readonly { readonly instanceId: string; readonly state: string }[];
}

export const restartOver = 'over';

export const restartMark = (askedAt: number): string => timeText(askedAt);

/** When the node of an instance asked; undefined when nothing is asked any more. As its record, it counts for an hour. */
export function askedIn(mark: string | undefined, now: number): number | undefined {
  const at = Date.parse(mark ?? '');
  return Math.abs(now - at) < restartDelayMs ? at : undefined;
}

export const replyText = ({ askedAt, awayAt }: TrafficReply): string =>
  `${timeText(askedAt)} ${awayAt === undefined ? 'kept' : `away ${timeText(awayAt)}`}`;

export function replyIn(text: string | undefined): TrafficReply | undefined {
  const [asked = '', kind, away = ''] = (text ?? '').split(' ');
  const [askedAt, awayAt] = [Date.parse(asked), Date.parse(away)];
  if (Number.isNaN(askedAt)) return undefined;
  if (kind === 'kept') return { askedAt, awayAt: undefined };
  return Number.isNaN(awayAt) ? undefined : { askedAt, awayAt };
}

/** Whether the load balancer may send it requests, now or when its checks pass. */
export const isTarget = ({ targets }: TargetGroup, instanceId: string): boolean =>
  targets.some((one) => one.instanceId === instanceId && one.state !== 'draining');

const timeText = (at: number) => new Date(at).toISOString();
