import type { Engine } from '@drover/cloud-engine';
import type { Statistics } from './scale-set.ts';

/** Observed misbehaviour of the Actions service, as the `how` of a fault rule's effect `misbehave`. */
export type Misbehaviour =
  /** 200 without a body (actions/actions-runner-controller issues 4285, 4470, 4488). */
  | 'empty-answer'
  | 'byte-order-mark'
  /** The session was dropped: refreshing it is a 404 (the same, issue 4356). */
  | 'session-gone'
  /** The set was dropped, with its session and idle runners (the same, issues 3935, 3942, 4370). */
  | 'scale-set-gone'
  /** The session has no address for messages (the same, issue 4370). */
  | 'no-queue-address'
  /** Jobs that do not exist are counted (the same, issue 4397). */
  | 'statistics-high'
  /** All zero, whatever the body says (the same, issues 3204, 3420). */
  | 'statistics-zero'
  /** cloudbase/garm pull request 506. */
  | 'message-ids-restart';

const phantomJobs = 15;

export function mischiefOf(engine: Engine, operation: string, subject: string): Misbehaviour | undefined {
  const point = { service: 'platform', operation, subject };
  return engine.faults.strike(point, ['misbehave'])?.how as Misbehaviour | undefined;
}

/** The rest of a correct response. */
export function whatRemains(mischief: Misbehaviour | undefined, body: unknown): unknown {
  if (mischief === undefined || typeof body !== 'object' || body === null) return body;
  if (mischief === 'no-queue-address' && 'messageQueueUrl' in body) return { ...body, messageQueueUrl: '' };
  if (!('statistics' in body)) return body;
  const statistics = body.statistics as Statistics;
  const { totalAssignedJobs } = statistics;
  if (mischief === 'statistics-high')
    return { ...body, statistics: { ...statistics, totalAssignedJobs: totalAssignedJobs + phantomJobs } };
  if (mischief !== 'statistics-zero') return body;
  return { ...body, statistics: Object.fromEntries(Object.keys(statistics).map((name) => [name, 0])) };
}
