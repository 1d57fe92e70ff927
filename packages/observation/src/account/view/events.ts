import type { JobState } from '../../api.ts';
import type { EventKind, FleetEvent } from '../../story/events.ts';
import type { GroupActivity } from '../gather/activities.ts';
import type { AlarmChange } from '../gather/alarms.ts';
import type { FunctionRun } from '../gather/function-runs.ts';

/** Readings from which events are made. */
export interface Happenings {
  readonly activities: readonly GroupActivity[];
  /** Of alarms that do more than scale. */
  readonly alarms: readonly AlarmChange[];
  readonly failures: readonly FunctionRun[];
  readonly jobs: readonly JobState[];
}

/** The events of an account, oldest first. */
export const accountEvents = ({ activities, alarms, failures, jobs }: Happenings): FleetEvent[] =>
  [
    ...activities.flatMap(ofActivity),
    ...alarms.flatMap(ofAlarm),
    ...failures.map(ofFailure),
    ...jobs.flatMap(ofJob),
  ].sort((a, b) => a.at - b.at);

function ofActivity(activity: GroupActivity): FleetEvent[] {
  const { kind, startedAt, endedAt, status, instance, group, message, description, zone } = activity;
  const event = (of: EventKind, at: number | undefined, why?: string): FleetEvent[] =>
    at === undefined ? [] : [{ kind: of, at, instance, group, zone, why }];
  if (kind === 'other') return [{ kind: 'activity', at: startedAt, instance, group, name: description }];
  if (kind === 'termination')
    return [...event('terminating', startedAt, becauseOf(activity)), ...event('gone', endedAt)];
  const failed = isFailedLaunch(activity);
  if (failed && instance === undefined) return event('no-launch', endedAt ?? startedAt, message);
  const pool = /warm pool/i.test(description) && !/from/i.test(description);
  const ended = status === 'InProgress' ? undefined : endedAt;
  return [
    ...event(pool ? 'launched-into-pool' : 'launched', startedAt),
    ...(failed ? event('launch-failed', ended, message) : event(pool ? 'in-pool' : 'in-service', ended)),
  ];
}

export const isFailedLaunch = ({ kind, status }: GroupActivity): boolean =>
  kind === 'launch' && (status === 'Failed' || status === 'Cancelled');

/** `At 2026-…Z an instance was taken out of service in response to X.` */
export const becauseOf = ({ cause }: Pick<GroupActivity, 'cause'>): string =>
  /in response to (.*?)\.?\s*$/.exec(cause)?.[1] ?? cause.replace(/^At \S+ /, '');

function ofAlarm({ alarm: name, at, to, from }: AlarmChange): FleetEvent[] {
  if (to === 'ALARM') return [{ kind: 'alarm-on', at, name }];
  return from === 'ALARM' ? [{ kind: 'alarm-over', at, name }] : [];
}

const ofFailure = ({ function: name, at, text }: FunctionRun): FleetEvent => ({
  kind: 'function-failed',
  at,
  name,
  why: text.replace(/^failed: /, ''),
});

function ofJob({ id: job, startedAt, endedAt, state, instance, lostBecause: why }: JobState): FleetEvent[] {
  const started: FleetEvent[] = startedAt === undefined ? [] : [{ kind: 'job-started', at: startedAt, instance, job }];
  if (endedAt === undefined) return started;
  return [...started, { kind: state === 'lost' ? 'job-lost' : 'job-completed', at: endedAt, instance, job, why }];
}
