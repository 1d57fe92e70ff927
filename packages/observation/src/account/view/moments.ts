import type { JobState } from '../../api.ts';
import type { GroupActivity } from '../gather/activities.ts';
import type { AlarmChange } from '../gather/alarms.ts';
import type { FunctionRun } from '../gather/function-runs.ts';

/** One thing that happened, in words. */
export interface Moment {
  readonly at: number;
  readonly source: 'autoscaling' | 'cloudwatch' | 'lambda' | 'jobs';
  readonly text: string;
  readonly bad: boolean;
  readonly instance: string | undefined;
  readonly group: string | undefined;
  readonly job: number | undefined;
}

/** Events, as they are read. */
export interface Happenings {
  readonly activities: readonly GroupActivity[];
  /** Of alarms that do more than scale. */
  readonly alarms: readonly AlarmChange[];
  readonly failures: readonly FunctionRun[];
  readonly jobs: readonly JobState[];
}

/** Everything that happened, oldest first. */
export function momentsOf({ activities, alarms, failures, jobs }: Happenings): Moment[] {
  return [
    ...activities.flatMap(ofActivity),
    ...alarms.flatMap(ofAlarm),
    ...failures.map(({ function: name, at, text }) => told('lambda', at, `function ${name} ${text}`, true)),
    ...jobs.flatMap(ofJob),
  ].sort((a, b) => a.at - b.at);
}

const told = (
  source: Moment['source'],
  at: number,
  text: string,
  bad = false,
  about: Partial<Pick<Moment, 'instance' | 'group' | 'job'>> = {},
): Moment => ({ source, at, text, bad, instance: undefined, group: undefined, job: undefined, ...about });

function ofActivity(activity: GroupActivity): Moment[] {
  const { kind, startedAt, endedAt, status, instance, group } = activity;
  const say = (at: number, text: string, bad = false) => told('autoscaling', at, text, bad, { instance, group });
  if (kind === 'other') return [say(startedAt, activity.description)];
  if (kind === 'termination')
    return [
      say(startedAt, `is to be terminated and drains first: ${becauseOf(activity)}`),
      ...(endedAt === undefined ? [] : [say(endedAt, 'has left the group')]),
    ];
  const failed = isFailedLaunch(activity);
  if (failed && instance === undefined)
    return [say(endedAt ?? startedAt, `a launch in ${group} failed: ${activity.message}`, true)];
  const pool = /warm pool/i.test(activity.description) && !/from/i.test(activity.description);
  return [
    say(startedAt, pool ? 'was launched into the warm pool' : 'was launched'),
    ...(endedAt === undefined || status === 'InProgress'
      ? []
      : [
          failed
            ? say(endedAt, `failed to launch: ${activity.message}`, true)
            : say(endedAt, pool ? 'is in the warm pool' : 'is in service'),
        ]),
  ];
}

export const isFailedLaunch = ({ kind, status }: GroupActivity): boolean =>
  kind === 'launch' && (status === 'Failed' || status === 'Cancelled');

/** `At 2026-…Z an instance was taken out of service in response to X.` */
export const becauseOf = ({ cause }: Pick<GroupActivity, 'cause'>): string =>
  /in response to (.*?)\.?\s*$/.exec(cause)?.[1] ?? cause.replace(/^At \S+ /, '');

function ofAlarm({ alarm, at, to, from }: AlarmChange): Moment[] {
  if (to === 'ALARM') return [told('cloudwatch', at, `alarm ${alarm} went off`, true)];
  return from === 'ALARM' ? [told('cloudwatch', at, `alarm ${alarm} is over`)] : [];
}

function ofJob({ id, startedAt, endedAt, state, instance, lostBecause }: JobState): Moment[] {
  const say = (at: number, text: string, bad = false) => told('jobs', at, text, bad, { instance, job: id });
  return [
    ...(startedAt === undefined ? [] : [say(startedAt, `job ${id} started`)]),
    ...(endedAt === undefined
      ? []
      : [
          say(
            endedAt,
            state === 'lost' ? `job ${id} was lost: ${lostBecause}` : `job ${id} completed`,
            state === 'lost',
          ),
        ]),
  ];
}
